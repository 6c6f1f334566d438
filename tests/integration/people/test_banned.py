"""An owner whose computer is banned asks every route: what is of the machine is refused, all else stays.

Whoever is banned can read and take away what is theirs (docs/lifecycle.md), and delete it.
"""

import json
from http import HTTPStatus
from typing import Any

import pytest

from api.rights import OF_OWNER
from local.stack import LocalStack
from tests.integration.chat.person import Person, of
from tests.integration.people.test_crawler import BODIES, PARAMETER, Owner

# Whatever needs the machine itself, with what it is asked with.
OF_THE_MACHINE: dict[str, tuple[str, dict[str, Any]]] = {
    "POST /api/computer/reset": ("", {"json": {}}),
    "PATCH /api/files": ("?path=out.txt", {"json": {"to": "other.txt"}}),
    "DELETE /api/files": ("?path=out.txt", {"headers": {"content-type": "application/json"}}),
    "GET /api/files/content": ("?path=out.txt", {}),
    "PUT /api/files/content": ("?path=new.txt", {"data": b"new"}),
    "GET /api/files/archive": ("?path=", {}),
}
# They need a question, or are no answer that ends.
ASKED: dict[str, str] = {"GET /api/search": "?q=marked"}
STREAMS = {"GET /api/threads/{thread_id}/stream"}
# An archive, and the picture of a call, which nobody has made.
NOT_THERE = {"GET /api/me/archive/content", "GET /api/pictures/{tool_call_id}/content"}
# Its end is the next test's.
ENDS = {"POST /api/me/delete"}


def named(path: str, ids: set[str]) -> list[str]:
    """The path with each id of its kind that the owner has; as it is where it names nothing."""
    return [PARAMETER.sub(one, path) for one in sorted(ids)] if "{" in path else [path]


async def answered(person: Person, method: str, path: str, **more: Any) -> tuple[int, str]:
    headers = {**person.headers, **more.pop("headers", {})}
    async with person.session.request(method, path, headers=headers, **more) as response:
        return response.status, (await response.read()).decode("utf-8", "replace")


@pytest.mark.timeout(600)
async def test_a_banned_owner_is_refused_the_machine_and_nothing_else(stack: LocalStack) -> None:
    async with Person.at(stack) as person, Person.at(stack, operator=True) as operator:
        owner = Owner(person)
        await owner.live()
        path = f"/api/operator/owners/{owner.id}/ban"
        await operator.ask("PUT", path, expect=200, json={"reason": "mining"})
        await person.until_computer(
            lambda computer: computer["state"] == "standby" and bool(computer["ban"]), "standby of the banned"
        )
        assert await refused_machine(person) == {}
        assert await unreadable(owner) == {}
        # Saying something is no use of the machine; what it would run is refused where it stands.
        (finished,) = of(await owner.thread.run("$ true"), "tool.finished")
        assert finished["error"]["code"] == "computer_banned"
        assert await refused_writes(owner) == {}
        # A workspace would be another machine for the same person.
        refused = await person.ask("POST", "/api/owners", expect=403, json={"name": "Crew"})
        assert (refused["code"], refused["details"]["reason"]) == ("computer_banned", "workspace_banned")
        assert [one["id"] for one in (await person.get("/api/owners"))["items"]] == [owner.id]
        await operator.ask("DELETE", path, expect=200)
        await person.ask("POST", "/api/owners", expect=201, json={"name": "Crew"})


async def refused_machine(person: Person) -> dict[str, tuple[int, str]]:
    """Which routes of the machine say anything else than that it is banned, and why."""
    wrong = {}
    for route, (query, more) in OF_THE_MACHINE.items():
        method, path = route.split(" ")
        status, said = await answered(person, method, path + query, **more)
        if (
            status != HTTPStatus.FORBIDDEN
            or json.loads(said)["code"] != "computer_banned"
            or "mining" not in said
        ):
            wrong[route] = (status, said[:200])
    return wrong


async def unreadable(owner: Owner) -> dict[str, str]:
    """Which routes cannot be read of the things that the owner has."""
    wrong = {}
    for route in OF_OWNER.keys() - OF_THE_MACHINE.keys() - STREAMS - NOT_THERE:
        method, path = route.split(" ")
        if method != "GET":
            continue
        query = ASKED.get(route, "")
        told = [await answered(owner.person, method, one + query) for one in named(path, owner.ids)]
        if not any(status == HTTPStatus.OK for status, _ in told):
            wrong[route] = str(told)[:300]
    return wrong


async def refused_writes(owner: Owner) -> dict[str, str]:
    """Which other writes are refused for the ban."""
    wrong = {}
    # What removes comes last: others need what it removes.
    for route in sorted(
        OF_OWNER.keys() - OF_THE_MACHINE.keys() - ENDS, key=lambda one: one.startswith("DELETE")
    ):
        method, path = route.split(" ")
        if method == "GET":
            continue
        for one in named(path, owner.ids):
            more: dict[str, Any] = {"json": BODIES.get(route, {})}
            status, said = await answered(owner.person, method, one, **more)
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR or (
                status >= HTTPStatus.BAD_REQUEST and json.loads(said)["code"] == "computer_banned"
            ):
                wrong[f"{method} {one}"] = f"{status} {said[:200]}"
    return wrong
