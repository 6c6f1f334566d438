"""What an owner opens: for the next command only, for nobody else, and never what is closed."""

import uuid
from typing import Any

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, ended, of
from tests.integration.egress.outside import Outside


def code(host: str, path: str = "/data/x") -> str:
    return f"curl -s -o /dev/null -w '%{{http_code}} ' https://{host}{path}"


async def opened(person: Person, host: str, path: str = "/") -> dict[str, Any]:
    body = {"host": host, "path": path, "understood": True}
    return await person.post("/api/egress/rules", body, expect=201)


async def test_a_host_is_opened_and_closed_again(
    person: Person, thread: Thread, stack: LocalStack, outside: Outside
) -> None:
    host = f"{uuid.uuid4().hex}.invalid"
    assert (await thread.exec(code(host)))["output"] == "403 "
    rule = await opened(person, host.upper(), "/data")
    assert (rule["host"], rule["path"]) == (host, "/data")
    tried = await thread.exec(f"{code(host)}; {code(host, '/other')}; {code(host)} -d x")
    assert tried["output"] == "200 403 403 "
    assert [seen.url for seen in outside.at(host)] == [f"https://{host}/data/x"]
    assert {(line["allowed"], line["reason"].partition(":")[0]) for line in tried["egress"]} == {
        (True, "owner"),
        (False, "default"),
    }
    async with Person.at(stack) as other:
        assert (await (await other.thread()).exec(code(host)))["output"] == "403 "
        await other.post("/api/computer/standby")
    assert (await person.get("/api/egress/rules"))["items"] == [rule]
    await person.ask("DELETE", f"/api/egress/rules/{rule['id']}", expect=204)
    assert (await thread.exec(code(host)))["output"] == "403 "
    kinds = [entry["kind"] for entry in (await person.get("/api/audit"))["items"]]
    assert kinds.index("egress_rule_removed") < kinds.index("egress_rule_added")


async def test_what_a_command_would_meet_is_told_before_it_tries(
    person: Person, thread: Thread, outside: Outside
) -> None:
    host = f"{uuid.uuid4().hex}.invalid"

    async def told(url: str) -> dict[str, Any]:
        return await person.post("/api/egress/verdict", {"url": url}, expect=200)

    before = await told(f"https://{host}/data/x")
    assert (before["allowed"], before["rule"], before["can_open"]) == (False, "default", True)
    await opened(person, host, "/data")
    after = await told(f"https://{host}/data/x")
    assert (after["allowed"], after["rule"], after["host"]) == (True, "owner", host)
    assert not (await told(f"https://{host}/other"))["allowed"]
    assert outside.at(host) == []
    assert (await thread.exec(f"{code(host)}; {code(host, '/other')}"))["output"] == "200 403 "


async def test_the_running_command_is_not_widened(person: Person, thread: Thread) -> None:
    host = f"{uuid.uuid4().hex}.invalid"
    loop = f"until test -e go; do sleep 0.05; done; {code(host)}"
    async with thread.watched() as watch:
        run_id = (await thread.send(f"$ echo began; {loop}"))["run"]["id"]
        await watch.until(lambda event: event["type"] == "tool.output")
        await opened(person, host)
        other = await person.thread()
        await other.exec("touch go")
        await watch.until(ended(run_id))
    (finished,) = of(watch.seen, "tool.finished")
    assert finished["command"]["output"] == "began\n403 "
    assert (await thread.exec(code(host)))["output"] == "200 "


@pytest.mark.parametrize(
    "host", ["api.hyperliquid.xyz", "10.0.0.1", "localhost", "berth.invalid", "mainnet.infura.io", "invalid"]
)
async def test_what_is_closed_cannot_be_opened(person: Person, host: str) -> None:
    body = {"host": host, "understood": True}
    refused = await person.post("/api/egress/rules", body, expect=422)
    assert refused["code"] == "invalid_request"
    assert (await person.get("/api/egress/rules"))["items"] == []


async def test_the_name_that_berth_is_called_by_cannot_be_opened(person: Person) -> None:
    name = person.headers["host"].partition(":")[0]
    refused = await person.post("/api/egress/rules", {"host": name, "understood": True}, expect=422)
    assert "closed" in refused["message"]


async def test_without_the_warning_nothing_is_opened(person: Person) -> None:
    await person.post("/api/egress/rules", {"host": "a.invalid", "understood": False}, expect=422)
    await person.post("/api/egress/rules", {"host": "a.invalid"}, expect=422)
