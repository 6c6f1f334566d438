"""What the channels have in common: a notice ready to go, how it is sent, and what an answer means."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from contracts.limits import NOTICE_RETRY_SECONDS_MAX
from contracts.notices import NoticeChannel, NoticeKind, NoticeReason, NoticeState
from durable_objects.bot_owner.notices.words import Words


class UnreachableError(Exception):
    """Nobody answered: no connection, or none in time."""


@dataclass(frozen=True)
class Answered:
    status: int
    retry_after_s: float | None = None


class Send(Protocol):
    """POST a body and return what is answered, a redirect too. Raises UnreachableError.

    Nothing of the answer's body is read, and it takes no longer than `NOTICE_SEND_SECONDS`.
    """

    async def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> Answered: ...


@dataclass(frozen=True)
class Notice:
    """One notice to one place, as it leaves. Times are ms."""

    id: str
    """The same at each try."""
    event: str
    kind: NoticeKind
    words: Words
    bot: str
    thread_id: str | None
    thread_title: str
    """Empty where it is not told."""
    base: str
    """Where the owner's page is, without a slash at its end."""
    created_ms: int
    now_ms: int
    until_ms: int

    @property
    def path(self) -> str:
        return f"/t/{self.thread_id}" if self.thread_id else "/"


@dataclass(frozen=True)
class Parcel:
    """A request that is ready to be sent."""

    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Outcome:
    state: NoticeState
    """`pending` where it is tried again."""
    reason: NoticeReason | None = None
    status: int | None = None
    retry_after_s: float = 0
    gone: bool = False
    """The place is no more and takes no notices."""


UNREACHABLE = Outcome(NoticeState.PENDING, "unreachable")
# What passes by itself; of a webhook everything else may too, while its owner mends it.
PASSING = frozenset({408, 425, 429})


def outcome_of(channel: NoticeChannel, answer: Answered) -> Outcome:
    status = answer.status
    if 200 <= status < 300:
        return Outcome(NoticeState.SENT, None, status)
    if channel is NoticeChannel.PUSH and status in {404, 410}:
        return Outcome(NoticeState.DROPPED, "place_gone", status, gone=True)
    if 300 <= status < 400:
        return Outcome(NoticeState.FAILED, "redirected", status)
    passes = status >= 500 or status in PASSING
    if passes or (channel is NoticeChannel.WEBHOOK and status != 410):
        wait = min(answer.retry_after_s or 0, NOTICE_RETRY_SECONDS_MAX)
        return Outcome(NoticeState.PENDING, "refused", status, wait)
    return Outcome(NoticeState.FAILED, "refused", status)
