"""The door: every route refuses who may not come in, in one form, before it does anything."""

import re
from typing import Any

import pytest

from tests.integration.chat.person import Person

IDS = ("bot_id", "thread_id", "run_id", "command_id", "artifact_id", "upload_id", "tool_call_id")


async def described(person: Person) -> dict[str, Any]:
    return await person.get("/api/openapi.json")


IDS = ("bot_id", "thread_id", "run_id", "command_id", "artifact_id", "rule_id", "owner_id")


async def test_every_route_refuses_another_address(person: Person) -> None:
    paths = (await described(person))["paths"]
    assert len(paths) > 12
    for path, methods in paths.items():
        for method in methods:
            place = re.sub(r"\{[^}]+\}", "x", path)
            async with person.session.request(
                method, place, headers={"host": "evil.example"}, json={}
            ) as response:
                body = await response.json(content_type=None)
            assert response.status == 403, (method, path, body)
            assert response.headers["content-type"] == "application/problem+json"
            assert body["code"] == "forbidden"


async def test_writes_from_another_page_are_refused(person: Person) -> None:
    answer = await person.ask(
        "POST", "/api/bots", expect=403, json={"name": "x"}, headers={"origin": "http://evil.example"}
    )
    assert answer["code"] == "forbidden"
    assert (await person.get("/api/bots"))["items"] == []


async def test_a_body_that_is_not_right_says_what_is_wrong(person: Person) -> None:
    answer = await person.ask("POST", "/api/bots", expect=422, json={"name": "", "extra": 1})
    assert answer["code"] == "invalid_request"
    assert {error["at"] for error in answer["details"]["errors"]} == {"body.name", "body.extra"}


async def test_a_form_post_is_not_taken_for_json(person: Person) -> None:
    await person.ask(
        "POST",
        "/api/bots",
        expect=422,
        data='{"name":"x"}',
        headers={"content-type": "text/plain"},
    )


JSON = {"content-type": "application/json"}


async def test_a_body_without_a_length_is_refused(person: Person) -> None:
    async def chunks() -> Any:
        yield b'{"name":"x"}'

    answer = await person.ask("POST", "/api/bots", expect=422, data=chunks(), headers=JSON)
    assert "Content-Length" in answer["message"]


async def test_a_key_goes_in_and_never_comes_out(person: Person) -> None:
    model = {
        "provider": "openai",
        "base_url": "https://model.invalid/v1/",
        "model": "m",
        "api_key": "sk-very-secret",
    }
    bot = await person.bot(model=model)
    assert bot["model"] == {
        "provider": "openai",
        "base_url": "https://model.invalid/v1",
        "model": "m",
        "effort": None,
        "temperature": None,
        "has_key": True,
    }
    assert "sk-very-secret" not in str(await person.get("/api/bots"))
    moved = await person.ask(
        "PATCH",
        f"/api/bots/{bot['id']}",
        expect=200,
        json={"model": {**model, "base_url": "https://elsewhere.invalid", "api_key": None}},
    )
    assert moved["model"]["has_key"] is False


async def test_unknown_things_are_not_found(person: Person) -> None:
    for path in ("/api/threads/thr_x", "/api/threads/thr_x/events", "/api/artifacts/art_x", "/api/nothing"):
        answer = await person.get(path, expect=404)
        assert answer["code"] == "not_found"


async def test_the_api_page_asks_nobody_else(person: Person) -> None:
    async with person.session.get("/api/docs", headers=person.headers) as response:
        text = await response.text()
        policy = response.headers["content-security-policy"]
    assert "http" not in text.replace("https://www.w3.org", "")
    assert "default-src 'none'" in policy


async def test_a_body_nested_without_end_is_refused_and_kills_nobody(person: Person) -> None:
    deep = "[" * 9_000 + "]" * 9_000
    sent = {"data": deep, "headers": {"content-type": "application/json"}}
    assert (await person.ask("POST", "/api/bots", expect=422, **sent))["code"] == "invalid_request"
    async with person.session.post(
        "/api/bots", data=deep, headers={"content-type": "application/json", "host": "evil.example"}
    ) as response:
        assert response.status == 403
    assert (await person.get("/api/bots"))["items"] == []


@pytest.mark.parametrize("after", ["-1", "9223372036854775807", "9" * 20, "x"])
async def test_a_seq_that_cannot_be_is_refused(person: Person, after: str) -> None:
    thread = await person.thread()
    await person.get(f"/api/threads/{thread.id}/events?after={after}", expect=422)


async def test_a_stream_of_no_thread_and_of_a_strange_last_event_is_answered_properly(person: Person) -> None:
    answer = await person.get("/api/threads/thr_x/stream", expect=404)
    assert answer["code"] == "not_found"
    thread = await person.thread()
    headers = {**person.headers, "last-event-id": "9" * 5_000}
    async with person.session.get(f"/api/threads/{thread.id}/stream", headers=headers) as response:
        assert response.status == 200


async def test_a_problem_names_the_status_it_came_with(person: Person) -> None:
    answer = await person.ask("PUT", "/api/bots", expect=405)
    assert answer["status"] == 405
