"""What is worth a notice: read off the events of a thread as they are appended, or told by who knows better.

Whoever has an occasion of its own (a routine that was paused, an allowance) makes an `Occasion` and gives it
to `NoticeDesk.occurred`; the same `event` counts once, however often it is told.
"""

from dataclasses import dataclass

from contracts.notices import NoticeKind
from contracts.records import Record, Run
from contracts.states import RunState
from contracts.trading import Intent


@dataclass(frozen=True)
class Occasion:
    kind: NoticeKind
    event: str
    """What happened, as a key: two occasions with the same one are the same."""
    thread_id: str | None = None
    bot_id: str | None = None
    """Where there is no thread to say it."""
    subject: str = ""
    """The intent or the run that has to be as it was for the notice to be worth sending."""
    mark: int = 0
    """When that run moved."""
    until_ms: int | None = None
    """When nobody wants it any more; `NOTICE_SECONDS` from now at the latest."""


# Of these somebody waits for the owner: they stay worth sending until it is done.
WAITING = frozenset({NoticeKind.APPROVAL, NoticeKind.INPUT})


def occasion_of(thread_id: str, kind: str, data: Record) -> Occasion | None:
    """What an event of a thread is worth, if anything."""
    if kind == "approval.requested" and isinstance(data, Intent):
        return Occasion(
            NoticeKind.APPROVAL,
            f"approval:{data.id}",
            thread_id,
            subject=data.id,
            until_ms=data.expires_ms,
        )
    if kind == "run.status" and isinstance(data, Run):
        return _of_run(thread_id, data)
    return None


def _of_run(thread_id: str, run: Run) -> Occasion | None:
    if run.state == RunState.WAITING_INPUT:
        event = f"input:{run.id}:{run.updated_ms}"
        return Occasion(NoticeKind.INPUT, event, thread_id, subject=run.id, mark=run.updated_ms)
    if run.state == RunState.FAILED:
        return Occasion(NoticeKind.FAILURE, f"failure:{run.id}", thread_id, subject=run.id)
    return None
