"""The desk of notices: takes occasions in, looks at what is due, and has it carried.

An occasion is written down in the transaction of the event that made it, so neither is there without the
other. What may interleave: events, settings and removals, at every await; a notice is judged in the same
breath as it is claimed, and its end counts only while its try is the newest.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from contracts.errors import BerthError, ErrorCode
from contracts.limits import (
    NOTICE_LEFT_SECONDS,
    NOTICE_LOOK_SECONDS,
    NOTICE_SENT_AT_ONCE,
    NOTICE_TESTS_AN_HOUR,
    NOTICE_TRIES,
)
from contracts.notices import NoticeChannel, NoticeDelivery, NoticeKind, NoticeReason, NoticeState
from contracts.reasons import because
from contracts.records import Record
from contracts.states import Locale
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.notices.carriers import (
    UNREACHABLE,
    Notice,
    Outcome,
    Parcel,
    Send,
    UnreachableError,
    outcome_of,
)
from durable_objects.bot_owner.notices.choices import NoticeChoices
from durable_objects.bot_owner.notices.judging import Facts, Verdict, Wanted, judge
from durable_objects.bot_owner.notices.mail import MailHook
from durable_objects.bot_owner.notices.mail_count import MailCount
from durable_objects.bot_owner.notices.occasions import WAITING, Occasion, occasion_of
from durable_objects.bot_owner.notices.outbox import Outbox, delivery
from durable_objects.bot_owner.notices.places import Places
from durable_objects.bot_owner.notices.quiet import quiet_until
from durable_objects.bot_owner.notices.words import words_of
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row, Value

log = logging.getLogger(__name__)

_THREAD = "SELECT 1 FROM threads WHERE id = ? AND deleted = 0"
_TITLE = "SELECT bot_id, title, title_by FROM threads WHERE id = ?"
_PENDING = "SELECT 1 FROM intents WHERE id = ? AND state = 'pending'"
_WAITS = "SELECT 1 FROM runs WHERE id = ? AND state = 'waiting_input' AND updated_ms = ?"
# Who has sent something since knows of the failure.
_LATER = """SELECT 1 FROM runs JOIN runs AS failed ON failed.thread_id = runs.thread_id
    WHERE failed.id = ? AND (runs.created_ms, runs.id) > (failed.created_ms, failed.id)"""


class Carrier(Protocol):
    """Makes a notice ready for a place of its channel. Raises ValueError where the place is none."""

    async def parcel(self, notice: Notice, place: Mapping[str, str]) -> Parcel: ...


@dataclass(frozen=True)
class PostOffice:
    """What a deployment has to send with; a channel that is not set up has no carrier."""

    send: Send
    carriers: Mapping[NoticeChannel, Carrier]
    hurry: Callable[[], None]
    """Has what is due sent soon, without waiting for it."""
    push_key: str | None = None
    """What browsers subscribe with."""
    mail: MailHook | None = None


class NoticeDesk:
    def __init__(
        self,
        context: Context,
        *,
        catalog: Catalog,
        places: Places,
        choices: NoticeChoices,
        office: PostOffice,
        page_open: Callable[[], bool],
        ring_by: Callable[[int], None],
    ) -> None:
        self._context = context
        self._sql = context.sql
        self._catalog = catalog
        self._places = places
        self._choices = choices
        self._office = office
        self._page_open = page_open
        self._ring_by = ring_by
        self._outbox = Outbox(context)
        self._mails = MailCount(context)

    def appended(self, thread_id: str, kind: str, data: Record) -> None:
        """An event of a thread, inside the write that appends it."""
        if occasion := occasion_of(thread_id, kind, data):
            self.occurred(occasion)

    def occurred(self, occasion: Occasion) -> None:
        """Something that the owner may want to know. Told twice it counts once; it does not wait."""
        settings = self._choices.settings
        if self._page_open() and not settings.while_open and occasion.kind not in WAITING:
            return  # they see it
        wanted = [
            place
            for place in self._places.all()
            if (choice := getattr(settings, place["channel"])).on and occasion.kind in choice.kinds
        ]
        new = [place for place in wanted if self._outbox.add(occasion, place)]
        if new:
            self._soon()

    def left(self) -> None:
        """The last page was closed: what waited for that is looked at soon, unless it comes back at once."""
        at = self._context.now_ms() + NOTICE_LEFT_SECONDS * 1000
        self._outbox.look_soon("page_open", at)
        self._remind()

    def changed(self) -> None:
        """The settings were changed: what they hold is looked at again."""
        self._outbox.look_soon(None, self._context.now_ms())
        self._soon()

    def place_removed(self, place_id: str) -> None:
        self._outbox.drop_of_place(place_id)

    async def sweep(self) -> None:
        """Send what is due, a few at a time, and ring for the rest."""
        try:
            while due := self._outbox.due(NOTICE_SENT_AT_ONCE):
                await asyncio.gather(*(self._carry(row) for row in self._claimed(due)))
        finally:
            self._outbox.forget()
            self._remind()

    async def test(self, channel: NoticeChannel) -> list[NoticeDelivery]:
        """Send a notice to the places of a channel now; returns what became of it."""
        if not self._places.of(channel):
            raise because(ErrorCode.NOT_FOUND, "notice_nowhere")
        if self._outbox.tests_in_an_hour() >= NOTICE_TESTS_AN_HOUR:
            raise because(ErrorCode.FORBIDDEN, "notice_tests_many", most=NOTICE_TESTS_AN_HOUR)
        event = self._context.new_id("test")
        for place in self._places.of(channel):
            self._outbox.add(Occasion(NoticeKind.TEST, event), place)
        claimed = self._claimed([row for row in self._outbox.of_event(event) if row["state"] == "pending"])
        await asyncio.gather(*(self._carry(row) for row in claimed))
        self._remind()
        return [delivery(row) for row in self._outbox.of_event(event)]

    def deliveries(self) -> list[NoticeDelivery]:
        return [delivery(row) for row in self._outbox.newest()]

    def _soon(self) -> None:
        self._remind()
        self._office.hurry()

    def _remind(self) -> None:
        if (due := self._outbox.next_ms()) is not None:
            self._ring_by(max(due, self._context.now_ms()))

    def _claimed(self, rows: list[Row]) -> list[Row]:
        """Judge each and claim those that go out; the others are held or dropped. None of them stays due."""
        again = self._context.now_ms() + NOTICE_LOOK_SECONDS * 1000
        facts = self._facts()
        claimed = []
        for row in rows:
            verdict = judge(self._wanted(row), facts, again)
            if taken := self._apply(row, verdict):
                claimed.append(taken)
                if row["channel"] == NoticeChannel.EMAIL:
                    facts = self._facts()
        return claimed

    def _apply(self, row: Row, verdict: Verdict) -> Row | None:
        if verdict.action == "drop":
            self._outbox.end(row, NoticeState.DROPPED, reason=verdict.reason, status=row["status"])
        elif verdict.action == "hold":
            self._outbox.hold(row, verdict.reason, verdict.until_ms)
        else:
            if row["channel"] == NoticeChannel.EMAIL:
                self._mails.tried("notice")
            return self._outbox.claim(row)
        return None

    def _facts(self) -> Facts:
        settings, now = self._choices.settings, self._context.now_ms()
        return Facts(
            now_ms=now,
            settings=settings,
            quiet_ms=quiet_until(now, settings.quiet, self._choices.time_zone),
            page_open=self._page_open(),
            email_room_ms=self._mails.room_ms(),
        )

    def _wanted(self, row: Row) -> Wanted:
        return Wanted(
            NoticeKind(row["kind"]), NoticeChannel(row["channel"]), row["until_ms"], self._over(row)
        )

    def _over(self, row: Row) -> NoticeReason | None:
        """Why a notice is not worth sending any more, if it is not."""
        if self._places.get(row["place_id"]) is None:
            return "place_gone"
        if row["thread_id"] and not self._there(_THREAD, row["thread_id"]):
            return "thread_gone"
        match row["kind"]:
            case NoticeKind.APPROVAL:
                wanted = self._there(_PENDING, row["subject"])
            case NoticeKind.INPUT:
                wanted = self._there(_WAITS, row["subject"], row["mark"])
            case NoticeKind.FAILURE:
                wanted = not self._there(_LATER, row["subject"])
            case _:
                wanted = True
        return None if wanted else "answered"

    def _there(self, query: str, *values: Value) -> bool:
        return bool(self._sql.execute(query, *values))

    async def _carry(self, row: Row) -> None:
        outcome = await self._outcome(row)
        if outcome.gone:
            self._places.remove(row["place_id"])
            self._outbox.end(row, outcome.state, reason=outcome.reason, status=outcome.status)
            self._outbox.drop_of_place(row["place_id"])
        elif outcome.state is NoticeState.PENDING and not _last(row):
            not_before = self._context.now_ms() + int(outcome.retry_after_s * 1000)
            self._outbox.again(row, outcome.reason or "refused", outcome.status, not_before)
        else:
            state = NoticeState.FAILED if outcome.state is NoticeState.PENDING else outcome.state
            self._outbox.end(row, state, reason=outcome.reason, status=outcome.status)
        if outcome.state is NoticeState.SENT:
            self._places.used(row["place_id"])

    async def _outcome(self, row: Row) -> Outcome:
        channel = NoticeChannel(row["channel"])
        carrier, place = self._office.carriers.get(channel), self._places.get(row["place_id"])
        if carrier is None or place is None:
            return Outcome(NoticeState.FAILED, "not_set_up" if place else "place_gone")
        try:
            parcel = await carrier.parcel(self._notice(row), await self._places.opened(place))
        except (BerthError, ValueError) as error:
            log.warning("where notice %s goes cannot be read: %s", row["id"], type(error).__name__)
            return Outcome(NoticeState.FAILED, "unreadable")
        try:
            return outcome_of(channel, await self._office.send(parcel.url, parcel.headers, parcel.body))
        except UnreachableError:
            return UNREACHABLE

    def _notice(self, row: Row) -> Notice:
        """As it is told now: names may have changed since, and may not be wanted any more."""
        bot, title = self._names(row)
        shown = title if self._choices.settings.titles else ""
        kind, locale = NoticeKind(row["kind"]), Locale(self._catalog.setting("locale", Locale.ENGLISH))
        return Notice(
            id=row["id"],
            event=row["event"],
            kind=kind,
            words=words_of(locale, kind, bot, shown),
            bot=bot,
            thread_id=row["thread_id"],
            thread_title=shown,
            base=self._choices.base,
            created_ms=row["created_ms"],
            now_ms=self._context.now_ms(),
            until_ms=row["until_ms"],
        )

    def _names(self, row: Row) -> tuple[str, str]:
        """(bot, title of the thread), as far as they are there. A title that is a message is none to tell."""
        threads = self._sql.execute(_TITLE, row["thread_id"])
        thread = threads[0] if threads else {"bot_id": row["bot_id"], "title": "", "title_by": "person"}
        bots = self._sql.execute("SELECT name FROM bots WHERE id = ?", thread["bot_id"])
        title = "" if thread["title_by"] == "message" else str(thread["title"])
        return (str(bots[0]["name"]) if bots else ""), title


def _last(row: Row) -> bool:
    return bool(row["kind"] == NoticeKind.TEST or row["tries"] >= NOTICE_TRIES)
