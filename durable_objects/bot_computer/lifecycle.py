"""The states of one machine, as a pure step: standby → starting → running → standby.

Every start has a generation number, and a report about another generation changes nothing: a late
exit notice of the last container cannot put the next one to sleep. A save is no state but a piece of
work of a running machine, written down when it begins (`saving_ms`), so that an object which dies
meanwhile finds it. `step` does no I/O and reads no clock; the caller stores the new state before it
carries out the action.
"""

from dataclasses import dataclass, replace
from typing import Literal

from contracts.limits import BOOT_SECONDS, IDLE_SECONDS, RESTORE_SECONDS
from contracts.records import Restored, Unusable
from contracts.states import ComputerState

STOPPED_UNEXPECTEDLY = "stopped_unexpectedly"
RESET = "reset"
START_FAILED = "start_failed"
FILES_UNAVAILABLE = "files_unavailable"

SWEEP_AGAIN_MS = 60_000


@dataclass(frozen=True)
class Machine:
    state: ComputerState = ComputerState.STANDBY
    generation: int = 0
    since_ms: int = 0
    until_ms: int | None = None
    """starting: when it has failed. running: when it goes to sleep, None while it is used."""
    reason: str | None = None
    """Why it is in standby, where that was not its own wish."""
    boot: str | None = None
    """What the service inside calls this start; it tells one start from another."""
    snapshot: str | None = None
    """The newest snapshot's handle, as JSON."""
    snapshot_ms: int | None = None
    """As of when that snapshot has the files."""
    snapshot_image: str | None = None
    """The image version that it was made on; None where that is not known."""
    saved_ms: int | None = None
    """As of when the newest save has the files: a snapshot, a backup or both. None where there is none."""
    saving_ms: int | None = None
    """As of when the save that is under way has them; None while none is."""
    woke_ms: int | None = None
    """As of when the files were with which this start began; None for a fresh workspace."""
    lost_ms: int | None = None
    """When a machine ended without its files being saved, and none has started since."""
    untold: tuple[Restored, ...] = ()
    """What the owner has not been told yet, oldest first."""
    sweep_ms: int | None = None
    """After a reset: when to look again for what it must have deleted from R2."""


@dataclass(frozen=True)
class Woke:
    """With what a machine came up."""

    source: Literal["snapshot", "backup", "fresh"]
    as_of_ms: int | None = None
    unusable: tuple[Unusable, ...] = ()
    """What was newer or better, and could not be used."""
    missing: int = 0
    missing_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Restoring:
    """The files come from a backup, which may take longer than a start."""

    generation: int


@dataclass(frozen=True)
class Ready:
    generation: int
    boot: str
    woke: Woke


@dataclass(frozen=True)
class Gone:
    """The container of this generation is not there (any more)."""

    generation: int
    reason: str


@dataclass(frozen=True)
class Snapshotted:
    """The save that is under way has made its snapshot."""

    generation: int
    snapshot: str
    image: str | None


@dataclass(frozen=True)
class BackedUp:
    """The save that is under way has made its backup."""

    generation: int


@dataclass(frozen=True)
class Used:
    """How many calls the machine serves, after one began or ended."""

    calls: int


@dataclass(frozen=True)
class Told:
    """The owner knows what this wake did not bring back."""

    woke_ms: int


Word = Literal["needed", "tick", "save", "saved", "interrupted", "reset", "swept"]
Event = Restoring | Ready | Gone | Snapshotted | BackedUp | Used | Told | Word
Action = Literal["start", "save", "sleep", "destroy"]


def step(machine: Machine, event: Event, now_ms: int) -> tuple[Machine, Action | None]:  # noqa: C901, PLR0911, PLR0912 - a table
    """Return what `event` makes of the machine. A pair with no rule leaves it as it is."""
    match machine.state, event:
        case state, "reset":
            fresh = Machine(generation=machine.generation, since_ms=now_ms, reason=RESET, sweep_ms=now_ms)
            return fresh, None if state == ComputerState.STANDBY else "destroy"
        case ComputerState.STANDBY, "needed":
            return replace(
                machine,
                state=ComputerState.STARTING,
                generation=machine.generation + 1,
                since_ms=now_ms,
                until_ms=now_ms + BOOT_SECONDS * 1000,
                reason=None,
            ), "start"
        case ComputerState.STARTING, Restoring(generation) if generation == machine.generation:
            return replace(machine, until_ms=now_ms + RESTORE_SECONDS * 1000), None
        case ComputerState.STARTING, Ready(generation, boot, woke) if generation == machine.generation:
            return _awake(machine, boot, woke, now_ms), None
        case ComputerState.STARTING, "tick" if _due(machine, now_ms):
            return _standby(machine, now_ms, START_FAILED), "destroy"
        case ComputerState.RUNNING, Used(calls):
            return replace(machine, until_ms=None if calls else now_ms + IDLE_SECONDS * 1000), None
        case ComputerState.RUNNING, "tick" if _due(machine, now_ms):
            return machine, "sleep"
        case ComputerState.RUNNING, "save":
            return replace(machine, saving_ms=max(now_ms, (machine.saved_ms or 0) + 1)), "save"
        case ComputerState.RUNNING, Snapshotted(generation, snapshot, image) if _saves(machine, generation):
            as_of_ms = machine.saving_ms
            return replace(
                machine, snapshot=snapshot, snapshot_image=image, snapshot_ms=as_of_ms, saved_ms=as_of_ms
            ), None
        case ComputerState.RUNNING, BackedUp(generation) if _saves(machine, generation):
            return replace(machine, saved_ms=machine.saving_ms), None
        case ComputerState.RUNNING, "saved" if machine.saving_ms is not None:
            if _all_saved(machine):
                return _standby(machine, now_ms, None), "destroy"
            return replace(machine, saving_ms=None, until_ms=now_ms + IDLE_SECONDS * 1000), None
        case ComputerState.RUNNING, "interrupted" if machine.saving_ms is not None:
            return replace(machine, saving_ms=None), None
        case ComputerState.STARTING, Gone(generation, reason) if generation == machine.generation:
            return _standby(machine, now_ms, reason), "destroy"
        case ComputerState.RUNNING, Gone(generation, reason) if generation == machine.generation:
            # Nothing runs during a save: what it has kept by then is all that there was.
            lost = machine if _all_saved(machine) else replace(machine, lost_ms=now_ms)
            return _standby(lost, now_ms, reason), "destroy"
        case _, Told(woke_ms) if any(restored.woke_ms == woke_ms for restored in machine.untold):
            left = tuple(restored for restored in machine.untold if restored.woke_ms != woke_ms)
            return replace(machine, untold=left), None
        case _, "swept" if machine.sweep_ms is not None:
            # A piece that was on its way at the reset may have arrived behind the first look.
            again = machine.sweep_ms + SWEEP_AGAIN_MS if machine.sweep_ms <= machine.since_ms else None
            return replace(machine, sweep_ms=again), None
    return machine, None


def _awake(machine: Machine, boot: str, woke: Woke, now_ms: int) -> Machine:
    restored = _restored(machine, woke, now_ms)
    from_snapshot = woke.source == "snapshot"
    return replace(
        machine,
        state=ComputerState.RUNNING,
        since_ms=now_ms,
        until_ms=now_ms + IDLE_SECONDS * 1000,
        boot=boot,
        # One that could not be used must not come back later, with files from before what follows now.
        snapshot=machine.snapshot if from_snapshot else None,
        snapshot_image=machine.snapshot_image if from_snapshot else None,
        snapshot_ms=machine.snapshot_ms if from_snapshot else None,
        saved_ms=woke.as_of_ms,
        woke_ms=woke.as_of_ms,
        lost_ms=None,
        untold=(*machine.untold, restored) if restored else machine.untold,
    )


def _restored(machine: Machine, woke: Woke, now_ms: int) -> Restored | None:
    """What differs from what the owner left, if anything does."""
    older = (machine.saved_ms or 0) > (woke.as_of_ms or 0)
    if machine.lost_ms is None and not older and woke.source != "backup":
        return None
    return Restored(
        source=woke.source,
        woke_ms=now_ms,
        as_of_ms=woke.as_of_ms,
        lost_ms=machine.lost_ms,
        older=older,
        unusable=list(woke.unusable),
        missing=woke.missing,
        missing_names=list(woke.missing_names),
    )


def _saves(machine: Machine, generation: int) -> bool:
    return machine.saving_ms is not None and generation == machine.generation


def _all_saved(machine: Machine) -> bool:
    """Whether the save that is under way has kept the files, in whichever way."""
    return machine.saving_ms is not None and machine.saving_ms == machine.saved_ms


def _due(machine: Machine, now_ms: int) -> bool:
    return machine.until_ms is not None and now_ms >= machine.until_ms


def _standby(machine: Machine, now_ms: int, reason: str | None) -> Machine:
    return replace(
        machine,
        state=ComputerState.STANDBY,
        since_ms=now_ms,
        until_ms=None,
        reason=reason,
        boot=None,
        saving_ms=None,
    )
