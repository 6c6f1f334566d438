"""What a thread's events prove: commands, requests to the outside, files that came back.

`Facts.add` takes events in order and looks at nothing else, so a thread that was recorded can be judged as
well as one that is happening.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from local.client import Event
from local.demo.errors import StoryError
from local.demo.story import DENIED_HOST, Act

ENDED = frozenset({"done", "failed", "stopped"})
WAITS = "waiting_"


@dataclass(frozen=True)
class Receipt:
    """One kind of request that a command made, and what the egress Worker said to it."""

    host: str
    method: str
    allowed: bool
    reason: str
    count: int

    @property
    def name(self) -> str:
        return self.host.partition(":")[0]


@dataclass(frozen=True)
class Artifact:
    id: str
    name: str
    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Finish:
    """How one tool call ended."""

    tool: str
    ok: bool
    error: str
    exit_code: int | None
    state: str
    milliseconds: int
    receipts: tuple[Receipt, ...]


@dataclass
class Facts:
    finishes: list[Finish] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    runs: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    starting_ms: int | None = None
    awake_ms: int | None = None

    def add(self, event: Event) -> None:
        match event.type:
            case "tool.finished":
                self.finishes.append(finish_of(event.data))
            case "artifact.created":
                self.artifacts.append(artifact_of(event.data))
            case "run.status":
                self.runs[event.data["id"]] = event.data
            case "computer.status":
                self._see_computer(event.data)

    @property
    def receipts(self) -> list[Receipt]:
        return merged([receipt for finish in self.finishes for receipt in finish.receipts])

    @property
    def denied(self) -> list[Receipt]:
        return [receipt for receipt in self.receipts if not receipt.allowed]

    @property
    def boot_seconds(self) -> float | None:
        """How long the computer took to start, the first time."""
        if self.starting_ms is None or self.awake_ms is None:
            return None
        return (self.awake_ms - self.starting_ms) / 1000

    def over(self, run_id: str) -> bool:
        """Whether a run has ended, or waits for somebody who is not there."""
        state = str(self.runs.get(run_id, {}).get("state", ""))
        return state in ENDED or state.startswith(WAITS)

    def _see_computer(self, data: Mapping[str, Any]) -> None:
        if data["state"] == "starting" and self.starting_ms is None:
            self.starting_ms = data["since_ms"]
        elif data["state"] == "running" and self.awake_ms is None:
            self.awake_ms = data["since_ms"]


def finish_of(data: Mapping[str, Any]) -> Finish:
    command = data["command"] or {}
    return Finish(
        tool=data["tool"],
        ok=data["ok"],
        error=data["error"]["message"] if data["error"] else "",
        exit_code=command.get("exit_code"),
        state=command.get("state", ""),
        milliseconds=command.get("duration_ms", 0),
        receipts=tuple(receipt_of(receipt) for receipt in command.get("egress", ())),
    )


def receipt_of(data: Mapping[str, Any]) -> Receipt:
    return Receipt(**{name: data[name] for name in ("host", "method", "allowed", "reason", "count")})


def artifact_of(data: Mapping[str, Any]) -> Artifact:
    return Artifact(**{name: data[name] for name in ("id", "name", "media_type", "size", "sha256")})


def merged(receipts: list[Receipt]) -> list[Receipt]:
    """Add up requests of one kind."""
    counts: dict[tuple[str, str, bool, str], int] = {}
    for r in receipts:
        kind = (r.host, r.method, r.allowed, r.reason)
        counts[kind] = counts.get(kind, 0) + r.count
    return [Receipt(*kind, count) for kind, count in counts.items()]


def check(act: Act, run: Mapping[str, Any], facts: Facts) -> None:
    """Raise a StoryError unless the act has ended as it must; `facts` are those of this act alone."""
    if run["error"]:
        raise StoryError(f"The bot's run failed: {run['error']['message']}")
    if run["state"] != "done":
        raise StoryError(f"The bot's run ended as {run['state']}{_because(run['reason'])}.")
    if act.ends == "answered":
        return
    if not facts.finishes:
        raise StoryError("The bot used no tool.")
    last = facts.finishes[-1]
    if act.ends == "ok" and not last.ok:
        raise StoryError(f"This step failed: {ending(last)}.")
    if act.ends == "denied":
        check_denied(facts)
    if act.ends == "exported" and not facts.artifacts:
        raise StoryError(f"No file came back: {last.error or 'nothing was exported'}")


def check_denied(facts: Facts) -> None:
    """The host that nobody may reach was asked for, and the record says that it was denied and why."""
    asked = [receipt for receipt in facts.receipts if receipt.name == DENIED_HOST]
    if not asked:
        raise StoryError(f"The thread has no record of the request to {DENIED_HOST}.")
    if any(receipt.allowed or not receipt.reason for receipt in asked):
        raise StoryError(f"The request to {DENIED_HOST} was not denied with a reason.")


def ending(finish: Finish) -> str:
    if finish.error:
        return finish.error.rstrip(".")
    if finish.exit_code is not None:
        return f"exit code {finish.exit_code}"
    return finish.state.replace("_", " ") or ("done" if finish.ok else "failed")


def _because(reason: str | None) -> str:
    return f" ({reason})" if reason else ""
