"""What operators see and do, and the record of it, on real workerd."""

import hashlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread
from tests.integration.waiting import until


@pytest.fixture
async def operator(stack: LocalStack) -> AsyncIterator[Person]:
    """The person at this machine, who may do what operators do."""
    async with Person.at(stack, operator=True) as made:
        yield made


async def lines(person: Person, path: str) -> list[dict[str, Any]]:
    async with person.session.get(path, headers=person.headers) as response:
        assert response.status == 200
        assert "attachment" in response.headers["content-disposition"]
        return [json.loads(line) for line in (await response.text()).splitlines()]


def follow(entries: list[dict[str, Any]], link: str) -> None:
    """What anybody can do with the file, without Berth."""
    previous = "0" * 64
    for entry in entries:
        told = entry.pop("hash")
        text = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert (entry[link], hashlib.sha256(text.encode()).hexdigest()) == (previous, told)
        previous = told


async def test_an_owner_is_seen_as_numbers(operator: Person, thread: Thread) -> None:
    person = thread.person
    owner_id = f"local-{person.name}"
    await thread.exec("echo one")
    await thread.run("/read nothing.txt")

    async def reported() -> dict[str, Any] | None:
        found = await operator.get(f"/api/operator/owners/{owner_id}")
        return found if found["report"] and found["report"]["calls"] == 2 else None

    owner = await until("the report of an owner", reported)
    assert (owner["state"], owner["ban"], owner["exempt"], owner["deleted_ms"]) == (
        "running",
        None,
        None,
        None,
    )
    report = owner["report"]
    assert (report["bots"], report["threads"], report["runs"]) == (1, 1, {"done": 2})
    assert report["errors"] == {"not_found": 1}
    assert owner_id in [one["owner_id"] for one in (await operator.get("/api/operator/owners"))["items"]]
    found = await operator.get(f"/api/operator/owners?shown=awake&find={owner_id}")
    assert [one["owner_id"] for one in found["items"]] == [owner_id]
    overview = await operator.get("/api/operator/overview")
    assert overview["owners"] >= 1
    assert overview["computers"]["running"] >= 1
    assert [one["state"] for one in overview["circuits"]["items"]] == ["closed", "closed"]


async def test_nobody_else_may_look(person: Person) -> None:
    for path in (
        "overview", "owners", f"owners/local-{person.name}", "owners/nobody", "circuits", "retention",
        "audit", "audit/check", "audit.jsonl",
    ):  # fmt: skip
        refused = await person.get(f"/api/operator/{path}", expect=403)
        assert refused["code"] == "forbidden"


async def test_who_is_exempt_is_said(operator: Person, person: Person) -> None:
    await person.bot()
    path = f"/api/operator/owners/local-{person.name}/exemption"
    await operator.ask("PUT", path, expect=200, json={"reason": "ours"})
    owner = await operator.get(f"/api/operator/owners/local-{person.name}")
    assert owner["exempt"]["reason"] == "ours"
    await operator.ask("DELETE", path, expect=200)
    kinds = {entry["kind"]: entry for entry in (await person.get("/api/audit"))["items"]}
    assert kinds["owner_exempted"]["actor"] == {"person_id": "local", "via": "local"}
    assert "owner_exemption_ended" in kinds


async def test_the_record_is_a_chain_that_anybody_can_follow(
    operator: Person, person: Person, stack: LocalStack
) -> None:
    await operator.ask("PATCH", "/api/me", expect=200, json={"locale": "en"})
    bot = await person.bot(name="secret name")
    await person.ask("PATCH", f"/api/bots/{bot['id']}", expect=200, json={"name": "other secret"})
    await person.ask("PATCH", "/api/me", expect=200, json={"locale": "zh-Hans"})
    await person.post("/api/computer/reset")
    kinds = ["bot_created", "bot_changed", "settings_changed", "computer_reset"]
    entries = (await person.get("/api/audit"))["items"]
    assert [entry["kind"] for entry in entries if entry["kind"] in kinds] == kinds[::-1]
    checked = await person.get("/api/audit/check")
    assert checked["broken"] is None
    assert (await person.get(f"/api/audit/check?head={checked['head']}"))["broken"] is None
    gone = (await person.get(f"/api/audit/check?head={'a' * 64}"))["broken"]
    assert gone["why"] == "known_head_is_gone"

    own = await lines(person, "/api/audit.jsonl")
    assert {entry["owner_id"] for entry in own} == {f"local-{person.name}"}
    assert "secret" not in json.dumps(own)
    follow(own, "owner_previous")
    whole = await lines(operator, "/api/operator/audit.jsonl")
    assert len(whole) > len(own)
    follow(whole, "previous")

    noted = (await operator.get("/api/operator/audit/check"))["head"]
    await person.ask("PATCH", "/api/me", expect=200, json={"locale": "en"})
    check = await operator.get(f"/api/operator/audit/check?head={noted}")
    assert (check["broken"], check["head"] == noted) == (None, False)
    assert (await operator.get(f"/api/operator/audit/check?head={'a' * 64}"))["broken"] == {
        "n": check["entries"] and (await operator.get("/api/operator/audit"))["items"][0]["n"],
        "why": "known_head_is_gone",
    }


async def test_after_a_deletion_bans_and_changes_are_left_as_metadata_only(
    operator: Person, thread: Thread
) -> None:
    person = thread.person
    owner_id = f"local-{person.name}"
    await thread.exec("echo marked > marked.txt")
    await person.ask("PATCH", "/api/me", expect=200, json={"retention": {"results": 7}})
    await operator.ask("PUT", f"/api/operator/owners/{owner_id}/ban", expect=200, json={"reason": "mining"})
    deleted = await person.post("/api/me/delete", {"confirm": owner_id, "at_once": True})
    assert deleted["finished"] is True
    owner = await operator.get(f"/api/operator/owners/{owner_id}")
    assert (owner["report"], owner["ban"]["reason"]) == (None, "mining")
    assert owner["deleted_ms"] > 0
    found = await operator.get(f"/api/operator/owners?shown=deleted&find={owner_id}")
    assert [one["owner_id"] for one in found["items"]] == [owner_id]
    entries = (await operator.get(f"/api/operator/audit?owner_id={owner_id}"))["items"]
    kinds = [entry["kind"] for entry in entries]
    assert (
        kinds.count("computer_banned") == kinds.count("owner_deleted") == kinds.count("settings_changed") == 1
    )
    assert "marked" not in json.dumps([owner, entries])
    assert (await operator.get("/api/operator/audit/check"))["broken"] is None
    await operator.ask("DELETE", f"/api/operator/owners/{owner_id}/ban", expect=200)


async def test_coming_in_and_tokens_are_in_the_record_of_their_person(
    operator: Person, person: Person, stack: LocalStack
) -> None:
    await person.post("/api/sign-in/local", {"token": stack.token}, expect=204)
    token = await person.post("/api/tokens", {"name": "marked-name", "scopes": ["read"]}, expect=201)
    await person.ask("DELETE", f"/api/tokens/{token['id']}", expect=204)
    entries = (await person.get("/api/audit"))["items"]
    assert [entry["kind"] for entry in entries[::-1]] == ["signed_in", "token_created", "token_removed"]
    assert "marked-name" not in json.dumps(entries)
    found = await operator.get(f"/api/operator/owners?find=local-{person.name}")
    assert [one["owner_id"] for one in found["items"]] == [f"local-{person.name}"]
