"""Starting a machine with its files: what there is to wake from is tried, the best first.

Each try has a fresh container, and one that fails is destroyed: a tree that came back half is never used.
A snapshot that the platform does not start twice, while it starts a container without it, is given up for
the backup. A damaged backup is given up for the one before it. R2 that does not answer gives up nothing.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

from contracts.errors import BerthError, ErrorCode
from contracts.limits import BOOT_SECONDS, RESTORE_SECONDS
from contracts.reasons import because
from contracts.records import Unusable
from durable_objects.bot_computer.backups import Backup, Backups
from durable_objects.bot_computer.container import Container, ContainerError
from durable_objects.bot_computer.follow import UnreachableError, Wire
from durable_objects.bot_computer.lifecycle import FILES_UNAVAILABLE, START_FAILED, Machine, Woke
from durable_objects.bot_computer.pieces import DamagedError, StoreError
from durable_objects.bot_computer.restore import restore
from durable_objects.bot_computer.waking import Source, sources

log = logging.getLogger(__name__)

TRIES = 2
# Where there is a backup to fall back on, a snapshot that hangs may not use up all the time.
SNAPSHOT_SECONDS = BOOT_SECONDS / 3
HEALTH_SECONDS = 2.0
HEALTH_PAUSES = (0.002, 0.005, 0.01, 0.02, 0.05)


class StartError(Exception):
    """The machine did not come up: `reason` is for its row, `error` for whoever called."""

    def __init__(self, reason: str, error: BerthError) -> None:
        super().__init__(reason)
        self.reason = reason
        self.error = error


@dataclass(frozen=True)
class Up:
    """A machine that is up. `ended` is done when its container has stopped."""

    boot: str
    woke: Woke
    ended: asyncio.Future[None]


class Starter:
    def __init__(self, container: Container, wire: Wire, backups: Backups, now_ms: Callable[[], int]) -> None:
        self._container = container
        self._wire = wire
        self._backups = backups
        self._now_ms = now_ms

    async def start(self, machine: Machine, restoring: Callable[[], None]) -> Up:
        """Bring the machine up. `restoring` is called when its files begin to come from a backup.

        Raises StartError; then, and when it is cancelled, the container may still run.
        """
        found, unusable = sources(machine, self._backups.book.all(), self._container.image, self._now_ms())
        for source in found:
            last = source is found[-1]
            try:
                return await self._come_up(source, unusable, restoring, last=last)
            except DamagedError as error:
                log.warning("a backup is damaged: %s", error)
                self._backups.book.distrust(str(error))
                unusable.append("backup_damaged")
            except StoreError as error:
                log.warning("the files could not be read from R2: %s", error)
                raise StartError(START_FAILED, _store_is_down()) from error
            except (ContainerError, UnreachableError, BerthError, TimeoutError) as error:
                if last or source.kind != "snapshot":
                    raise StartError(START_FAILED, _did_not_start(source)) from error
                unusable.append("snapshot_failed")
        raise StartError(FILES_UNAVAILABLE, _files_are_unavailable())

    async def _come_up(
        self, source: Source, unusable: list[Unusable], restoring: Callable[[], None], *, last: bool
    ) -> Up:
        for attempt in range(TRIES):
            began = self._now_ms()
            try:
                return await self._try(source, unusable, restoring, last=last)
            except (ContainerError, UnreachableError, BerthError, TimeoutError) as error:
                took = self._now_ms() - began
                log.warning("a start from a %s failed after %d ms: %s", source.kind, took, error)
                if attempt == TRIES - 1 or isinstance(error, TimeoutError):
                    raise
        raise AssertionError("unreachable")

    async def _try(
        self, source: Source, unusable: list[Unusable], restoring: Callable[[], None], *, last: bool
    ) -> Up:
        short = source.kind == "snapshot" and not last
        async with asyncio.timeout(SNAPSHOT_SECONDS if short else BOOT_SECONDS):
            if self._container.running:
                await self._container.destroy()
            await self._container.start(source.snapshot)
            ended = asyncio.ensure_future(self.end())
            boot = await self._healthy(ended)
        if source.backup is None:
            return Up(boot, Woke(source.kind, source.as_of_ms, tuple(unusable)), ended)
        restoring()
        return Up(boot, await self._restored(source.backup, unusable), ended)

    async def _restored(self, backup: Backup, unusable: list[Unusable]) -> Woke:
        began = self._now_ms()
        async with asyncio.timeout(RESTORE_SECONDS):
            came = await restore(self._backups, backup)
        for sha256, size in backup.pieces.items():
            self._backups.book.trust(sha256, size)
        log.info("a backup of %d pieces came back in %d ms", len(backup.pieces), self._now_ms() - began)
        return Woke("backup", backup.as_of_ms, tuple(unusable), came.missing, came.missing_names)

    async def _healthy(self, ended: asyncio.Future[None]) -> str:
        """Ask until the service inside answers or its container has ended; the caller limits the time."""
        tries = 0
        while not ended.done():
            try:
                async with asyncio.timeout(HEALTH_SECONDS):
                    return await self._wire.boot()
            except (UnreachableError, TimeoutError):
                await asyncio.sleep(HEALTH_PAUSES[min(tries, len(HEALTH_PAUSES) - 1)])
                tries += 1
        raise ContainerError("the container ended before its service answered")

    async def end(self) -> None:
        """Return when the container has ended."""
        try:
            await self._container.gone()
        except ContainerError as error:
            # One that we destroyed ended badly too, by its exit code.
            log.info("a container ended badly: %s", error)


def _did_not_start(source: Source) -> BerthError:
    reason = "snapshot_not_started" if source.kind == "snapshot" else "computer_not_started"
    return because(ErrorCode.COMPUTER_UNAVAILABLE, reason)


def _store_is_down() -> BerthError:
    return because(ErrorCode.COMPUTER_UNAVAILABLE, "files_store_down")


def _files_are_unavailable() -> BerthError:
    return because(ErrorCode.COMPUTER_UNAVAILABLE, FILES_UNAVAILABLE)
