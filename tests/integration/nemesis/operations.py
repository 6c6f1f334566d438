"""What a client does in a history: an operation a function, which records what it did and what it saw."""

import hashlib
import os
import re
from collections.abc import Awaitable, Callable
from typing import Any

from tests.integration.chat.person import Event, ended, is_type, of
from tests.integration.nemesis.client import Client, StuckError
from tests.integration.nemesis.history import History, Kind, Operation
from tests.integration.nemesis.sandboxes import MARK_COMMAND

Step = tuple[Kind, str, float]
"""What, on which file, and how long it dawdles."""


class Actor:
    """One client of one owner, with the name that its tokens carry."""

    def __init__(self, history: History, client: Client, owner: str, name: str) -> None:
        self.history = history
        self.client = client
        self.owner = owner
        self.name = name

    async def do(self, step: Step, **facts: Any) -> Operation:
        kind, file, dawdle = step
        name = f"{file}{self.name}" if file else ""
        with self.history.operation(self.owner, self.name, kind, name) as op:
            op.facts |= facts
            try:
                await DOING[kind](self, op, dawdle)
            except StuckError as error:
                op.outcome, op.facts["stuck"] = "stuck", str(error)
        return op

    async def run(self, op: Operation, text: str, *upload_ids: str) -> dict[str, Any] | None:
        """Run one call, note how it went, and return its end; None where there is none."""
        events = await self.client.run(text, *upload_ids)
        return self.note(op, events)

    def note(self, op: Operation, events: list[Event]) -> dict[str, Any] | None:
        finished = of(events, "tool.finished")
        if not finished:
            op.outcome = "failed"
            op.error = next((run["error"] for run in of(events, "run.status") if run["error"]), None)
            return None
        end = finished[-1]
        op.texts.append(end["text"])
        op.error = end["error"]
        if end["ok"]:
            op.outcome = "done"
        else:
            op.outcome = "lost" if end["command"] and end["command"]["state"] == "lost" else "failed"
        return end

    def sleep(self, op: Operation, seconds: float) -> str:
        """A command that sleeps, and that no other operation has, of whatever stack."""
        return f"sleep {seconds:.2f}{os.getpid():07d}{self.history.seed:07d}{op.number:04d}"

    def tokens(self, text: str) -> list[str]:
        return re.findall(rf"\b{re.escape(self.owner)}\.[a-z0-9]+\.\d+\b", text)


async def _append(actor: Actor, op: Operation, dawdle: float) -> None:
    op.marker = actor.sleep(op, dawdle)
    mark = MARK_COMMAND.format(owner=actor.owner)
    end = await actor.run(op, f"$ {mark}; echo {op.token} >> {op.file}; {op.marker}; cat {op.file}")
    if end and end["ok"]:
        op.saw = actor.tokens(end["text"])


async def _write(actor: Actor, op: Operation, dawdle: float) -> None:
    end = await actor.run(op, f"/write {op.file}\n{op.token}")
    if end and end["ok"]:
        op.saw = [op.token]


async def _read(actor: Actor, op: Operation, dawdle: float) -> None:
    end = await actor.run(op, f"/read {op.file}")
    if end and end["ok"]:
        op.saw = actor.tokens(end["text"])
    elif end and end["error"]["code"] == "not_found":
        op.outcome, op.saw, op.error = "done", [], None


async def _big(actor: Actor, op: Operation, dawdle: float) -> None:
    await actor.run(op, "$ python3 -c \"print('界𝒳' * 30000)\"")


async def _leave(actor: Actor, op: Operation, dawdle: float) -> None:
    op.marker = actor.sleep(op, 300)
    await actor.run(op, f"$ setsid {op.marker} > /dev/null 2>&1 & echo left")


async def _outside(actor: Actor, op: Operation, dawdle: float) -> None:
    host = f"n{op.number}.{actor.owner}.invalid"
    await actor.run(op, f"$ curl -s -m 5 -o /dev/null -w '%{{http_code}}' http://{host}/{op.token}")


async def _export(actor: Actor, op: Operation, dawdle: float) -> None:
    events = await actor.client.run(f"/export {op.file}")
    end = actor.note(op, events)
    made = of(events, "artifact.created")
    if not end or not end["ok"] or not made:
        if op.error and op.error["code"] == "not_found":
            op.outcome, op.saw, op.error = "done", [], None
        return
    op.facts |= {"artifact": made[0]["id"], "sha256": made[0]["sha256"]}
    content = await actor.client.bytes_of(f"/api/artifacts/{made[0]['id']}/content")
    op.facts["at_the_end"] = hashlib.sha256(content).hexdigest()
    op.saw = actor.tokens(content.decode())


async def _upload(actor: Actor, op: Operation, dawdle: float) -> None:
    name = f"u{op.number}.csv"
    status, answer = await actor.client.ask(
        "POST",
        f"/api/threads/{actor.client.thread.id}/uploads",
        params={"name": name},
        data=op.token.encode(),
        headers={"content-type": "text/csv"},
    )
    if status != 201:
        op.outcome, op.error = "failed", answer
        return
    await actor.run(op, f"$ cat uploads/u{op.number}*.csv", answer["id"])


async def _stop(actor: Actor, op: Operation, dawdle: float) -> None:
    op.marker = actor.sleep(op, 300)
    client = actor.client
    start = len(client.seen)
    run_id = await client.send(f"$ echo up; {op.marker}")
    await client.until(is_type("tool.started"), "the start of what is to be stopped", start)
    await client.ask("POST", f"/api/runs/{run_id}/stop", json={})
    await client.until(ended(run_id), "the end of what was stopped", start)
    actor.note(op, [seen.event for seen in client.seen[start:] if "seq" in seen.event])


async def _sleep(actor: Actor, op: Operation, dawdle: float) -> None:
    _, view = await actor.client.ask("POST", "/api/computer/standby", json={})
    _note_view(op, view)
    op.facts["saved"] = view.get("state") == "standby" and view.get("reason") is None


async def _reset(actor: Actor, op: Operation, dawdle: float) -> None:
    _, view = await actor.client.ask("POST", "/api/computer/reset", json={})
    _note_view(op, view)


def _note_view(op: Operation, view: dict[str, Any]) -> None:
    if "code" in view:
        op.outcome, op.error = "failed", {"code": view["code"], "message": view["message"]}
    else:
        op.outcome = "done"


DOING: dict[Kind, Callable[[Actor, Operation, float], Awaitable[None]]] = {
    "append": _append,
    "write": _write,
    "read": _read,
    "big": _big,
    "leave": _leave,
    "outside": _outside,
    "export": _export,
    "upload": _upload,
    "stop": _stop,
    "sleep": _sleep,
    "reset": _reset,
}
