"""From what a machine may wake, the best first: the newest valid snapshot, a backup, a fresh workspace.

Where there once were files, a fresh workspace is never among them.
"""

from dataclasses import dataclass
from typing import Literal

from contracts.limits import SNAPSHOT_DAYS
from contracts.records import Unusable
from durable_objects.bot_computer.backups import Backup
from durable_objects.bot_computer.lifecycle import Machine

DAY_MS = 24 * 3_600 * 1_000


@dataclass(frozen=True)
class Source:
    kind: Literal["snapshot", "backup", "fresh"]
    as_of_ms: int | None = None
    snapshot: str | None = None
    backup: Backup | None = None


FRESH = Source("fresh")


def sources(
    machine: Machine, backups: list[Backup], image: str | None, now_ms: int
) -> tuple[list[Source], list[Unusable]]:
    """What there is to wake from, the newest files first, and what is known to be of no use.

    Of one save the snapshot comes before the backup: it is quicker and has the whole file system.
    """
    void = _void(machine, image, now_ms)
    found = [Source("backup", backup.as_of_ms, backup=backup) for backup in backups]
    if machine.snapshot and void is None:
        found.append(Source("snapshot", machine.snapshot_ms, machine.snapshot))
    found.sort(key=lambda source: (source.as_of_ms or 0, source.kind == "snapshot"), reverse=True)
    if not found and machine.snapshot is None and machine.saved_ms is None:
        return [FRESH], []
    better = not found or (machine.snapshot_ms or 0) >= (found[0].as_of_ms or 0)
    return found, [void] if void and better else []


def _void(machine: Machine, image: str | None, now_ms: int) -> Unusable | None:
    if machine.snapshot is None:
        return None
    if now_ms > (machine.snapshot_ms or 0) + SNAPSHOT_DAYS * DAY_MS:
        return "snapshot_expired"
    if image and machine.snapshot_image and image != machine.snapshot_image:
        return "snapshot_of_other_image"
    return None
