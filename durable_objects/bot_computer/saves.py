"""One save of a machine that nobody uses: a snapshot of all, and a backup of what is the owner's.

Each is written down as soon as it is made, and each is enough for the machine to stop: what is missing the
next save makes up. The backup is given up for a call that comes meanwhile, for it can take long; the
snapshot is waited for.
"""

import asyncio
import logging
from collections.abc import Callable

from contracts.limits import SAVE_SECONDS
from durable_objects.bot_computer.backup import back_up, collect
from durable_objects.bot_computer.backups import Backups
from durable_objects.bot_computer.container import Container, ContainerError
from durable_objects.bot_computer.lifecycle import BackedUp, Event, Machine, Snapshotted
from durable_objects.bot_computer.pieces import BackupError, StoreError, TooMuchError

log = logging.getLogger(__name__)

SNAPSHOT_SECONDS = 120.0


class Saver:
    def __init__(
        self,
        container: Container,
        backups: Backups,
        now_ms: Callable[[], int],
        apply: Callable[[Event], object],
    ) -> None:
        self._container = container
        self._backups = backups
        self._now_ms = now_ms
        self._apply = apply
        self._backup: asyncio.Task[None] | None = None

    def interrupt(self) -> None:
        """Somebody needs the machine, or it is to be reset: no backup now."""
        if self._backup:
            self._backup.cancel()

    async def save(self, machine: Machine, *, wanted: Callable[[], bool]) -> None:
        """Save the machine, whose row says that a save is under way; give up what is not `wanted` any more.

        Never raises: what was kept is in the machine's row.
        """
        await self._snapshot(machine)
        if not wanted():
            return
        self._backup = asyncio.ensure_future(self._back_up(machine))
        try:
            await asyncio.wait({self._backup}, timeout=SAVE_SECONDS)
        finally:
            self._backup.cancel()
            await asyncio.wait({self._backup})
            if not self._backup.cancelled() and (fault := self._backup.exception()):
                log.error("a backup broke off by a fault of ours", exc_info=fault)
            self._backup = None

    async def _snapshot(self, machine: Machine) -> None:
        image = self._container.image
        try:
            async with asyncio.timeout(SNAPSHOT_SECONDS):
                snapshot = await self._container.snapshot()
        except (ContainerError, TimeoutError) as error:
            log.warning("no snapshot could be made of start %d: %s", machine.generation, error)
        else:
            self._apply(Snapshotted(machine.generation, snapshot, image))

    async def _back_up(self, machine: Machine) -> None:
        began = self._now_ms()
        try:
            backup = await back_up(self._backups, machine)
        except BackupError as error:
            log.warning("no backup could be made of start %d: %s", machine.generation, error)
            if isinstance(error, TooMuchError):
                # Pieces of backups that broke off are kept for the next one, but not without end.
                await self.collect()
            return
        # Nothing comes in between: both are one transaction of this object.
        self._backups.book.keep(backup)
        self._apply(BackedUp(machine.generation))
        log.info("a backup of %d pieces took %d ms", len(backup.pieces), self._now_ms() - began)
        await self.collect()

    async def collect(self) -> bool:
        """Delete what no backup needs; False where R2 did not do it, which the next save makes up."""
        try:
            await collect(self._backups)
        except (StoreError, TimeoutError) as error:
            log.warning("old pieces of backups could not be deleted: %s", error)
            return False
        return True
