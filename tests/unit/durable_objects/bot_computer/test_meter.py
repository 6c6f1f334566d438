"""The meter, and the ledger behind it: every running second is charged once, whatever happens."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.allowance import Account, Interval
from contracts.limits import SETTLE_SECONDS, SETTLE_SECONDS_MAX
from contracts.states import ComputerState as S
from durable_objects.bot_computer.lifecycle import START_FAILED, STOPPED_UNEXPECTEDLY, Machine
from durable_objects.bot_computer.meter import Meter, Seat
from durable_objects.bot_computer.schema import SCHEMA
from durable_objects.bot_owner.billing.allowance import Allowance
from durable_objects.bot_owner.billing.days import HOUR_MS
from durable_objects.bot_owner.billing.prices import Prices
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.schema import SCHEMA as OWNER_SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import SqliteSql, migrate
from tests.unit.durable_objects.conftest import Clock

PRICE = 74_000
CHAT, ROUTINE = (
    Account(thread_id="t1", call_id="c1"),
    Account(attribution="routine:r1", thread_id="t2", call_id="c2"),
)


def price(from_ms: int, to_ms: int) -> int:
    return PRICE * to_ms // HOUR_MS - PRICE * from_ms // HOUR_MS


def union(times: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The times joined: no moment is in two of them."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(times):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


@dataclass
class World:
    """A machine that really runs or does not, the object beside it, and the owner's ledger."""

    clock: Clock = field(default_factory=lambda: Clock(1_774_742_370_000))  # close to a change of clocks
    machine: Machine = field(default_factory=Machine)
    really_runs: bool = False
    seats: list[Seat] = field(default_factory=list)
    ran: list[tuple[int, int]] = field(default_factory=list)
    """When the machine was seen to run, and that was written down."""
    seen: list[tuple[int, int]] = field(default_factory=list)
    """The same, and known to this object's memory only."""
    mark: int = 0

    def __post_init__(self) -> None:
        chance = iter(range(1, 10**9))
        self.sql, self.owner_sql = SqliteSql(), SqliteSql()
        migrate(self.sql, SCHEMA)
        migrate(self.owner_sql, OWNER_SCHEMA)
        self.context = Context(self.sql, self.clock, lambda n: next(chance).to_bytes(n, "big"))
        owner = Context(self.owner_sql, self.clock, lambda n: next(chance).to_bytes(n, "big"))
        self.meter = Meter(self.context)
        self.allowance = Allowance(owner, Catalog(owner), Prices(PRICE))
        self.allowance.set_time_zone("Europe/Berlin")

    def move(self, state: S, reason: str | None = None) -> None:
        before = self.machine
        generation = before.generation + (state == S.STARTING)
        self.machine = Machine(state, generation, since_ms=self.clock(), reason=reason)
        self.meter.moved(before, self.machine)

    def sign(self) -> None:
        """What the meter is to take the machine to have run for by now."""
        if self.machine.state == S.RUNNING:
            now = max(self.mark, self.clock())
            self.seen.append((self.mark, now))
            self.mark = now

    def written(self) -> None:
        self.ran += self.seen
        self.seen = []

    def start(self) -> None:
        if self.machine.state == S.STANDBY:
            seat = self.meter.wait(CHAT)
            self.move(S.STARTING)
            self.mark = max(self.mark, self.clock())
            self.clock.pass_seconds(1)
            self.move(S.RUNNING)
            self.really_runs = True
            self.sign()
            self.meter.use(seat)
            self.seats.append(seat)

    def fail(self) -> None:
        if self.machine.state == S.STANDBY:
            self.move(S.STARTING)
            self.mark = max(self.mark, self.clock())
            self.clock.pass_seconds(5)
            self.move(S.STANDBY, START_FAILED)

    def begin(self, account: Account) -> None:
        if self.really_runs:
            seat = self.meter.wait(account)
            self.meter.use(seat)
            self.sign()
            self.seats.append(seat)

    def end(self) -> None:
        if self.seats and self.really_runs:
            self.meter.heard()
            self.sign()
            self.meter.leave(self.seats.pop())
            self.written()

    def minute(self) -> None:
        if self.really_runs:
            self.meter.heard()
            self.sign()
            self.meter.settle()
            self.written()

    def hear(self) -> None:
        if self.really_runs:
            self.meter.heard()
            self.sign()

    def vanish(self) -> None:
        """The machine goes without a word."""
        self.really_runs = False

    def sleep(self) -> None:
        if self.machine.state == S.RUNNING and not self.really_runs:
            self.move(S.STANDBY, STOPPED_UNEXPECTEDLY)
        elif self.machine.state == S.RUNNING:
            self.sign()
            self.move(S.STANDBY)
            self.really_runs = False
        else:
            return
        self.written()
        for seat in self.seats:
            self.meter.leave(seat)
        self.seats = []

    def die(self) -> None:
        """The object loses its memory, and what only that knew is nobody's."""
        self.meter, self.seats = Meter(self.context), []
        if self.seen:
            self.mark = self.seen[0][0]
            self.seen = []
        if self.machine.state == S.RUNNING and not self.really_runs:
            self.move(S.STANDBY, STOPPED_UNEXPECTEDLY)
        elif self.machine.state == S.RUNNING:
            self.meter.adopt(self.machine)
            self.hear()

    def deliver(self, *, answered: bool) -> None:
        intervals, last = self.meter.outbox()
        self.allowance.settle(intervals)
        if answered:
            self.meter.delivered(intervals, last)

    def debits(self) -> int:
        return self.allowance.ledger.spent("")


STEPS = st.sampled_from(
    [
        *("start", "start", "fail", "chat", "routine", "end", "end", "minute", "hear", "hear"),
        *("vanish", "sleep", "die", "lost", "told", "back", "ahead"),
    ]
)
HISTORY = st.lists(st.tuples(STEPS, st.integers(0, 20_000)), max_size=50)


@given(history=HISTORY)
def test_what_is_charged_is_the_union_of_running_time_each_moment_once(
    history: list[tuple[str, int]],
) -> None:
    world = World()
    doing = {
        "chat": lambda: world.begin(CHAT),
        "routine": lambda: world.begin(ROUTINE),
        "lost": lambda: world.deliver(answered=False),
        "told": lambda: world.deliver(answered=True),
        "back": lambda: world.clock.pass_seconds(-600),
        "ahead": lambda: world.clock.pass_seconds(60),
    }
    world.start()
    for what, ms in history:
        world.clock.ms += ms
        (doing.get(what) or getattr(world, what))()
    world.sleep()
    world.deliver(answered=False)
    world.deliver(answered=True)
    ran = union(world.ran)
    assert world.debits() == sum(price(*times) for times in ran)
    rows = world.owner_sql.execute(
        "SELECT SUM(ms) AS ms, SUM(micro) AS micro FROM ledger WHERE kind = 'computer'"
    )
    assert (rows[0]["ms"] or 0) == sum(end - start for start, end in ran)
    assert world.meter.outbox() == ([], 0)
    assert world.meter.unsettled_ms == 0
    # What the platform is told is the same money, by hours.
    hours = world.owner_sql.execute("SELECT COALESCE(SUM(micro), 0) AS micro FROM spent_hours")
    assert hours[0]["micro"] == world.debits()


@pytest.fixture
def world() -> World:
    return World()


def charged(world: World) -> list[Interval]:
    return world.meter.outbox()[0]


def test_four_at_once_cost_one_machine_and_share_it(world: World) -> None:
    world.start()
    world.end()
    world.clock.pass_seconds(10)
    begun = world.clock()
    for number in range(4):
        world.begin(Account(thread_id="t1", call_id=f"p{number}"))
    world.clock.pass_seconds(36)
    for _ in range(4):
        world.end()
    world.deliver(answered=True)
    rows = world.owner_sql.execute(
        "SELECT SUM(ms) AS ms, -SUM(micro) AS micro FROM ledger WHERE call_id LIKE 'p%' GROUP BY call_id"
    )
    assert [row["ms"] for row in rows] == [9_000] * 4
    assert sum(row["micro"] for row in rows) == price(begun, world.clock())


def test_who_alone_used_it_pays_also_for_the_time_behind(world: World) -> None:
    world.start()
    world.end()
    world.clock.pass_seconds(5)
    world.begin(ROUTINE)
    world.clock.pass_seconds(7)
    world.end()
    world.clock.pass_seconds(300)
    world.sleep()
    world.deliver(answered=True)
    rows = world.owner_sql.execute(
        "SELECT attribution, SUM(ms) AS ms FROM ledger WHERE kind = 'computer' GROUP BY attribution"
    )
    assert {row["attribution"]: row["ms"] for row in rows} == {"chat": 6_000, "routine:r1": 307_000}
    assert (
        world.allowance.routine_cost("r1", 0)
        == -world.owner_sql.execute(
            "SELECT SUM(micro) AS micro FROM ledger WHERE attribution = 'routine:r1'"
        )[0]["micro"]
    )


def test_used_together_with_the_chat_it_counts_as_chat(world: World) -> None:
    world.start()
    world.begin(ROUTINE)
    world.clock.pass_seconds(4)
    world.end()
    world.deliver(answered=True)
    rows = world.owner_sql.execute(
        "SELECT attribution, call_id, ms FROM ledger WHERE ms = 2000 ORDER BY call_id"
    )
    assert [(row["attribution"], row["call_id"]) for row in rows] == [("chat", "c1"), ("chat", "c2")]


def test_a_start_that_fails_costs_nothing(world: World) -> None:
    world.fail()
    assert charged(world) == []


def test_the_start_is_charged_to_who_needed_it(world: World) -> None:
    world.start()
    world.end()
    assert [(one.to_ms - one.from_ms, one.accounts) for one in charged(world)] == [(1_000, [CHAT])]


def test_a_machine_that_vanished_is_charged_to_its_last_sign_of_life(world: World) -> None:
    world.start()
    world.clock.pass_seconds(20)
    world.hear()
    world.vanish()
    world.clock.pass_seconds(40)
    world.sleep()
    assert sum(one.to_ms - one.from_ms for one in charged(world)) == 21_000


def test_a_long_command_is_written_down_each_minute(world: World) -> None:
    world.start()
    begun = world.clock() - 1_000
    for _ in range(SETTLE_SECONDS - 2):
        world.clock.pass_seconds(1)
        world.hear()
        world.meter.settle_long()
    assert charged(world) == []
    world.clock.pass_seconds(1)
    world.hear()
    world.meter.settle_long()
    assert [(one.from_ms, one.to_ms) for one in charged(world)] == [(begun, begun + SETTLE_SECONDS * 1000)]


def test_a_clock_that_jumps_is_believed_up_to_an_hour(world: World) -> None:
    world.start()
    world.end()
    world.clock.pass_seconds(SETTLE_SECONDS_MAX)
    world.minute()
    assert charged(world)[-1].to_ms - charged(world)[-1].from_ms == SETTLE_SECONDS_MAX * 1000
    world.clock.pass_seconds(SETTLE_SECONDS_MAX + 1)
    world.minute()
    assert charged(world)[-1].to_ms - charged(world)[-1].from_ms == SETTLE_SECONDS_MAX * 1000
    assert charged(world)[-1].to_ms == world.clock()


def test_a_clock_that_went_back_between_two_starts_charges_no_moment_twice(world: World) -> None:
    world.start()
    world.clock.pass_seconds(60)
    world.sleep()
    first = charged(world)[-1].to_ms
    world.clock.pass_seconds(-50)
    world.start()
    world.clock.pass_seconds(80)
    world.sleep()
    assert charged(world)[-1].to_ms == first + 31_000
    assert sum(one.to_ms - one.from_ms for one in charged(world)) == 61_000 + 31_000


def test_a_clock_that_goes_back_takes_nothing_from_what_was_heard(world: World) -> None:
    world.start()
    world.clock.pass_seconds(30)
    world.hear()
    world.clock.pass_seconds(-20)
    world.hear()
    world.end()
    assert sum(one.to_ms - one.from_ms for one in charged(world)) == 31_000


def test_a_machine_from_before_the_meter_is_counted_from_now_on(world: World) -> None:
    world.machine = Machine(S.RUNNING, 4, since_ms=world.clock() - 50_000)
    world.meter.adopt(world.machine)
    world.really_runs = True
    world.clock.pass_seconds(3)
    world.minute()
    assert sum(one.to_ms - one.from_ms for one in charged(world)) == 3_000
