"""What a run of a routine may do and take: its switches, its minutes, its cost. Runs of the chat pass.

The switches are read as they are now, so that what is turned off is off at the next call.
"""

from collections.abc import Callable
from decimal import Decimal

from contracts.limits import ROUTINE_WAIT_SECONDS
from contracts.routines import RoutineSettings
from contracts.states import RunState
from contracts.tools import COMPUTER_TOOLS
from contracts.trading import Intent, TradingRules
from durable_objects.bot_owner.plan import ROUTINE_COST, ROUTINE_MONTH, ROUTINE_TIME, End
from durable_objects.bot_owner.routines.costs import Costs
from durable_objects.bot_owner.routines.rows import RoutineRows, settings_of
from durable_objects.bot_owner.routines.schedule import month_began
from durable_objects.bot_owner.venue.intents import lines_there
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row
from durable_objects.shared.timers import Timers

TIMER = "routine_run"
DAY_MS = 86_400_000
WAITS = frozenset({RunState.WAITING_APPROVAL, RunState.WAITING_INPUT, RunState.WAITING_TAKEOVER})
CLOSED = "routine_no_computer"

Charged = Callable[[str, int], int]
"""(routine id, since when in ms) -> micro-dollars that the ledger has for it"""


class RunBounds:
    def __init__(
        self, context: Context, rows: RoutineRows, costs: Costs, timers: Timers, charged: Charged
    ) -> None:
        self._context = context
        self._sql = context.sql
        self._rows = rows
        self._costs = costs
        self._timers = timers
        self._charged = charged

    def over(self, run: Row) -> End | None:
        """The end of a run that has reached a limit. Its minutes begin with the first look."""
        if run["routine_id"] is None:
            return None
        if run["over"]:
            return End(RunState.FAILED, run["over"])
        row, now = self._rows.find(run["routine_id"]), self._context.now_ms()
        if row is None:
            return End(RunState.STOPPED)
        limits = settings_of(row).limits
        if run["until_ms"] is None:
            self._begin(run["id"], now + limits.minutes * 60_000)
        elif now >= run["until_ms"]:
            return End(RunState.FAILED, ROUTINE_TIME)
        if self._costs.of_run(run["id"]) >= limits.run_microdollars:
            return End(RunState.FAILED, ROUTINE_COST)
        spent = self.spent(row)
        return End(RunState.FAILED, ROUTINE_MONTH) if spent >= limits.month_microdollars else None

    def spent(self, row: Row) -> int:
        """What a routine costs since its month began: its runs, those under way included.

        Or what it was charged, where that is more: behind each run the computer stays awake on its account.
        """
        under_way = sum(self._costs.of_run(run["id"]) for run in self._rows.unfinished(row["id"]))
        charged = self._charged(row["id"], self._month_ms(row))
        return max(under_way + self._ended(row), charged)

    def _month_ms(self, row: Row) -> int:
        return month_began(settings_of(row).zone, self._context.now_ms())

    def _ended(self, row: Row) -> int:
        return int(row["month_spent"]) if row["month_ms"] == self._month_ms(row) else 0

    def ended(self, run: Row) -> None:
        """A run of a routine has ended, inside a write: its cost is final."""
        row, cost = self._rows.find(run["routine_id"]), self._costs.of_run(run["id"])
        if row is None:
            return
        spent = self._ended(row) + cost
        self._rows.change(row["id"], month_ms=self._month_ms(row), month_spent=spent)
        self._rows.cost(run["id"], cost)

    def cost(self, run_id: str) -> int:
        return self._costs.of_run(run_id)

    def _begin(self, run_id: str, until_ms: int) -> None:
        def begun() -> None:
            self._sql.run("UPDATE runs SET until_ms = ? WHERE id = ?", until_ms, run_id)
            self._timers.by(TIMER, until_ms, run_id)

        self._sql.transaction(begun)

    def late(self, run_id: str) -> Row | None:
        """The run, where its time is over and it has to be stopped: marked so. Else its timer goes on."""
        rows = self._sql.execute("SELECT * FROM unfinished_runs WHERE id = ?", run_id)
        if not rows:
            return None
        run = rows[0]
        if RunState(run["state"]) in WAITS:
            # It may wait for a person for long, and gets its minutes anew when it goes on.
            end = run["updated_ms"] + ROUTINE_WAIT_SECONDS * 1000
        else:
            end = run["until_ms"]
        if end is None:
            return None
        if self._context.now_ms() < end:
            self._timers.by(TIMER, end, run_id)
            return None
        return self._sql.execute("UPDATE runs SET over = ? WHERE id = ? RETURNING *", ROUTINE_TIME, run_id)[0]

    def refused(self, run: Row, tool: str) -> str:
        """Why the run may not use a tool, as a reason of `contracts/reasons.py`; empty where it may."""
        if run["routine_id"] is None or tool not in COMPUTER_TOOLS:
            return ""
        settings = self._settings(run)
        return "" if settings and settings.computer else CLOSED

    def orders(self, run_id: str, besides: str) -> tuple[TradingRules, Decimal] | None:
        """What a routine's run may order by itself, and what the routine did since midnight, UTC, beside one
        intent.

        None for a run that is no routine's.
        """
        rows = self._sql.execute("SELECT * FROM runs WHERE id = ? AND routine_id IS NOT NULL", run_id)
        if not rows:
            return None
        settings = self._settings(rows[0])
        rules = settings.orders if settings else TradingRules()
        return rules, self._ordered_today(rows[0]["routine_id"], besides)

    def _ordered_today(self, routine_id: str, besides: str) -> Decimal:
        now = self._context.now_ms()
        rows = self._sql.execute(
            "SELECT record FROM intents JOIN runs ON runs.id = intents.run_id WHERE runs.routine_id = ?"
            " AND record ->> '$.by' = 'rule' AND record ->> '$.created_ms' >= ? AND intents.id != ?",
            routine_id,
            now - now % DAY_MS,
            besides,
        )
        intents = [Intent.model_validate_json(row["record"]) for row in rows]
        return sum((Decimal(line.notional) for line in lines_there(intents)), Decimal(0))

    def _settings(self, run: Row) -> RoutineSettings | None:
        row = self._rows.find(run["routine_id"])
        return settings_of(row) if row else None
