"""The owner's allowance: what each month and the operator grant, what machines and models take, and
whether the computer may be used.

A month's grant holds for its month: what is left of it goes when the next one comes, and what was granted
once stays. What is running may overdraw; the debt is taken from the next grant. Nothing happens at midnight:
the month is turned by whoever looks first.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC

from contracts.allowance import CHAT, ROUTINE_PREFIX, Account, Exhausted, GrantCreate, Interval
from contracts.allowance import Allowance as AllowanceRecord
from contracts.errors import BerthError, ErrorCode
from contracts.records import Usage
from durable_objects.bot_owner.billing.days import DEFAULT_ZONE, Calendar, utc_hour, zone_of
from durable_objects.bot_owner.billing.ledger import Entry, Ledger
from durable_objects.bot_owner.billing.prices import Prices
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

TIME_ZONE = "time_zone"
MONTH = "allowance_month"
DAY_MS = 86_400_000

OnExhausted = Callable[[Exhausted], None]
"""Called once each time the balance falls to nothing, inside the transaction that took it."""
Charge = Callable[[Row, str, Row, Usage | None], None]
"""(run, what names the answer among the run's, the bot that was asked, its tokens)"""


class Allowance:
    def __init__(
        self,
        context: Context,
        catalog: Catalog,
        prices: Prices,
        *,
        on_exhausted: OnExhausted = lambda _facts: None,
    ) -> None:
        self._sql = context.sql
        self._now_ms = context.now_ms
        self._catalog = catalog
        self.prices = prices
        self.ledger = Ledger(context)
        self._on_exhausted = on_exhausted

    @property
    def time_zone(self) -> str:
        return self._catalog.setting(TIME_ZONE, DEFAULT_ZONE)

    @property
    def chosen_zone(self) -> str | None:
        """The zone that the owner has set, if they have."""
        return self._catalog.setting(TIME_ZONE, "") or None

    @property
    def calendar(self) -> Calendar:
        return Calendar(zone_of(self.time_zone))

    @property
    def today(self) -> str:
        return self.calendar.day(self._now_ms())

    def set_time_zone(self, name: str) -> None:
        """From now on: what is written keeps its day. Raises `invalid_request`."""
        zone_of(name)
        self._catalog.set_setting(TIME_ZONE, name)

    def balance(self) -> int:
        self._turn_month()
        return self.ledger.balance()

    def check(self) -> None:
        """Whether the computer may be woken and used. Raises `computer_allowance_exhausted`."""
        if self.balance() > 0:
            return
        facts = self._facts()
        resets = self.calendar.day(facts.resets_ms)
        raise BerthError(
            ErrorCode.COMPUTER_ALLOWANCE_EXHAUSTED,
            f"The platform allowance is used up, so the computer cannot be used. The next begins on {resets}."
            " The conversation goes on, and files that were handed over can be had.",
            retry_after_s=max(1.0, (facts.resets_ms - self._now_ms()) / 1000),
            details=facts.model_dump(),
        )

    def grant(self, wanted: GrantCreate) -> None:
        """Grant once; the same id again grants nothing."""
        entry = Entry(f"grant:once:{wanted.id}", "once", wanted.micro, self.today)
        self._sql.transaction(lambda: self.ledger.add(entry))

    def settle(self, intervals: list[Interval]) -> None:
        """Charge times for which the machine ran; those that were charged before cost nothing more."""

        each = {(one.instance, one.from_ms, one.to_ms): one for one in intervals}
        entries = [entry for interval in each.values() for entry in self._entries(interval)]
        hours: dict[int, int] = {}
        for entry in entries:
            hour = utc_hour(entry.from_ms or 0)
            hours[hour] = hours.get(hour, 0) - entry.micro

        def write() -> None:
            self.ledger.add(*entries)
            self._sql.run(
                "INSERT INTO spent_hours (hour, micro) SELECT value ->> 0, value ->> 1 FROM json_each(?)"
                " WHERE true ON CONFLICT (hour) DO UPDATE SET micro = micro + excluded.micro",
                json.dumps(list(hours.items())),
            )

        if entries:
            self._debit(write)

    def _entries(self, interval: Interval) -> Iterator[Entry]:
        """What an interval adds to the ledger: a row for each piece of time and each of its users."""
        key = f"computer:{interval.instance}:{interval.from_ms}-{interval.to_ms}"
        # The zone may have changed since it came for the first time, and with it how it is cut.
        if interval.from_ms >= interval.to_ms or self.ledger.has(key):
            return
        shares = [self._share(account) for account in interval.accounts or [Account()]]
        attributions = {share.attribution for share in shares}
        attribution = attributions.pop() if len(attributions) == 1 else CHAT
        calendar, part = self.calendar, 0
        for from_ms, to_ms in calendar.pieces(interval.from_ms, interval.to_ms):
            micro, day = self.prices.computer(from_ms, to_ms), calendar.day(from_ms)
            costs, times = _divided(micro, len(shares)), _divided(to_ms - from_ms, len(shares))
            for share, cost, ms in zip(shares, costs, times, strict=True):
                yield replace(
                    share,
                    key=f"{key}#{part}" if part else key,
                    micro=-cost,
                    day=day,
                    from_ms=from_ms,
                    to_ms=to_ms,
                    ms=ms,
                    attribution=attribution,
                )
                part += 1

    def _share(self, account: Account) -> Entry:
        return Entry(
            "",
            "computer",
            0,
            "",
            attribution=account.attribution,
            bot_id=self._bot_of(account.thread_id),
            thread_id=account.thread_id,
            run_id=account.run_id,
            call_id=account.call_id,
        )

    def _bot_of(self, thread_id: str) -> str:
        # A thread that was removed keeps its row.
        rows = self._sql.execute("SELECT bot_id FROM threads WHERE id = ?", thread_id)
        return str(rows[0]["bot_id"]) if rows else ""

    def charge_model(self, run: Row, key: str, bot: Row, usage: Usage | None) -> None:
        """Charge an answer to its run; `key` names it among the run's. Free with a key of the owner's own.

        Inside a transaction of the caller, with what the answer left.
        """
        if usage is None:
            return
        own = bool(bot["api_key"] or bot["base_url"])
        cost = 0 if own else self.prices.model(bot["provider"], bot["model"], usage)
        entry = Entry(
            f"model:{run['id']}:{key}",
            "model",
            -cost,
            self.today,
            attribution=attribution_of(run),
            bot_id=run["bot_id"],
            thread_id=run["thread_id"],
            run_id=run["id"],
            model=f"{bot['provider']}:{bot['model']}",
            input_tokens=usage.input,
            output_tokens=usage.output,
            own_key=int(own),
        )
        self._debit(lambda: self.ledger.add(entry))

    def _debit(self, write: Callable[[], object]) -> None:
        before = self.balance()
        self._sql.transaction(write)
        if before > 0 >= self.ledger.balance():
            self._on_exhausted(self._facts())

    def _turn_month(self) -> None:
        """Grant this month's allowance, once, and take back what is left of the month before."""
        calendar = self.calendar
        month, before = calendar.month(self._now_ms()), self._catalog.setting(MONTH, "")
        # A clock that goes back, or a zone behind the last one, does not bring the old month back.
        if month <= before:
            return
        today = calendar.day(self._now_ms())

        def turn() -> None:
            if before:
                left = self.ledger.sum(("month",), before) - self.ledger.spent(before)
                gone = min(left, self.ledger.balance())
                if gone > 0:
                    self.ledger.add(Entry(f"expired:{before}", "expired", -gone, today))
            self.ledger.add(Entry(f"grant:month:{month}", "month", self.prices.monthly_micro, today))
            self._catalog.set_setting(MONTH, month)

        self._sql.transaction(turn)

    def _facts(self) -> Exhausted:
        now = self._now_ms()
        calendar = self.calendar
        return Exhausted(
            balance_micro=self.ledger.balance(),
            spent_micro=self.ledger.spent(calendar.month(now)),
            monthly_micro=self.prices.monthly_micro,
            resets_ms=self._resets_ms(calendar, now),
            time_zone=self.time_zone,
        )

    def _resets_ms(self, calendar: Calendar, now: int) -> int:
        """When a month begins that has brought no grant yet: a zone further east may have begun the next."""
        begins, granted = calendar.next_month_ms(now), self._catalog.setting(MONTH, "")
        while calendar.month(begins) <= granted:
            begins = calendar.next_month_ms(begins)
        return begins

    def shown(self) -> AllowanceRecord:
        balance, facts = self.balance(), self._facts()
        month = self.calendar.month(self._now_ms())
        return AllowanceRecord(
            **facts.model_dump(),
            month=month,
            granted_micro=self.ledger.sum(("month",), month),
            once_micro=self.ledger.sum(("once",), ""),
            exhausted=balance <= 0,
            prices=self.prices.table(),
        )

    def routine_cost(self, routine_id: str, since_ms: int) -> int:
        """What a routine was charged since then, in micro-dollars, its machine's idle time included."""
        # A zone is behind UTC by less than a day, and no row is longer than an hour.
        first_day = Calendar(UTC).day(since_ms - DAY_MS)
        return self.ledger.spent_by_routine(f"{ROUTINE_PREFIX}{routine_id}", first_day, since_ms)


def attribution_of(run: Row) -> str:
    """What a run's use is counted to: its routine, where it is one of a routine's."""
    routine_id = run.get("routine_id")
    return f"{ROUTINE_PREFIX}{routine_id}" if routine_id else CHAT


def _divided(whole: int, parts: int) -> list[int]:
    """Equal shares of a whole number; what cannot be divided goes to the first ones."""
    share, rest = divmod(whole, parts)
    return [share + (index < rest) for index in range(parts)]
