"""One computer at work: commands by id, each driven to its end whoever asked for it.

A command's row is written first, then the machine is woken, then the command is followed. Callers
wait for its end and may go away; the alarm keeps this object awake until it is there.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace

from contracts.allowance import Account
from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from contracts.records import Ban, CommandResult, Computer, EgressRule, Restored
from contracts.states import CommandState, ComputerState, Origin
from durable_objects.bot_computer.backups import BackupBook, Backups
from durable_objects.bot_computer.ban import BanBook, banned
from durable_objects.bot_computer.commands import CommandBook, lost, shown, stopped_before_it_began
from durable_objects.bot_computer.container import Container
from durable_objects.bot_computer.deliveries import Deliver, Deliveries
from durable_objects.bot_computer.egress_desk import AskStanding, EgressDesk
from durable_objects.bot_computer.egress_rules import EgressRules
from durable_objects.bot_computer.follow import (
    ALIVE_SECONDS,
    Follower,
    Listener,
    Outgoing,
    UnreachableError,
    Wire,
)
from durable_objects.bot_computer.lifecycle import Machine
from durable_objects.bot_computer.meter import Meter
from durable_objects.bot_computer.pieces import BackupWire, PieceStore
from durable_objects.bot_computer.power import Power, asleep
from durable_objects.bot_computer.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.driver import Driver
from durable_objects.shared.sql import migrate

LEASE_MS = 10_000
# A command that was asked to stop has two seconds, then it is killed.
STOP_SECONDS = 10.0
# How often the alarm that stays with a command looks what is to be charged.
LOOK_SECONDS = 5.0


class ComputerCore:
    def __init__(  # noqa: PLR0913 - the borders of the object, each by its name
        self,
        context: Context,
        container: Container,
        wire: Wire,
        *,
        backup_wire: BackupWire,
        pieces: PieceStore,
        changed: Callable[[Computer, int], None],
        ring_by: Callable[[int], None],
        ask_standing: AskStanding,
        deliver: Deliver,
    ) -> None:
        self._now_ms = context.now_ms
        self._wire = wire
        self._changed = changed
        self._ring_by = ring_by

        def machine_changed(machine: Machine) -> None:
            changed(self.view(), machine.generation)

        migrate(context.sql, SCHEMA)
        self.book = CommandBook(context)
        self.ban = BanBook(context, ask_standing)
        self._desk = EgressDesk(context, ask_standing)
        self.rules = EgressRules(context)
        backups = Backups(backup_wire, pieces, BackupBook(context))
        self._meter = Meter(context)
        self._deliveries = Deliveries(self._meter, deliver, context.now_ms, ring_by)
        self.power = Power(context, container, wire, backups, changed=machine_changed, meter=self._meter)
        self._followers: dict[str, Follower] = {}
        self._listeners: dict[str, list[Listener]] = {}
        self._ends: dict[str, asyncio.Future[CommandResult]] = {}
        self._driver = Driver(self._run, self._broken)
        self._recovery: asyncio.Future[None] | None = None
        self._quieting: asyncio.Task[None] | None = None
        self._closed = False

    def view(self) -> Computer:
        machine = self.power.machine
        return Computer(
            state=machine.state,
            since_ms=machine.since_ms,
            reason=machine.reason,
            commands=[shown(row) for row in self.book.unfinished()],
            restored=_restored(machine),
            ban=self.ban.now,
        )

    def unreadable(self) -> BerthError:
        """Why its files cannot be had: it sleeps until the next command, or a ban lets it wake no more."""
        return banned(self.ban.now) if self.ban.now else asleep()

    def told(self, woke_ms: int) -> None:
        """The owner knows with what the computer woke at that time."""
        self.power.told(woke_ms)

    def use(self, account: Account) -> AbstractAsyncContextManager[Machine]:
        """Wake the machine for a command, unless it is banned. Raises `computer_banned`."""
        return self._admitted(self.power.use, account)

    def call(self, account: Account) -> AbstractAsyncContextManager[Machine]:
        """The same for a call that says nothing before its answer, see `Power.call`."""
        return self._admitted(self.power.call, account)

    @asynccontextmanager
    async def hand(self, *, while_running: bool) -> AsyncIterator[Machine]:
        """A person lays hands on the files of a computer that runs; it is not woken for that.

        Raises `computer_unavailable` in standby, `computer_banned`, and `computer_busy` while commands run
        that may be at work on the same files, unless the person knows.
        """
        await self._admit()
        if self._busy() and not while_running:
            raise because(
                ErrorCode.COMPUTER_BUSY,
                "commands_running",
                details={"running": [shown(row).model_dump() for row in self.book.unfinished()]},
            )
        try:
            async with self.power.stay() as machine:
                yield machine
        finally:
            self.arm()

    @asynccontextmanager
    async def _admitted(
        self, wake: Callable[[Account], AbstractAsyncContextManager[Machine]], account: Account
    ) -> AsyncIterator[Machine]:
        await self._admit()
        try:
            async with wake(account) as machine:
                # That may have changed while it started.
                await self._admit()
                yield machine
        finally:
            if self.ban.now:
                self._quiet_soon()
            self._deliveries.arm()
        await self._deliveries.after_call()

    async def _admit(self) -> None:
        if self._closed:
            raise _being_deleted()
        await self.ban.admit()

    async def close(self) -> None:
        """End everything and stop the machine, banned or not: what is stored of it is about to be deleted."""
        self._closed = True
        await self.recover()
        await self._stop_all()
        await self._driver.cancel()
        for command_id in list(self._ends):
            self._settle(command_id, lambda end: end.set_exception(_being_deleted()))
        if self._quieting:
            self._quieting.cancel()
        await self.power.reset()
        await self._deliveries.close()

    async def ban_changed(self, n: int, ban: Ban | None) -> None:
        """From Platform: end what runs and sleep, or be as before. What is no news does nothing."""
        await self.recover()
        if not self.ban.heard(n, ban):
            return
        if ban:
            self._quiet_soon()
        self._changed(self.view(), self.power.machine.generation)

    def _quiet_soon(self) -> None:
        """The alarm does the same, should this object die meanwhile."""
        if self.power.machine.state == ComputerState.STANDBY:
            return
        self._ring_by(self._now_ms() + LEASE_MS)
        if self._quieting is None or self._quieting.done():
            self._quieting = asyncio.ensure_future(self._quiet())

    async def _quiet(self) -> None:
        """A banned computer runs nothing; its files are saved."""
        await self._stop_all()
        await self.power.sleep(self._busy)
        self.arm()

    async def exec(
        self,
        command_id: str,
        command: str,
        timeout_s: int,
        *,
        origin: Origin,
        account: Account,
        listener: Listener | None = None,
    ) -> CommandResult:
        """Run a command, or find the one with this id, and return how it ended.

        Raises `computer_busy` and `computer_unavailable` where it did not begin.
        """
        await self.recover()
        if result := self.book.result(command_id):
            return result
        await self._admit()
        self.book.accept(command_id, command, timeout_s, origin, account)
        if listener:
            self._listen(command_id, listener)
        end = self._ends.get(command_id)
        if end is None:
            end = self._ends[command_id] = asyncio.get_running_loop().create_future()
            # A failure whose caller has gone away is nobody's to retrieve.
            end.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._driver.start(command_id)
        self.arm()
        return await asyncio.shield(end)

    async def stop(self, command_id: str) -> bool:
        """Ask a running command to end; False where there is none of this id.

        It is written down: whoever follows the command asks until it has heard, also after a death.
        """
        await self.recover()
        if not self.book.ask_stop(command_id):
            return False
        if follower := self._followers.get(command_id):
            await follower.stop()
        return True

    async def sleep(self, *, stop: bool = False) -> bool:
        """Save and stop now, unless something runs; with `stop` that is ended first."""
        await self.recover()
        if stop:
            await self._stop_all()
        asleep = await self.power.sleep(self._busy)
        self.arm()
        return asleep

    async def reset(self) -> None:
        """End what runs, stop the machine and forget its files; what was exported stays.

        Raises `computer_banned`: what an operator may have to look at is not to be removed.
        """
        await self.recover()
        await self._admit()
        await self._stop_all()
        await self.power.reset()
        self.arm()

    async def _stop_all(self) -> None:
        for row in self.book.unfinished():
            await self.stop(row["id"])
        await self._driver.join(STOP_SECONDS)

    async def admit_egress(self, request: Outgoing) -> None:
        """A request to the outside was judged: may it leave now? Shown with whatever runs.

        Raises the BerthError that refuses one which the rules would allow.
        """
        try:
            await self._desk.admit(request.host)
        except BerthError as error:
            self._note(replace(request, reason=error.message, code=error.code))
            raise
        self._note(request)

    async def egress_moved(self, request: Outgoing, sent: int, received: int) -> float:
        """Count what it moved; return how long it should rest. Raises where it must be cut."""
        for follower in self._followers.values():
            follower.moved(request, sent, received)
        return await self._desk.moved(request.host, sent + received)

    def egress_rules(self) -> list[EgressRule]:
        """The owner's own rules that hold for what runs now."""
        accepted = [row["accepted_ms"] for row in self.book.unfinished()]
        return self.rules.holding(min(accepted, default=None))

    def _note(self, request: Outgoing) -> None:
        for follower in self._followers.values():
            follower.note(request)

    def _busy(self) -> bool:
        return bool(self.book.unfinished())

    def _listen(self, command_id: str, listener: Listener) -> None:
        follower = self._followers.get(command_id)
        if follower:
            follower.listen(listener)
        else:
            self._listeners.setdefault(command_id, []).append(listener)

    async def _run(self, command_id: str) -> None:
        try:
            async with self._turn_of(command_id) as machine:
                result = self.book.finish(self._marked(await self._follow(command_id, machine)))
                if result.state == CommandState.LOST and not await self._over(command_id):
                    await self.power.lose(machine.generation)
            await self._deliveries.after_call()
            self._settle(command_id, lambda end: end.set_result(result))
        except BerthError as error:
            self.book.withdraw(command_id)
            refusal = error
            self._settle(command_id, lambda end: end.set_exception(refusal))
        finally:
            self._followers.pop(command_id, None)
            self._listeners.pop(command_id, None)
            self.arm()

    async def _over(self, command_id: str) -> bool:
        """End a lost command where its machine still answers, so that it writes nothing behind its end.

        False where that cannot be: then the machine has to go.
        """
        follower = self._followers.get(command_id)
        if (follower and follower.gone) or not await self.power.answers():
            return False
        try:
            async with asyncio.timeout(ALIVE_SECONDS):
                await self._wire.stop(command_id)
        except BerthError as error:
            return error.code == ErrorCode.NOT_FOUND  # it never began
        except (UnreachableError, TimeoutError):
            return False
        return True

    async def _follow(self, command_id: str, machine: Machine) -> CommandResult:
        known = self.book.find(command_id)
        if known and known["state"] == CommandState.RUNNING and known["generation"] != machine.generation:
            # Its machine went while this object was taking it up again; in a new one it would run twice.
            return lost(known, self._now_ms())
        if known and known["state"] == CommandState.ACCEPTED and known["stop_asked"]:
            # Somebody changed their mind while the machine was starting: nothing has begun.
            return stopped_before_it_began(known)
        row = self.book.start(command_id, machine.generation)
        follower = Follower(row, self._wire, machine.boot or "", self._now_ms, self._meter.heard)
        for listener in self._listeners.pop(command_id, []):
            follower.listen(listener)
        self._followers[command_id] = follower
        return await follower.follow()

    def _turn_of(self, command_id: str) -> AbstractAsyncContextManager[Machine]:
        """The machine for a command; one that runs already is followed to its end, banned or not."""
        row = self.book.find(command_id)
        runs = row is not None and row["state"] == CommandState.RUNNING
        account = Account.model_validate_json(row["account"]) if row else Account()
        if runs and self.power.machine.state == ComputerState.RUNNING:
            return self.power.use(account)
        return self.use(account)

    def _marked(self, result: CommandResult) -> CommandResult:
        """Who was stopped by a ban is told so."""
        if self.ban.now is None or result.state != CommandState.STOPPED:
            return result
        return result.model_copy(update={"banned": True})

    def _broken(self, command_id: str) -> None:
        row = self.book.find(command_id)
        if row:
            result = self.book.finish(lost(row, self._now_ms()))
            self._settle(command_id, lambda end: end.set_result(result))

    def _settle(self, command_id: str, settle: Callable[[asyncio.Future[CommandResult]], None]) -> None:
        end = self._ends.pop(command_id, None)
        if end and not end.done():
            settle(end)

    async def recover(self) -> None:
        """Once, after this object lost its memory: find out what is true and go on from there."""
        if self._recovery is None:
            self._recovery = asyncio.ensure_future(self._recover())
        recovery = self._recovery
        try:
            await asyncio.shield(recovery)
        except Exception:
            # Whoever comes next looks again, instead of failing for as long as this object lives.
            if self._recovery is recovery:
                self._recovery = None
            raise

    async def _recover(self) -> None:
        await self.power.recover()
        machine = self.power.machine
        for row in self.book.unfinished():
            running = machine.state == ComputerState.RUNNING and row["generation"] == machine.generation
            if running or row["state"] == CommandState.ACCEPTED:
                self._driver.start(row["id"])
            else:
                self.book.finish(lost(row, self._now_ms()))

    async def tick(self, seconds: float) -> None:
        """What the alarm does: go on with what was left, stay with what runs, sleep when idle."""
        self.arm()
        await self.recover()
        end = asyncio.get_running_loop().time() + seconds
        if self.ban.now:
            await self._quiet()
        await self.power.settled(end - asyncio.get_running_loop().time())
        await self._stay(end)
        self.book.forget_old()
        self.power.remind()
        await self.power.tick(self._busy)
        self.arm()

    async def _stay(self, end: float) -> None:
        """Wait for what runs, until a time of the loop, and have its time charged meanwhile."""
        await self._deliveries.run()
        while self._busy() and (left := end - asyncio.get_running_loop().time()) > 0:
            await self._driver.join(min(left, LOOK_SECONDS))
            self._meter.settle_long()
            await self._deliveries.run()
        await self._driver.join(end - asyncio.get_running_loop().time())

    def arm(self) -> None:
        """Set the one alarm: soon while something is under way, else when the machine's time is up."""
        machine = self.power.machine
        if self._busy() or self.power.at_work:
            self._ring_by(self._now_ms() + LEASE_MS)
        elif machine.until_ms is not None:
            self._ring_by(machine.until_ms)
        if machine.sweep_ms is not None:
            # One that is overdue has just failed: at once it would only fail again.
            self._ring_by(max(machine.sweep_ms, self._now_ms() + LEASE_MS))
        self._deliveries.arm()


def _being_deleted() -> BerthError:
    return because(ErrorCode.BEING_DELETED, "computer_being_deleted")


def _restored(machine: Machine) -> Restored | None:
    """With what else a machine that is awake came back, and its owner has not been told."""
    return machine.untold[0] if machine.untold and machine.state == ComputerState.RUNNING else None
