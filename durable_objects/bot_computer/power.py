"""The power of one machine: wake it once for many callers, save its files and let it sleep.

What may interleave: every call, at every await. `_turn` lets one transition happen at a time, and
the new state is stored before its action is taken. A call that comes while the files are being
saved ends that, and the machine just stays awake; what has been kept by then is kept.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from contracts.allowance import Account
from contracts.errors import BerthError, ErrorCode
from contracts.limits import BOOT_SECONDS, EXEC_TIMEOUT_SECONDS_MAX, IDLE_SECONDS
from contracts.reasons import because
from contracts.states import ComputerState
from durable_objects.bot_computer.backups import Backups
from durable_objects.bot_computer.container import Container, ContainerError
from durable_objects.bot_computer.follow import ALIVE_SECONDS, SILENCE_SECONDS, UnreachableError, Wire
from durable_objects.bot_computer.lifecycle import (
    START_FAILED,
    STOPPED_UNEXPECTEDLY,
    SWEEP_AGAIN_MS,
    Action,
    Event,
    Gone,
    Machine,
    Ready,
    Restoring,
    Told,
    Used,
    step,
)
from durable_objects.bot_computer.meter import Meter
from durable_objects.bot_computer.saves import Saver
from durable_objects.bot_computer.starting import Starter, StartError
from durable_objects.bot_computer.store import MachineStore
from durable_objects.shared.context import Context
from telemetry.counters import count

log = logging.getLogger(__name__)

# The platform stops the container of an object that nobody talks to. What we ask for outlasts the longest
# command and the idle time behind it, and is asked for again before less than that is left.
KEEP_MS = 30 * 60 * 1000
KEEP_MS_LEAST = (EXEC_TIMEOUT_SECONDS_MAX + 2 * IDLE_SECONDS) * 1000

# For what the platform does at once when it is well.
PLATFORM_SECONDS = 10.0
RESTORING_RETRY_SECONDS = 30.0

NOBODY = Account()


def asleep() -> BerthError:
    return because(ErrorCode.COMPUTER_UNAVAILABLE, "computer_asleep")


class Power:
    def __init__(
        self,
        context: Context,
        container: Container,
        wire: Wire,
        backups: Backups,
        *,
        changed: Callable[[Machine], None],
        meter: Meter,
    ) -> None:
        self._now_ms = context.now_ms
        self._container = container
        self._wire = wire
        self._book = backups.book
        self._changed = changed
        self._meter = meter
        self._store = MachineStore(context)
        self._starter = Starter(container, wire, backups, context.now_ms)
        self._saver = Saver(container, backups, context.now_ms, self._apply)
        self._turn = asyncio.Lock()
        self._waking: asyncio.Task[None] | None = None
        self._calls = 0
        self._resets = 0
        self._kept_until_ms = 0
        self._watch: asyncio.Task[None] | None = None

    @property
    def machine(self) -> Machine:
        return self._store.machine

    @property
    def at_work(self) -> bool:
        """Whether a transition is under way, which this object must stay alive for."""
        return self._turn.locked()

    @asynccontextmanager
    async def use(self, account: Account = NOBODY) -> AsyncIterator[Machine]:
        """Wake the machine and keep it awake for the length of a call, which is charged to the account.

        Raises `computer_unavailable`.
        """
        self._calls += 1
        self._saver.interrupt()
        seat = self._meter.wait(account)
        try:
            await self._wake()
            self._meter.use(seat)
            yield self.machine
        finally:
            self._calls -= 1
            self._meter.leave(seat)
            self._apply(Used(self._calls))

    @asynccontextmanager
    async def stay(self) -> AsyncIterator[Machine]:
        """Keep a machine that runs awake for the length of a call, and wake none that sleeps.

        Raises `computer_unavailable`. A save that is under way is given up: it would miss what is done now.
        """
        if self.machine.state != ComputerState.RUNNING:
            raise asleep()
        self._calls += 1
        self._saver.interrupt()
        try:
            # What is on its way to standby either stays awake or is there.
            async with self._turn:
                pass
            if self.machine.state != ComputerState.RUNNING:
                raise asleep()
            yield self.machine
            self._meter.heard()
        finally:
            self._calls -= 1
            self._apply(Used(self._calls))

    @asynccontextmanager
    async def call(self, account: Account = NOBODY) -> AsyncIterator[Machine]:
        """`use`, for a call that says nothing before its answer: a machine that hangs would hold it for ever.

        Raises UnreachableError when the machine does not answer; one that is dead or hangs is then lost.
        """
        async with self.use(account) as machine:
            silence = asyncio.timeout(None)
            try:
                async with silence:
                    watch = asyncio.ensure_future(self._until_silent(silence))
                    try:
                        yield machine
                        self._meter.heard()
                    finally:
                        watch.cancel()
            except TimeoutError as error:
                if not silence.expired():
                    raise
                await self.lose(machine.generation)
                raise UnreachableError("it did not answer to its health either") from error
            except UnreachableError:
                if not await self.answers():
                    await self.lose(machine.generation)
                raise

    async def _until_silent(self, silence: asyncio.Timeout) -> None:
        """Let the timeout strike when the machine does not answer to its health."""
        while True:
            await asyncio.sleep(SILENCE_SECONDS)
            if not await self.answers():
                silence.reschedule(asyncio.get_running_loop().time())
                return

    async def _wake(self) -> None:
        """Return when the machine runs. Callers share one start, which goes on when they have given up."""
        if self._awake():
            self._apply(Used(self._calls))
            return
        if self._waking is None:
            self._waking = asyncio.ensure_future(self._woken())
            self._waking.add_done_callback(self._forget_waking)
        waking = self._waking
        await asyncio.wait({waking}, timeout=BOOT_SECONDS)
        if not waking.done():
            raise because(
                ErrorCode.COMPUTER_UNAVAILABLE, "computer_restoring", retry_after_s=RESTORING_RETRY_SECONDS
            )
        if waking.cancelled():
            raise because(ErrorCode.COMPUTER_UNAVAILABLE, "computer_reset")
        waking.result()

    def _awake(self) -> bool:
        """Whether there is nothing to do or to wait for."""
        runs = self.machine.state == ComputerState.RUNNING and self._container.running
        return runs and not self._turn.locked() and self._kept_until_ms - self._now_ms() >= KEEP_MS_LEAST

    def _forget_waking(self, done: asyncio.Task[None]) -> None:
        self._waking = None
        # A failure whose callers have gone away is nobody's to retrieve.
        if not done.cancelled():
            done.exception()

    async def _woken(self) -> None:
        async with self._turn:
            machine = self.machine
            if machine.state == ComputerState.RUNNING and not await self._there():
                await self._gone(Gone(machine.generation, STOPPED_UNEXPECTEDLY))
            if self._apply("needed") == "start":
                await self._start()
            await self._keep()
            self._apply(Used(self._calls))

    async def _start(self) -> None:
        generation, began = self.machine.generation, self._now_ms()
        try:
            up = await self._starter.start(self.machine, lambda: self._restoring(generation))
        except BaseException as error:
            # Also where a reset has cancelled it: what runs by now is nobody's.
            reason = error.reason if isinstance(error, StartError) else START_FAILED
            count("starts", outcome=reason)
            await self._gone(Gone(generation, reason))
            if isinstance(error, StartError):
                raise error.error from error
            raise
        self._kept_until_ms = 0
        self._apply(Ready(generation, up.boot, up.woke))
        self._watch = asyncio.ensure_future(self._lose_after(up.ended, generation))
        count("starts", source=up.woke.source, outcome="ok")
        log.info("start %d took %d ms, from a %s", generation, self._now_ms() - began, up.woke.source)

    def _restoring(self, generation: int) -> None:
        self._apply(Restoring(generation))

    async def _keep(self) -> None:
        now = self._now_ms()
        if self._kept_until_ms - now >= KEEP_MS_LEAST:
            return
        try:
            async with asyncio.timeout(PLATFORM_SECONDS):
                await self._container.keep(KEEP_MS)
        except (ContainerError, TimeoutError) as error:
            # Asked again with the next call; if the container goes, `gone` says so.
            log.warning("the container could not be kept: %r", error)
        else:
            self._kept_until_ms = now + KEEP_MS

    async def _there(self) -> bool:
        """Whether the container runs. That it does not is believed only when the service is silent too."""
        return self._container.running or await self.answers()

    async def answers(self) -> bool:
        """Whether the service inside answers, and is the start that we know."""
        try:
            async with asyncio.timeout(ALIVE_SECONDS):
                same = await self._wire.boot() == self.machine.boot
        except (UnreachableError, TimeoutError):
            return False
        if same:
            self._meter.heard()
        return same

    async def _lose_after(self, ended: asyncio.Future[None], generation: int) -> None:
        await ended
        if generation == self.machine.generation:
            # It is told when it happens, so it ran until now.
            self._meter.heard()
        await self.lose(generation)

    async def lose(self, generation: int) -> None:
        """The machine of this generation is gone; a newer one is not touched."""
        async with self._turn:
            await self._gone(Gone(generation, STOPPED_UNEXPECTEDLY))

    async def _gone(self, event: Gone) -> None:
        if self._apply(event) == "destroy":
            await self._destroy()

    async def _destroy(self) -> None:
        # Also where it is said not to run: that may be wrong, and then two of them would.
        try:
            async with asyncio.timeout(PLATFORM_SECONDS):
                await self._container.destroy()
        except (ContainerError, TimeoutError) as error:
            # The next start destroys what still runs before it begins.
            log.warning("the container could not be destroyed: %r", error)

    async def sleep(self, busy: Callable[[], bool]) -> bool:
        """Save the files and stop the machine unless it is in use. True when it is in standby."""
        async with self._turn:
            if self.machine.state == ComputerState.STANDBY:
                return True
            if self._used() or busy() or self._apply("save") != "save":
                return False
            await self._saver.save(self.machine, wanted=lambda: not (self._used() or self._resets))
            if self._used():
                self._apply("interrupted")
                return False
            if self._apply("saved") != "destroy":
                log.warning("the files could not be saved, so the computer stays awake")
                if await self.answers():
                    return False
                await self._gone(Gone(self.machine.generation, STOPPED_UNEXPECTEDLY))
                return True
            await self._destroy()
        return True

    def _used(self) -> bool:
        return self._calls > 0

    async def reset(self) -> None:
        """Stop the machine, whatever it does, and forget its files; those in R2 are deleted."""
        self._resets += 1
        self._saver.interrupt()
        if self._waking:
            self._waking.cancel()
        try:
            async with self._turn:
                await self._reset()
        finally:
            self._resets -= 1

    async def _reset(self) -> None:
        was = self.machine.state
        # Both at once: there is no moment at which the files are forgotten and the backups are not.
        action = self._apply("reset")
        self._book.forget()
        if action == "destroy":
            await self._destroy()
        await self._sweep()
        if was == ComputerState.STANDBY:
            self._changed(self.machine)

    async def _sweep(self) -> None:
        """Delete what a reset leaves in R2; where that fails, the alarm tries again."""
        if await self._saver.collect():
            self._apply("swept")

    def sweep_later(self) -> None:
        """Pieces of a computer that was deleted may still arrive in R2: the alarm looks once more."""
        now = self._now_ms()
        self._store.save(replace(self.machine, since_ms=now, sweep_ms=now + SWEEP_AGAIN_MS))

    async def recover(self) -> None:
        """After this object lost its memory: find out what is true of the machine in the table."""
        async with self._turn:
            machine = self.machine
            self._meter.adopt(machine)
            if machine.state == ComputerState.STANDBY:
                return
            if machine.state == ComputerState.RUNNING and await self._taken_over():
                # A save of the one before us ended with it: the next look begins it anew.
                self._apply("interrupted")
                ended = asyncio.ensure_future(self._starter.end())
                self._watch = asyncio.ensure_future(self._lose_after(ended, machine.generation))
                return
            await self._gone(Gone(machine.generation, STOPPED_UNEXPECTEDLY))

    async def _taken_over(self) -> bool:
        if not await self._there():
            return False
        try:
            async with asyncio.timeout(PLATFORM_SECONDS):
                await self._container.attach()
        except (ContainerError, TimeoutError) as error:
            log.warning("the container could not be taken over: %r", error)
            return False
        await self._keep()
        return await self.answers()

    async def tick(self, busy: Callable[[], bool]) -> None:
        """The machine's time may be up: an idle one sleeps, a start that takes too long has failed."""
        match step(self.machine, "tick", self._now_ms())[1]:
            case "sleep":
                await self.sleep(busy)
            case "destroy":
                async with self._turn:
                    if self._apply("tick") == "destroy":
                        await self._destroy()
        sweep_ms = self.machine.sweep_ms
        if sweep_ms is not None and self._now_ms() >= sweep_ms:
            async with self._turn:
                await self._sweep()

    async def settled(self, seconds: float) -> None:
        """Wait until no transition is under way, or for `seconds`."""
        try:
            async with asyncio.timeout(seconds), self._turn:
                return
        except TimeoutError:
            return

    def told(self, woke_ms: int) -> None:
        self._apply(Told(woke_ms))

    def remind(self) -> None:
        """Say again what the owner has not been told."""
        if self.machine.untold and self.machine.state == ComputerState.RUNNING:
            self._changed(self.machine)

    def _apply(self, event: Event) -> Action | None:
        before = self.machine
        after, action = step(before, event, self._now_ms())
        self._store.save(after)
        if after.state != before.state:
            self._meter.moved(before, after)
            self._changed(after)
        return action
