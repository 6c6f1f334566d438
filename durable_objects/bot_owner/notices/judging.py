"""Whether a notice goes out now, waits or is not worth sending any more; the first reason counts."""

from dataclasses import dataclass
from typing import Literal

from contracts.notices import NoticeChannel, NoticeKind, NoticeReason, NoticeSettings


@dataclass(frozen=True)
class Facts:
    """What is so at the moment of a look."""

    now_ms: int
    settings: NoticeSettings
    quiet_ms: int | None
    """When the quiet hours end that it is in."""
    page_open: bool
    email_room_ms: int
    """When the next mail may leave; not later than now where one may."""


@dataclass(frozen=True)
class Wanted:
    """The notice as it is judged: `over` is why it is not worth sending any more, if it is not."""

    kind: NoticeKind
    channel: NoticeChannel
    until_ms: int
    over: NoticeReason | None


@dataclass(frozen=True)
class Verdict:
    action: Literal["send", "hold", "drop"]
    reason: NoticeReason | None = None
    until_ms: int = 0
    """Until when it is held."""


SEND = Verdict("send")


def judge(wanted: Wanted, facts: Facts, look_again_ms: int) -> Verdict:
    """`look_again_ms` is when one that waits for a page to close is looked at again."""
    if reason := _dropped(wanted, facts):
        return Verdict("drop", reason)
    return _held(wanted, facts, look_again_ms) or SEND


def _dropped(wanted: Wanted, facts: Facts) -> NoticeReason | None:
    if facts.now_ms >= wanted.until_ms:
        return "expired"
    if wanted.over or wanted.kind is NoticeKind.TEST:
        return wanted.over
    choice = getattr(facts.settings, wanted.channel)
    return None if choice.on and wanted.kind in choice.kinds else "switched_off"


def _held(wanted: Wanted, facts: Facts, look_again_ms: int) -> Verdict | None:
    if wanted.channel is NoticeChannel.EMAIL and facts.email_room_ms > facts.now_ms:
        return Verdict("hold", "email_limit", facts.email_room_ms)
    if wanted.kind is NoticeKind.TEST:
        return None
    if facts.page_open and not facts.settings.while_open:
        return Verdict("hold", "page_open", look_again_ms)
    if facts.quiet_ms is not None and getattr(facts.settings, wanted.channel).quiet:
        return Verdict("hold", "quiet_hours", facts.quiet_ms)
    return None
