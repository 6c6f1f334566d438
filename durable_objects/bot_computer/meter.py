"""The meter of one machine: from when to when it ran, and who used it, until the owner's ledger has it.

`settled_ms` is how far its time was counted in intervals; it only grows, whatever the clock does, so no time
is counted twice. An interval ends wherever somebody begins or ends using the machine, so that within one the
users are the same; while nobody does, it is theirs who used it last. Written down is it at the end of each
use: an object that dies before counts on from what is written, for whom it was then. A start that fails
costs nothing, and a machine that went unseen is charged up to its last sign of life.
"""

import json
from dataclasses import dataclass

from contracts.allowance import Account, Interval
from contracts.limits import SETTLE_SECONDS, SETTLE_SECONDS_MAX
from contracts.states import ComputerState
from durable_objects.bot_computer.lifecycle import STOPPED_UNEXPECTEDLY, Machine
from durable_objects.shared.context import Context

BATCH = 100


@dataclass
class Seat:
    """One use of the machine, from before its wake to its end."""

    account: Account
    taken: bool = False


class Meter:
    """A start is written down before it begins; this object is its tables' only writer."""

    def __init__(self, context: Context) -> None:
        self._sql = context.sql
        self._now_ms = context.now_ms
        self._seats: list[Seat] = []
        rows = self._sql.execute("SELECT * FROM meter")
        self._instance = str(rows[0]["instance"]) if rows else ""
        self._settled_ms = int(rows[0]["settled_ms"]) if rows else 0
        self._runs = bool(rows and rows[0]["runs"])
        stored = json.loads(rows[0]["accounts"]) if rows else []
        self._accounts = [Account.model_validate(one) for one in stored]
        self._counted: list[Interval] = []
        self._alive_ms = self._settled_ms
        waiting = self._sql.execute("SELECT COALESCE(SUM(ms), 0) AS ms FROM settlements")
        self.unsettled_ms = int(waiting[0]["ms"])
        """Of machine time that the ledger has not been told of."""

    def moved(self, before: Machine, after: Machine) -> None:
        """The machine's state has changed."""
        match before.state, after.state:
            case _, ComputerState.STARTING:
                # The time tells it from the same number of a computer that was deleted before.
                self._instance = f"{after.generation}.{after.since_ms}"
                self._settled_ms = self._alive_ms = max(self._settled_ms, self._now_ms())
                self._accounts = [seat.account for seat in self._seats]
                self._save()
            case ComputerState.STARTING, ComputerState.RUNNING:
                self._runs = True
                self.heard()
                self._save()
            case ComputerState.RUNNING, ComputerState.STANDBY:
                if after.reason != STOPPED_UNEXPECTEDLY:
                    self.heard()
                self.settle()
                self._close()
            case ComputerState.STARTING, ComputerState.STANDBY:
                self._close()

    def adopt(self, machine: Machine) -> None:
        """A machine that runs and has never been counted is counted from now on."""
        if machine.state == ComputerState.RUNNING and not self._runs:
            self._instance = f"{machine.generation}.{machine.since_ms}"
            self._settled_ms = self._alive_ms = max(self._settled_ms, self._now_ms())
            self._runs = True
            self._save()

    def heard(self) -> None:
        """The machine has just given a sign of life."""
        self._alive_ms = max(self._alive_ms, self._now_ms())

    def wait(self, account: Account) -> Seat:
        """Somebody needs the machine. Where it does not run yet, its start is theirs."""
        seat = Seat(account)
        if not self._runs:
            self._take(seat)
        return seat

    def use(self, seat: Seat) -> None:
        """The machine runs for them from now on."""
        self.heard()
        if not seat.taken:
            self._count()
            self._take(seat)

    def leave(self, seat: Seat) -> None:
        """They have ended; what they used is written down."""
        self._count()
        if seat.taken:
            self._seats.remove(seat)
            self._name_users()
        self._write()

    def _take(self, seat: Seat) -> None:
        seat.taken = True
        self._seats.append(seat)
        self._name_users()

    def _name_users(self) -> None:
        # While nobody uses it, it stays with those who used it last.
        if self._seats:
            self._accounts = [seat.account for seat in self._seats]

    def settle(self) -> None:
        """Write down what ran up to the last sign of life."""
        self._count()
        self._write()

    def _count(self) -> None:
        to_ms = self._alive_ms
        if not self._runs or to_ms <= self._settled_ms:
            return
        # More than that no machine runs unseen: the clock was set.
        from_ms = max(self._settled_ms, to_ms - SETTLE_SECONDS_MAX * 1000)
        self._settled_ms = to_ms
        self._counted.append(
            Interval(instance=self._instance, from_ms=from_ms, to_ms=to_ms, accounts=self._accounts)
        )

    def _write(self) -> None:
        # Nothing comes in between: both are one transaction of this object.
        if not self._counted:
            return
        ms = sum(one.to_ms - one.from_ms for one in self._counted)
        intervals = json.dumps([one.model_dump() for one in self._counted])
        self._sql.run("INSERT INTO settlements (ms, intervals) VALUES (?, ?)", ms, intervals)
        self._counted = []
        self.unsettled_ms += ms
        self._save()

    def settle_long(self) -> None:
        """`settle`, where the last time was a minute ago: for a long command."""
        if self._alive_ms - self._settled_ms >= SETTLE_SECONDS * 1000:
            self.settle()

    def _close(self) -> None:
        self._runs, self._instance = False, ""
        self._save()

    def _save(self) -> None:
        self._sql.run(
            "INSERT OR REPLACE INTO meter (one, instance, runs, settled_ms, accounts) VALUES (1, ?, ?, ?, ?)",
            self._instance,
            int(self._runs),
            self._settled_ms,
            json.dumps([account.model_dump() for account in self._accounts]),
        )

    def outbox(self) -> tuple[list[Interval], int]:
        """The oldest intervals that the ledger does not have, and the number of the last row of them."""
        rows = self._sql.execute("SELECT n, intervals FROM settlements ORDER BY n LIMIT ?", BATCH)
        intervals = [Interval.model_validate(one) for row in rows for one in json.loads(row["intervals"])]
        return intervals, rows[-1]["n"] if rows else 0

    def delivered(self, intervals: list[Interval], last: int) -> None:
        """The ledger has these."""
        self._sql.run("DELETE FROM settlements WHERE n <= ?", last)
        self.unsettled_ms -= sum(interval.to_ms - interval.from_ms for interval in intervals)
