"""The table of moves of a machine."""

from dataclasses import replace
from pathlib import Path

import pytest

from contracts.limits import BOOT_SECONDS, IDLE_SECONDS, RESTORE_SECONDS
from contracts.records import Restored
from contracts.states import ComputerState as S
from durable_objects.bot_computer.lifecycle import (
    SWEEP_AGAIN_MS,
    Action,
    BackedUp,
    Event,
    Gone,
    Machine,
    Ready,
    Restoring,
    Snapshotted,
    Told,
    Used,
    Woke,
    step,
)

NOW = 5_000
BOOT = BOOT_SECONDS * 1000
IDLE = IDLE_SECONDS * 1000
RESTORE = RESTORE_SECONDS * 1000

# Its last save was as of 900, and a snapshot of it is there.
SAVED = Machine(snapshot="s1", snapshot_ms=900, snapshot_image="i1", saved_ms=900)
STANDBY = replace(SAVED, generation=2)
STARTING = replace(SAVED, state=S.STARTING, generation=2, until_ms=NOW)
RUNNING = replace(SAVED, state=S.RUNNING, generation=2, until_ms=NOW, boot="b", woke_ms=900)
IN_USE = replace(RUNNING, until_ms=None)
SAVING = replace(RUNNING, saving_ms=4_000)
SNAPSHOTTED = replace(SAVING, snapshot="s2", snapshot_ms=4_000, snapshot_image="i2", saved_ms=4_000)
BACKED_UP = replace(SAVING, saved_ms=4_000)
FROM_SNAPSHOT = Woke("snapshot", 900)
TOLD = Restored(source="backup", woke_ms=NOW, as_of_ms=900)


def asleep(machine: Machine, reason: str | None = None) -> Machine:
    return replace(
        machine, state=S.STANDBY, since_ms=NOW, until_ms=None, boot=None, saving_ms=None, reason=reason
    )


@pytest.mark.parametrize(
    ("machine", "event", "after", "action"),
    [
        (
            STANDBY,
            "needed",
            replace(STANDBY, state=S.STARTING, generation=3, since_ms=NOW, until_ms=NOW + BOOT),
            "start",
        ),
        (STANDBY, "tick", STANDBY, None),
        (STANDBY, Gone(2, "x"), STANDBY, None),
        (STANDBY, Ready(2, "b", FROM_SNAPSHOT), STANDBY, None),
        (STANDBY, Used(1), STANDBY, None),
        (STANDBY, "save", STANDBY, None),
        (STARTING, "needed", STARTING, None),
        (
            STARTING,
            Ready(2, "b", FROM_SNAPSHOT),
            replace(RUNNING, since_ms=NOW, until_ms=NOW + IDLE),
            None,
        ),
        (STARTING, Ready(1, "old", FROM_SNAPSHOT), STARTING, None),
        (STARTING, Restoring(2), replace(STARTING, until_ms=NOW + RESTORE), None),
        (STARTING, Restoring(1), STARTING, None),
        (STARTING, "tick", asleep(STARTING, "start_failed"), "destroy"),
        (STARTING, Gone(2, "no"), asleep(STARTING, "no"), "destroy"),
        (STARTING, Gone(1, "old"), STARTING, None),
        (RUNNING, "needed", RUNNING, None),
        (RUNNING, "tick", RUNNING, "sleep"),
        (RUNNING, Used(1), IN_USE, None),
        (IN_USE, "tick", IN_USE, None),
        (IN_USE, Used(0), replace(RUNNING, until_ms=NOW + IDLE), None),
        (RUNNING, "save", replace(RUNNING, saving_ms=NOW), "save"),
        (SAVING, Snapshotted(2, "s2", "i2"), SNAPSHOTTED, None),
        (SAVING, Snapshotted(1, "old", "i2"), SAVING, None),
        (RUNNING, Snapshotted(2, "late", "i2"), RUNNING, None),
        (SAVING, BackedUp(2), BACKED_UP, None),
        (SAVING, BackedUp(1), SAVING, None),
        (RUNNING, BackedUp(2), RUNNING, None),
        (SNAPSHOTTED, "saved", asleep(SNAPSHOTTED), "destroy"),
        (BACKED_UP, "saved", asleep(BACKED_UP), "destroy"),
        (SAVING, "saved", replace(RUNNING, until_ms=NOW + IDLE), None),
        (SAVING, "interrupted", RUNNING, None),
        (SNAPSHOTTED, "interrupted", replace(SNAPSHOTTED, saving_ms=None), None),
        (RUNNING, Gone(2, "no"), asleep(replace(RUNNING, lost_ms=NOW), "no"), "destroy"),
        (SAVING, Gone(2, "no"), asleep(replace(RUNNING, lost_ms=NOW), "no"), "destroy"),
        (SNAPSHOTTED, Gone(2, "no"), asleep(SNAPSHOTTED, "no"), "destroy"),
        (BACKED_UP, Gone(2, "no"), asleep(BACKED_UP, "no"), "destroy"),
        (RUNNING, Gone(1, "old"), RUNNING, None),
    ],
)
def test_step(machine: Machine, event: Event, after: Machine, action: Action | None) -> None:
    assert step(machine, event, NOW) == (after, action)


@pytest.mark.parametrize(("machine", "limit"), [(STARTING, NOW), (RUNNING, NOW)])
def test_nothing_happens_a_moment_before_the_time_is_up(machine: Machine, limit: int) -> None:
    assert step(machine, "tick", limit - 1) == (machine, None)


def test_idle_time_begins_when_the_last_call_ends_and_not_when_the_machine_woke() -> None:
    used, _ = step(RUNNING, Used(1), NOW)
    free, _ = step(used, Used(0), NOW + 10 * IDLE)
    assert step(free, "tick", NOW + 11 * IDLE - 1)[1] is None
    assert step(free, "tick", NOW + 11 * IDLE)[1] == "sleep"


def test_a_save_is_newer_than_the_one_before_it_also_where_the_clock_went_back() -> None:
    assert step(RUNNING, "save", 100)[0].saving_ms == 901


def test_a_loss_is_known_over_failed_starts_until_it_is_told() -> None:
    lost, _ = step(RUNNING, Gone(2, "no"), NOW + 3)
    failed, _ = step(step(lost, "needed", NOW + 4)[0], Gone(3, "start_failed"), NOW + 5)
    awake, _ = step(step(failed, "needed", NOW + 6)[0], Ready(4, "b", FROM_SNAPSHOT), NOW + 7)
    restored = Restored(source="snapshot", woke_ms=NOW + 7, as_of_ms=900, lost_ms=NOW + 3)
    assert (awake.untold, awake.lost_ms) == ((restored,), None)
    assert step(awake, Told(NOW + 6), NOW + 8)[0] == awake
    assert step(awake, Told(NOW + 7), NOW + 8)[0].untold == ()


def test_what_was_not_told_is_kept_over_the_next_wake() -> None:
    first = replace(STARTING, untold=(TOLD,))
    second, _ = step(replace(first, lost_ms=4_000), Ready(2, "b", FROM_SNAPSHOT), NOW + 1)
    assert [restored.woke_ms for restored in second.untold] == [NOW, NOW + 1]
    assert [restored.woke_ms for restored in step(second, Told(NOW), NOW + 2)[0].untold] == [NOW + 1]


def test_a_start_that_failed_lost_nothing() -> None:
    assert step(STARTING, Gone(2, "no"), NOW)[0].lost_ms is None


def test_a_wake_from_a_backup_forgets_a_snapshot_that_could_not_be_used() -> None:
    woke = Woke("backup", 900, ("snapshot_failed",), 2, ("a", "b"))
    awake, _ = step(STARTING, Ready(2, "b", woke), NOW)
    assert (awake.snapshot, awake.snapshot_ms, awake.snapshot_image) == (None, None, None)
    assert (awake.saved_ms, awake.woke_ms) == (900, 900)
    assert awake.untold == (
        Restored(
            source="backup",
            woke_ms=NOW,
            as_of_ms=900,
            unusable=["snapshot_failed"],
            missing=2,
            missing_names=["a", "b"],
        ),
    )


def test_files_older_than_the_newest_save_are_said_to_be() -> None:
    awake, _ = step(STARTING, Ready(2, "b", Woke("backup", 700, ("backup_damaged",))), NOW)
    assert awake.untold[0].older
    assert awake.saved_ms == 700


def test_a_fresh_computer_has_nothing_to_tell() -> None:
    awake, _ = step(Machine(S.STARTING, 1), Ready(1, "b", Woke("fresh")), NOW)
    assert (awake.untold, awake.saved_ms, awake.woke_ms) == ((), None, None)


def test_r2_is_looked_at_twice_after_a_reset() -> None:
    reset, _ = step(RUNNING, "reset", NOW)
    once, _ = step(reset, "swept", NOW)
    assert (reset.sweep_ms, once.sweep_ms) == (NOW, NOW + SWEEP_AGAIN_MS)
    assert step(once, "swept", NOW + SWEEP_AGAIN_MS)[0].sweep_ms is None


DOCUMENT = Path(__file__).parents[4] / "docs/lifecycle.md"
MACHINES = {
    name: replace(machine, sweep_ms=1, untold=(TOLD,))
    for name, machine in {
        "standby": STANDBY,
        "starting": STARTING,
        "running": RUNNING,
        "saving": SAVING,
        "kept": SNAPSHOTTED,
    }.items()
}
EVENTS: dict[str, Event] = {
    "a call needs it": "needed",
    "its files come from a backup": Restoring(2),
    "its service answers": Ready(2, "b", FROM_SNAPSHOT),
    "its container is gone": Gone(2, "x"),
    "60 s are over": "tick",
    "300 s idle are over": "tick",
    "a call begins or ends": Used(0),
    "a save begins": "save",
    "its snapshot is made": Snapshotted(2, "s2", "i2"),
    "its backup is made": BackedUp(2),
    "the save is interrupted": "interrupted",
    "the save is over": "saved",
    "the owner resets it": "reset",
    "the owner was told of a wake": Told(NOW),
    "R2 was swept after a reset": "swept",
}


def word(machine: Machine) -> str:
    """What the document calls a machine's state."""
    if machine.saving_ms is None:
        return str(machine.state)
    return "kept" if machine.saving_ms == machine.saved_ms else "saving"


def documented() -> dict[tuple[str, str], tuple[str, Action | None]]:
    """The table of moves: (state, event) to (new state, action)."""
    moves = DOCUMENT.read_text().split("## Moves")[1].split("##")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in moves.splitlines() if "|" in line
    ]
    found: dict[tuple[str, str], tuple[str, Action | None]] = {}
    for state, event, after, action in rows[2:]:
        for name in MACHINES if state == "any" else [state]:
            found[name, event] = (name if state == "any" else after, action or None)  # type: ignore[assignment]
    return found


def test_the_document_names_only_states_and_events_that_there_are() -> None:
    assert {state for state, _ in documented()} == set(MACHINES)
    assert {event for _, event in documented()} == set(EVENTS)


@pytest.mark.parametrize("state", MACHINES)
@pytest.mark.parametrize("event", EVENTS)
def test_the_code_does_what_the_document_says_and_nothing_else(state: str, event: str) -> None:
    same = [(s, e) for s, e in documented() if s == state and EVENTS[e] == EVENTS[event]]
    expected = documented()[same[0]] if same else None
    after, action = step(MACHINES[state], EVENTS[event], NOW)
    if event == "the owner resets it":
        assert after == Machine(S.STANDBY, 2, NOW, reason="reset", sweep_ms=NOW)
    if expected is None:
        assert (after, action) == (MACHINES[state], None)
    else:
        assert (word(after), action) == expected
