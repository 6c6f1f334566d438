"""Whether a notice goes out, waits or is dropped: the table of reasons, each alone and against the others."""

import itertools

import pytest

from contracts.notices import ChannelChoice, NoticeChannel, NoticeKind, NoticeReason, NoticeSettings
from durable_objects.bot_owner.notices.judging import SEND, Facts, Verdict, Wanted, judge

NOW, AGAIN, MORNING, ROOM = 1_000_000, 1_300_000, 9_000_000, 2_000_000
OFF = ChannelChoice(on=False)
ONLY_INPUT = ChannelChoice(kinds=[NoticeKind.INPUT])
LOUD = ChannelChoice(quiet=False)


def facts(
    *, quiet: bool = False, page: bool = False, room: int = 0, settings: NoticeSettings | None = None
) -> Facts:
    return Facts(NOW, settings or NoticeSettings(), MORNING if quiet else None, page, room)


def wanted(
    kind: NoticeKind = NoticeKind.APPROVAL,
    channel: NoticeChannel = NoticeChannel.PUSH,
    *,
    until: int = NOW + 1,
    over: NoticeReason | None = None,
) -> Wanted:
    return Wanted(kind, channel, until, over)


@pytest.mark.parametrize(
    ("notice", "so", "verdict"),
    [
        (wanted(), facts(), SEND),
        (wanted(until=NOW), facts(), Verdict("drop", "expired")),
        (wanted(over="answered"), facts(page=True), Verdict("drop", "answered")),
        (wanted(over="answered", until=NOW), facts(), Verdict("drop", "expired")),
        (wanted(), facts(page=True), Verdict("hold", "page_open", AGAIN)),
        (wanted(), facts(page=True, settings=NoticeSettings(while_open=True)), SEND),
        (wanted(), facts(quiet=True), Verdict("hold", "quiet_hours", MORNING)),
        (wanted(), facts(quiet=True, settings=NoticeSettings(push=LOUD)), SEND),
        (wanted(), facts(settings=NoticeSettings(push=OFF)), Verdict("drop", "switched_off")),
        (wanted(), facts(settings=NoticeSettings(push=ONLY_INPUT)), Verdict("drop", "switched_off")),
        (wanted(NoticeKind.INPUT), facts(settings=NoticeSettings(push=ONLY_INPUT)), SEND),
        (wanted(), facts(settings=NoticeSettings(webhook=OFF)), SEND),
        (wanted(), facts(room=ROOM), SEND),
        (wanted(channel=NoticeChannel.EMAIL), facts(room=ROOM), Verdict("hold", "email_limit", ROOM)),
        (wanted(channel=NoticeChannel.EMAIL), facts(room=NOW), SEND),
    ],
)
def test_the_first_reason_counts(notice: Wanted, so: Facts, verdict: Verdict) -> None:
    assert judge(notice, so, AGAIN) == verdict


@pytest.mark.parametrize(("quiet", "page", "off"), list(itertools.product([True, False], repeat=3)))
def test_a_test_goes_out_whatever_is_set(quiet: bool, page: bool, off: bool) -> None:
    settings = NoticeSettings(push=OFF) if off else NoticeSettings()
    assert judge(wanted(NoticeKind.TEST), facts(quiet=quiet, page=page, settings=settings), AGAIN) == SEND


def test_a_test_by_mail_keeps_to_the_limit_of_mails() -> None:
    notice = wanted(NoticeKind.TEST, NoticeChannel.EMAIL)
    assert judge(notice, facts(room=ROOM), AGAIN) == Verdict("hold", "email_limit", ROOM)
