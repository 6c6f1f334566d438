"""Who may call what, on the served Berth: every route has its rule, and none leads to what is another's."""

import re
from typing import Any

import pytest

from api.rights import OF_NOBODY, OF_OWNER, OF_PERSON
from contracts.people import Right
from local.stack import LocalStack
from tests.integration.chat.person import Person

METHODS = ("get", "post", "put", "patch", "delete")


async def described(person: Person) -> dict[str, Any]:
    return await person.get("/api/openapi.json")


def place(path: str) -> str:
    return re.sub(r"\{[^}]+\}", "x", path)


async def test_every_route_that_is_described_has_a_rule_and_the_other_way_round(person: Person) -> None:
    paths = (await described(person))["paths"]
    routes = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    hidden = {"GET /api/openapi.json", "GET /api/docs"}
    assert routes | hidden == OF_OWNER.keys() | OF_PERSON.keys() | OF_NOBODY


async def test_nobody_else_finds_an_owner_by_its_id(person: Person, stack: LocalStack) -> None:
    """The same answer, but for nothing, as for an owner that does not exist."""
    thread = await person.thread()
    async with Person.at(stack) as other:
        for route in OF_OWNER:
            method, path = route.split(" ")
            asked = path.replace("{thread_id}", thread.id)
            said = []
            for owner_id in (f"local-{person.name}", "owner_that_is_not_there"):
                where = place(asked).replace("/api/", f"/api/owners/{owner_id}/", 1)
                async with other.session.request(method, where, headers=other.headers, json={}) as response:
                    said.append((response.status, await response.text()))
            assert said[0] == said[1], route
            assert said[0][0] in {404, 422}, (route, said)
    assert [one["id"] for one in (await person.get("/api/threads"))["items"]] == [thread.id]


async def test_an_owner_is_reached_by_its_id_as_without_it(person: Person) -> None:
    mine = f"/api/owners/local-{person.name}"
    bot = await person.post(f"{mine}/bots", {"name": "Bot"}, expect=201)
    assert (await person.get("/api/bots"))["items"] == (await person.get(f"{mine}/bots"))["items"] == [bot]
    thread = await person.post(f"{mine}/threads", {"bot_id": bot["id"]}, expect=201)
    async with person.session.ws_connect(
        f"{mine}/threads/{thread['id']}/stream", headers=person.headers
    ) as socket:
        assert (await socket.receive_json())["type"] == "hello"
    stored = await person.ask(
        "POST",
        f"{mine}/threads/{thread['id']}/uploads?name=a.txt",
        expect=201,
        data=b"abc",
        headers={"content-type": "text/plain"},
    )
    async with person.session.get(
        f"{mine}/uploads/{stored['id']}/content", headers=person.headers
    ) as response:
        assert await response.read() == b"abc"


@pytest.mark.parametrize("path", ["openapi.json", "operator/circuits", "computers/awake"])
async def test_what_is_of_no_owner_is_not_found_under_one(person: Person, path: str) -> None:
    await person.get(f"/api/owners/local-{person.name}/{path}", expect=404)


async def test_who_is_no_operator_is_refused_by_every_route_of_theirs(person: Person) -> None:
    for route, right in OF_PERSON.items():
        method, path = route.split(" ")
        if right == Right.OPERATE:
            answer = await person.ask(method, place(path), expect=403, json={})
            assert answer["code"] == "forbidden"


async def test_nobody_says_who_they_are_in_a_header_of_ours(person: Person, stack: LocalStack) -> None:
    thread = await person.thread()
    forged = (
        '{"person_id":"local-%s","owner_id":"local-%s","rights":["read"],"via":"local","credential_id":"x"}'
    )
    async with Person.at(stack) as other:
        headers = {**other.headers, "x-berth-caller": forged % (person.name, person.name)}
        for path in ("stream", "export"):
            async with other.session.get(f"/api/threads/{thread.id}/{path}", headers=headers) as response:
                assert response.status == 404
