"""What becomes of routines by themselves: firing, overlap, limits, failures, deaths at every point."""

import pytest

from contracts.allowance import Account, Interval
from contracts.errors import BerthError, ErrorCode
from contracts.limits import (
    ROUTINE_HISTORY_KEPT,
    ROUTINE_MICRODOLLARS_MAX,
    ROUTINE_QUEUE_MAX,
    ROUTINE_RUNS_AT_ONCE,
    ROUTINE_WAIT_SECONDS,
    ROUTINES_MAX,
    RUNS_AT_ONCE,
)
from contracts.records import Usage
from contracts.states import RunState
from durable_objects.bot_owner.models.protocol import CallPart, EndPart, TextPart
from durable_objects.bot_owner.routines.costs import COST_MAX
from tests.unit.durable_objects.bot_owner.rig import ScriptedModel
from tests.unit.durable_objects.bot_owner.routines.routine_rig import MINUTE_MS, RoutineRig
from tests.unit.durable_objects.conftest import Clock

HTTP = {"kind": "http", "url": "https://a.example", "path": "$", "compare": "changed"}
EXEC = CallPart("computer__exec", {"command": "date"})


async def test_a_run_begins_with_the_prompt_in_a_thread_of_the_routine(owner: RoutineRig) -> None:
    routine = owner.routine(prompt="Look at the news.")
    await owner.pass_minutes(1)
    await owner.drive()
    (message, answer) = owner.thread_events(routine, "message.created")
    assert (message["text"], message["role"]) == ("Look at the news.", "user")
    assert message["routine"]["routine_id"] == routine.id
    assert message["routine"]["due_ms"] % MINUTE_MS == 0
    assert answer["text"] == "Done."
    thread = owner.owner.catalog.thread(routine.thread_id)
    assert (thread.title, thread.routine_id) == ("Watch", routine.id)
    (run,) = owner.runs(routine)
    assert (run["origin"], run["state"], run["round_limit"]) == ("routine", "done", 20)
    question = owner.questions()[0]
    assert "runs by itself" in question.news[0].full_text
    assert "computer is not available" in question.news[0].full_text


async def test_what_is_due_is_fired_once_however_late(owner: RoutineRig, clock: Clock) -> None:
    routine = owner.routine()
    clock.pass_seconds(3 * 3_600)
    owner.reborn()
    await owner.fire()
    await owner.fire()
    assert owner.outcomes(routine) == [("started", 1)]
    shown = owner.shown(routine)
    assert shown.last is not None
    assert shown.last.at_ms - shown.last.due_ms > 2 * 3_600_000
    assert 0 < (shown.next_ms or 0) - clock.ms <= MINUTE_MS


@pytest.mark.parametrize("death", ["before", "behind"])
async def test_a_death_while_it_fires_starts_no_second_run(owner: RoutineRig, death: str) -> None:
    routine = owner.routine(overlap="queue")
    timers, work = owner.owner.timers, owner.owner.work["routine"]
    owner.clock.ms = owner.rings[-1]
    (timer,) = timers.due()

    async def dies(key: str) -> None:
        if death == "behind":
            await work(key)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await timers.fire(timer, dies)
    owner.reborn()
    await owner.pass_minutes(2)
    due = [message["routine"]["due_ms"] for message in owner.thread_events(routine, "message.created")]
    assert len(due) == len(set(due)) == (2 if death == "before" else 3)


async def test_overlapping_runs_are_skipped_or_queued_up_to_a_limit(owner: RoutineRig) -> None:
    skips, queues = owner.routine(), owner.routine(overlap="queue")
    await owner.pass_minutes(ROUTINE_QUEUE_MAX + 1)
    assert owner.outcomes(skips) == [("started", 1), ("overlap", ROUTINE_QUEUE_MAX)]
    assert owner.outcomes(queues) == [("started", 1)] * (ROUTINE_QUEUE_MAX + 1)
    await owner.pass_minutes(1)
    assert owner.outcomes(queues)[-1] == ("overlap", 1)
    await owner.drive()
    assert [run["state"] for run in owner.runs(queues)] == ["done", *["queued"] * ROUTINE_QUEUE_MAX]


async def test_failures_in_a_row_pause_it_and_a_success_forgets_them(owner: RoutineRig) -> None:
    routine = owner.routine(limits={"failures": 2})
    for state in (RunState.FAILED, RunState.DONE, RunState.FAILED, RunState.STOPPED):
        await owner.pass_minutes(1)
        owner.end(routine, state)
    assert (owner.shown(routine).failures, owner.shown(routine).state) == (1, "active")
    await owner.pass_minutes(1)
    owner.end(routine, RunState.FAILED)
    shown = owner.shown(routine)
    assert (shown.state, shown.paused_by, shown.next_ms) == ("paused", "failures", None)
    told = owner.routine_notices
    assert [(one.kind, one.name, one.failures) for one in told] == [("paused", "Watch", 2)]
    assert [one["code"] for one in owner.thread_events(routine, "notice")] == ["routine_paused"]
    await owner.pass_minutes(5)
    assert len(owner.runs(routine)) == 5
    resumed = owner.owner.routines.resume(routine.id)
    assert (resumed.failures, resumed.state) == (0, "active")
    await owner.pass_minutes(1)
    assert len(owner.runs(routine)) == 6


async def test_once_is_finished_afterwards(owner: RoutineRig, clock: Clock) -> None:
    routine = owner.routine(schedule={"kind": "once", "at_ms": clock.ms + 5_000})
    clock.pass_seconds(5)
    await owner.fire()
    assert (owner.shown(routine).state, owner.shown(routine).next_ms) == ("finished", None)
    later = owner.settings(name="Later", schedule=routine.settings.schedule.model_dump())
    renamed = owner.owner.routines.change(routine.id, later)
    assert (renamed.settings.name, renamed.state) == ("Later", "finished")
    again = owner.owner.routines.change(routine.id, owner.settings())
    assert again.state == "active"


async def test_paused_it_does_nothing_and_resumed_it_makes_up_for_nothing(owner: RoutineRig) -> None:
    routine = owner.routine()
    owner.owner.routines.pause(routine.id)
    await owner.pass_minutes(10)
    assert owner.shown(routine).paused_by == "person"
    owner.owner.routines.resume(routine.id)
    await owner.fire()
    assert owner.runs(routine) == []
    await owner.pass_minutes(1)
    assert len(owner.runs(routine)) == 1


async def test_a_change_while_its_check_is_looked_at_decides_anew(owner: RoutineRig) -> None:
    url = "https://a.example/x"
    check = {"kind": "http", "url": url, "path": "$", "compare": "equals", "value": "1"}
    routine = owner.routine(checks=[check])
    asked: list[str] = []

    async def changed_meanwhile(asked_url: str) -> bytes:
        asked.append(asked_url)
        owner.owner.routines.change(routine.id, owner.settings(prompt="Other."))
        return b"1"

    owner.owner.routines._firing._get = changed_meanwhile
    await owner.tick()
    assert owner.runs(routine) == []
    await owner.fire()
    (message,) = owner.thread_events(routine, "message.created")
    assert message["text"] == "Other."
    assert len(asked) == 1


async def test_run_now_is_once_a_client_id_and_passes_checks_and_a_pause(owner: RoutineRig) -> None:
    routine = owner.routine(checks=[{"kind": "window", "days": [0], "first": "00:00", "end": "00:01"}])
    owner.owner.routines.pause(routine.id)
    first = owner.owner.routines.run_now(routine.id, "run-now-0001")
    assert owner.owner.routines.run_now(routine.id, "run-now-0001") == first
    assert (first.by, first.run and first.run.routine_id) == ("person", routine.id)
    with pytest.raises(BerthError, match="not ended") as caught:
        owner.owner.routines.run_now(routine.id, "run-now-0002")
    assert caught.value.code is ErrorCode.ROUTINE_LIMIT
    owner.end(routine)
    assert owner.owner.routines.run_now(routine.id, "run-now-0002").id != first.id
    other = owner.routine()
    with pytest.raises(BerthError, match="something else"):
        owner.owner.routines.run_now(other.id, "run-now-0001")


async def test_the_time_of_a_run_is_over_while_it_works(owner: RoutineRig) -> None:
    routine = owner.routine(limits={"minutes": 2}, computer=True)
    await owner.tick()

    def slow(_question: object) -> list[CallPart]:
        owner.clock.ms += 2 * MINUTE_MS
        return [EXEC]

    owner.model = ScriptedModel(slow, [TextPart("Done.")])
    await owner.go_on()
    (run,) = owner.runs(routine)
    assert (run["state"], run["reason"]) == ("failed", "routine_time")
    assert owner.computer.executed == []
    assert owner.shown(routine).failures == 1


async def test_the_time_of_a_run_does_not_pass_while_it_waits_for_a_person(owner: RoutineRig) -> None:
    routine = owner.routine(limits={"minutes": 1}, schedule={"kind": "every", "minutes": 40_000})
    owner.owner.routines.run_now(routine.id, "run-now-0001")
    ask = CallPart("ask__owner", {"question": "Shall I?"})
    await owner.drive(ask)
    owner.clock.ms += 30 * MINUTE_MS
    await owner.fire()
    assert owner.runs(routine)[0]["state"] == "waiting_input"
    owner.thread = owner.owner.catalog.thread(routine.thread_id)
    owner.send("Yes.")
    await owner.drive()
    assert owner.runs(routine)[0]["state"] == "done"


async def test_a_person_who_never_answers_does_not_hold_it_up_for_ever(owner: RoutineRig) -> None:
    routine = owner.routine(schedule={"kind": "every", "minutes": 40_000})
    owner.owner.routines.run_now(routine.id, "run-now-0001")
    await owner.drive(CallPart("ask__owner", {"question": "Shall I?"}))
    waits_until = owner.clock.ms + ROUTINE_WAIT_SECONDS * 1000
    while (owner.owner.timers.earliest() or waits_until) < waits_until:
        await owner.tick()
    owner.clock.ms = waits_until - 1
    await owner.fire()
    assert owner.runs(routine)[0]["state"] == "waiting_input"
    owner.clock.ms = waits_until
    await owner.fire()
    (run,) = owner.runs(routine)
    assert (run["state"], run["reason"]) == ("failed", "routine_time")


@pytest.mark.parametrize(("tokens", "reason"), [(99, None), (100, "routine_cost")])
async def test_the_cost_of_a_run_at_its_limit_and_below(
    owner: RoutineRig, tokens: int, reason: str | None
) -> None:
    routine = owner.routine(limits={"run_microdollars": 300}, computer=True)
    await owner.tick()
    owner.model = ScriptedModel(
        [EXEC, EndPart(usage=Usage(input=tokens))], [TextPart("A.")], [TextPart("B.")]
    )
    await owner.go_on()
    (run,) = owner.runs(routine)
    # A command's milliseconds are a fraction of a micro-dollar, which counts as one.
    assert run["reason"] == reason
    assert (run["state"] == "failed") is bool(reason)


@pytest.mark.parametrize(("spent", "outcome"), [(99, "started"), (100, "month_used")])
async def test_the_cost_of_a_month_at_its_limit_and_below(
    owner: RoutineRig, spent: int, outcome: str
) -> None:
    routine = owner.routine(limits={"month_microdollars": 300})
    await owner.tick()
    owner.model = ScriptedModel([TextPart("A."), EndPart(usage=Usage(input=spent))])
    await owner.go_on()
    assert owner.shown(routine).month_microdollars == 3 * spent
    await owner.pass_minutes(3)
    assert owner.outcomes(routine)[1][0] == outcome
    told = [one.kind for one in owner.routine_notices]
    assert told == (["month_used"] if outcome == "month_used" else [])


@pytest.mark.parametrize(("limit", "outcome"), [(74_001, "started"), (74_000, "month_used")])
async def test_a_month_counts_the_time_for_which_the_computer_stays_awake_behind_runs(
    owner: RoutineRig, limit: int, outcome: str
) -> None:
    routine = owner.routine(limits={"month_microdollars": limit}, computer=True)
    began = owner.clock.ms
    account = Account(attribution=f"routine:{routine.id}", thread_id=routine.thread_id)
    idle = Interval(instance="1.5", from_ms=began, to_ms=began + 3_600_000, accounts=[account])
    owner.owner.allowance.settle([idle, idle])
    assert owner.shown(routine).month_microdollars == 74_000
    await owner.pass_minutes(1)
    assert owner.outcomes(routine) == [(outcome, 1)]


@pytest.mark.parametrize("field", ["name", "prompt"])
def test_a_name_and_a_prompt_are_more_than_blanks(owner: RoutineRig, field: str) -> None:
    routine = owner.routine(**{field: " x "})
    with pytest.raises(BerthError, match="blanks"):
        owner.routine(**{field: "\u3000\n"})
    with pytest.raises(BerthError, match="blanks"):
        owner.owner.routines.change(routine.id, owner.settings(**{field: " "}))
    assert owner.shown(routine) == routine


async def test_a_run_ends_whatever_its_provider_says_that_it_cost(owner: RoutineRig) -> None:
    routine = owner.routine(limits={"month_microdollars": ROUTINE_MICRODOLLARS_MAX})
    await owner.tick()
    lie = Usage(input=2**53 - 1, output=2**53 - 1)
    owner.model = ScriptedModel([TextPart("A."), EndPart(usage=lie)])
    await owner.go_on()
    (run,) = owner.runs(routine)
    assert (run["state"], run["reason"]) == ("failed", "routine_cost")
    assert owner.shown(routine).month_microdollars == COST_MAX
    await owner.pass_minutes(2)
    assert owner.outcomes(routine)[1] == ("month_used", 2)


async def test_a_new_month_begins_at_nothing(owner: RoutineRig) -> None:
    routine = owner.routine(limits={"month_microdollars": 300}, schedule={"kind": "every", "minutes": 1_440})
    await owner.tick()
    owner.model = ScriptedModel([TextPart("A."), EndPart(usage=Usage(input=100))])
    await owner.go_on()
    await owner.pass_minutes(1_440)
    assert owner.outcomes(routine)[-1] == ("month_used", 1)
    await owner.pass_minutes(31 * 1_440)
    assert owner.shown(routine).month_microdollars == 0
    assert owner.outcomes(routine)[2][0] == "started"


async def test_without_its_switch_the_computer_is_neither_offered_nor_used(owner: RoutineRig) -> None:
    routine = owner.routine()
    await owner.tick()
    await owner.drive(EXEC)
    offered = [tool["name"] for tool in owner.questions()[0].tools()]
    assert "hl__get_markets" in offered
    assert not [name for name in offered if name.startswith("computer__")]
    assert owner.computer.executed == []
    (finished,) = owner.thread_events(routine, "tool.finished")
    assert finished["error"]["code"] == "forbidden"
    (run,) = owner.runs(routine)
    assert (run["tainted"], run["state"]) == (0, "done")


async def test_with_its_switch_the_computer_is_used_and_taints(owner: RoutineRig) -> None:
    routine = owner.routine(computer=True)
    await owner.tick()
    await owner.drive(EXEC)
    assert len(owner.computer.executed) == 1
    assert owner.runs(routine)[0]["tainted"] == 1


def test_routines_take_a_part_of_the_runs_at_once(owner: RoutineRig) -> None:
    for number in range(RUNS_AT_ONCE):
        routine = owner.routine()
        owner.owner.routines.run_now(routine.id, f"run-now-{number:04}")
    assert len(owner.owner.journal.due()) == ROUTINE_RUNS_AT_ONCE
    run_id = owner.send("And I?").run.id
    assert run_id in owner.owner.journal.due()


def test_as_many_as_there_may_be_and_one_more(owner: RoutineRig) -> None:
    made = [owner.routine() for _ in range(ROUTINES_MAX)]
    with pytest.raises(BerthError, match="at most"):
        owner.routine()
    owner.owner.routines.remove(made[0].id)
    assert owner.routine().state == "active"
    assert len(owner.owner.routines.all().items) == ROUTINES_MAX


def test_making_it_again_with_its_client_id_answers_with_the_first(owner: RoutineRig) -> None:
    first = owner.routine()
    owner._made -= 1
    assert owner.routine(name="Other") == first


@pytest.mark.parametrize(
    "fields",
    [
        {"browser": True},
        {"schedule": {"kind": "cron", "expression": "nonsense"}},
        {"zone": "Nowhere"},
        {"checks": [{"kind": "http", "url": "https://a.example", "path": "a", "compare": "changed"}]},
        {
            "checks": [
                {"kind": "http", "url": "https://a.example", "path": "$", "compare": "above", "value": "x"}
            ]
        },
    ],
)
def test_what_is_refused(owner: RoutineRig, fields: dict[str, object]) -> None:
    with pytest.raises(BerthError) as caught:
        owner.routine(**fields)
    assert caught.value.code is ErrorCode.INVALID_REQUEST
    assert owner.owner.routines.all().items == []


async def test_removed_it_never_comes_and_its_thread_stays(owner: RoutineRig) -> None:
    routine = owner.routine()
    await owner.tick()
    (run,) = owner.owner.routines.remove(routine.id)
    await owner.owner.stopper.stop(run)
    assert owner.owner.journal.row(run["id"])["state"] == "stopped"
    owner.clock.ms += 10 * MINUTE_MS
    await owner.fire()
    assert len(owner.runs(routine)) == 1
    assert owner.owner.record.exists(routine.thread_id)
    with pytest.raises(BerthError, match="not there"):
        owner.owner.routines.get(routine.id)


async def test_its_thread_is_made_anew_where_a_person_has_deleted_it(owner: RoutineRig) -> None:
    routine = owner.routine()
    owner.owner.removals.hide(routine.thread_id)
    await owner.pass_minutes(1)
    assert owner.shown(routine).thread_id != routine.thread_id
    assert len(owner.thread_events(routine, "message.created")) == 1


async def test_the_history_is_bounded_and_comes_in_pages(owner: RoutineRig) -> None:
    routine = owner.routine(schedule={"kind": "every", "minutes": 40_000})
    for number in range(ROUTINE_HISTORY_KEPT + 1):
        owner.owner.routines.run_now(routine.id, f"run-now-{number:04}")
        owner.end(routine)
    kept = owner.context.sql.execute("SELECT COUNT(*) AS n FROM firings")[0]["n"]
    assert kept == ROUTINE_HISTORY_KEPT
    first = owner.owner.routines.history(routine.id, None, 2)
    second = owner.owner.routines.history(routine.id, first.items[-1].id, 2)
    assert first.more and [one.id for one in (*first.items, *second.items)] == list(
        range(first.items[0].id, first.items[0].id - 4, -1)
    )
