"""The Durable Object of one owner. It translates; the rules are in the modules beside it.

RPC answers are replies (see `shared/reply.py`). The object is named by its owner's id. Runs are
started by the request that asks for them and stayed with by the alarm, which is also the lease
under which a run goes on after this object has died.
"""

import asyncio
import json
import logging
from collections.abc import Iterable
from typing import Any

import js
from pyodide.ffi import JsException, to_js
from workers import DurableObject, Response

from contracts import version
from contracts.allowance import ComputerCircuit, Interval, Spent
from contracts.errors import STATUS, BerthError, ErrorCode
from contracts.events import PROTOCOL, HelloData
from contracts.limits import TITLE_SECONDS
from contracts.operators import OwnerReport
from contracts.people import Caller, Right
from contracts.reasons import because
from contracts.records import REMOVED_BY_AGE
from contracts.records import Owner as OwnerRecord
from contracts.states import Locale, RunState
from durable_objects.bot_owner.archive.builder import ArchiveBuilder
from durable_objects.bot_owner.archive.documents import Documents
from durable_objects.bot_owner.archive.store import ArchiveStore
from durable_objects.bot_owner.billing.circuit_desk import PlatformError
from durable_objects.bot_owner.client import ComputerClient
from durable_objects.bot_owner.deletion import Deletion
from durable_objects.bot_owner.departures import Departures
from durable_objects.bot_owner.deployment import deployment_of
from durable_objects.bot_owner.estate import PlatformEstate
from durable_objects.bot_owner.export import MEDIA_TYPES, pieces
from durable_objects.bot_owner.joining import Joining
from durable_objects.bot_owner.key_safe import KeySafe
from durable_objects.bot_owner.models.choose import model_of
from durable_objects.bot_owner.multipart import R2Multipart
from durable_objects.bot_owner.notices.fetching import post
from durable_objects.bot_owner.operations import Fields, Operations
from durable_objects.bot_owner.outlets import EventStreamOutlet, SocketOutlet, pour_text
from durable_objects.bot_owner.owner import assemble
from durable_objects.bot_owner.reporting import ReportError
from durable_objects.bot_owner.stream import Holder, Watcher
from durable_objects.bot_owner.venue.noble import noble
from durable_objects.bot_owner.web_crypto import WebCrypto
from durable_objects.bot_owner.web_get import get
from durable_objects.shared import js as border
from durable_objects.shared.alarm import Alarm
from durable_objects.shared.clockwork import Clockwork
from durable_objects.shared.driver import Driver
from durable_objects.shared.reply import opened, sealed
from telemetry.shell import event, told
from telemetry.spans import span
from telemetry.trace import TRACE_HEADER, of_run, within

log = logging.getLogger(__name__)

# Short of the ten seconds after which an object that nobody talks to may be put away.
LEASE_MS = 5_000
# An alarm may take 15 minutes on Cloudflare; the next one goes on.
ALARM_SECONDS = 12 * 60


class BotOwner(DurableObject):  # type: ignore[misc]
    def __init__(self, ctx: Any, env: Any) -> None:
        super().__init__(ctx, env)
        self._js, self._env = border.raw(ctx), border.raw(env)
        self._owner_id = str(self._js.id.name)
        self._deployment = deployment_of(self._env)
        self._leaving: set[asyncio.Future[None]] = set()
        self._assemble()
        self._sealing = asyncio.ensure_future(self._seal_anew())
        self._restore_sockets()
        self._remind()

    def _assemble(self) -> None:
        """Everything that stands on this object's storage."""
        self._context = border.context(self._js.storage)
        computer = ComputerClient(lambda: self._env.BOT_COMPUTER.getByName(self._owner_id))
        self._alarm = Alarm(self._js.storage.setAlarm, self._context.now_ms)
        self._owner = assemble(
            self._context,
            self._owner_id,
            computer=computer,
            multipart=R2Multipart(self._env.BUCKET),
            ring_by=self._alarm.by,
            model_of=lambda bot, own_key: model_of(bot, self._deployment.means, own_key),
            picture=self._picture,
            remove_pictures=self._remove_pictures,
            safe=KeySafe(self._deployment.ring, WebCrypto(), self._context.entropy),
            sandboxed=self._deployment.sandboxed,
            exchange=self._deployment.exchange(),
            curve=noble,
            ask_platform=self._ask_platform,
            tell_record=border.record_of(self._env),
            tell_report=self._tell_report,
            prices=self._deployment.prices,
            office=self._deployment.post_office(post, self._hurry),
            get=get,
        )
        self._courier = Driver(lambda _key: self._owner.notices.desk.sweep(), lambda _key: None)
        self._driver = Driver(self._drive, self._broken)
        self._clockwork = Clockwork(
            self._owner.timers,
            {**self._owner.work, "retention": self._remove_by_age, "archive": self._build_archive},
            now_ms=self._context.now_ms,
            others=self._driver,
            fired=self._go_on,
        )
        self._namer = Driver(self._owner.titles.name, lambda _thread_id: None)
        estate = PlatformEstate(
            self._owner_id,
            self._env,
            unfinished=self._owner.unfinished,
            record=self._owner.audit,
            quiet=self._quiet,
            tables=self._forget,
        )
        self._deletion = Deletion(self._context, estate, self._alarm.by)
        self._joining = Joining(self._owner, self._owner_id, self._deletion)
        self._departures = Departures(self._owner, self._deletion)
        self._archives = ArchiveStore(self._env.BUCKET)
        self._archive = ArchiveBuilder(
            self._context,
            self._owner_id,
            Documents(
                self._context.sql,
                self._owner.catalog,
                self._owner.record,
                perform=self._perform,
                egress=self._egress_rules,
                audit=self._audit_lines,
                person=self._person_told,
            ),
            self._archives,
            self._ring_archive,
        )
        self._operations = Operations(
            self._owner,
            computer,
            self._deletion,
            self._archive,
            go_on=self._go_on,
            about=self._about,
        )

    async def _seal_anew(self) -> None:
        await self._owner.keys.seal_anew()
        await self._owner.trading.accounts.seal_anew()
        await self._owner.notices.setup.seal_anew()

    def _hurry(self) -> None:
        """Not by the alarm alone: that one may be staying with a long run."""
        self._courier.start("notices")

    async def _quiet(self) -> None:
        self._owner.audience.close_all()
        await self._courier.cancel()
        await self._clockwork.cancel()
        await self._driver.cancel()
        await self._namer.cancel()

    async def _forget(self) -> None:
        """The storage with everything in it, and begin anew on an empty one."""
        await self._js.storage.deleteAlarm()
        await self._js.storage.deleteAll()
        self._assemble()

    async def call(self, operation: str, payload: str, caller: str, trace: str = "") -> str:
        """One of `operations.py`, by name, for a `Caller` as JSON."""

        async def work() -> Any:
            who = Caller.model_validate_json(caller)
            return await self._operations.do(operation, json.loads(payload), who)

        with event(self._env, self._js, f"owner {operation}", carried=trace):
            return await sealed(work)

    async def join(self, operation: str, payload: str, caller: str = "") -> str:
        """One of `joining.py`, by name, for who may not belong here yet; a `Caller` as JSON, or nobody."""

        async def work() -> Any:
            who = Caller.model_validate_json(caller) if caller else None
            return await self._joining.do(operation, json.loads(payload), who)

        return await sealed(work)

    async def role_of(self, person_id: str) -> str:
        """From the computer: what a person is here → {role}, empty for who does not belong here."""

        async def work() -> Any:
            self._deletion.check()
            return {"role": self._owner.members.role_of(person_id)}

        return await sealed(work)

    async def signed_out(self, person_id: str, credential_ids: str) -> None:
        """From the Worker: these sessions and tokens, a JSON list, have ended. So do their streams."""
        self._owner.audience.sign_out(person_id, json.loads(credential_ids))

    async def member_leaves(self, step: str, person_id: str) -> str:
        """From the owner's object of a person whose account is deleted: one of `departures.py`, by name."""

        async def work() -> Any:
            return await self._departures.do(step, person_id)

        return await sealed(work)

    async def account_addresses(self) -> str:
        """From the computer, for its environment: public addresses of accounts and nothing else."""

        async def work() -> Any:
            self._deletion.check()
            return {"addresses": self._owner.trading.accounts.addresses()}

        return await sealed(work)

    async def computer_changed(self, view: str) -> None:
        """From the computer: its state, kept for those who come later and shown where it matters."""
        if not self._deletion.begun:
            self._owner.computer.changed(view)

    async def settle(self, payload: str) -> str:
        """From the computer: times for which its machine ran, as a JSON list of intervals."""

        async def work() -> Any:
            # Who is being deleted is charged nothing more; the computer is to forget it as well.
            if not self._deletion.begun:
                intervals = [Interval.model_validate(one) for one in json.loads(payload)]
                self._owner.allowance.settle(intervals)
                self._owner.circuit.remind()
                self._owner.reporter.remind()
            return {}

        return await sealed(work)

    async def alarm(self, _info: Any = None) -> None:
        self._alarm.rang()
        with event(self._env, self._js, "owner alarm"):
            await self._rung()

    async def _rung(self) -> None:
        if self._deletion.rests:
            await self._rest()
            return
        self._go_on()
        try:
            await self._clockwork.stay(ALARM_SECONDS)
            await self._namer.join(TITLE_SECONDS)
        finally:
            self._remind()

    async def _rest(self) -> None:
        """The alarm of an owner who is being deleted, or will be: the archive alone goes on until then."""
        await self._deletion.go_on()
        if not self._deletion.begun:
            await self._archive.sweep()

    def _remind(self) -> None:
        """Set the alarm for what waits, which may be all that a dead object has left."""
        self._go_on()
        if not self._deletion.rests:
            self._owner.timers.remind()
        elif not self._deletion.begun:
            self._archive.remind()

    def _go_on(self) -> None:
        """Drive what is due, under an alarm that finds it again should this object die."""
        self._deletion.remind()
        if self._deletion.rests:
            return
        for run_id in self._owner.journal.due():
            self._owner.timers.wake(self._context.now_ms() + LEASE_MS)
            self._driver.start(run_id)

    async def _drive(self, run_id: str) -> None:
        """One run to its end, and then those that waited for it."""
        try:
            with within(of_run(run_id)), span("run"):
                await self._owner.loop.drive(run_id)
        finally:
            told(self._env, self._js)
        # What it has made will be too old one day.
        self._owner.keeping.remind()
        self._owner.reporter.remind()
        self._go_on()
        if thread_id := self._owner.titles.wanted(run_id):
            # Not by this run's task: the thread goes on meanwhile.
            self._owner.timers.wake(self._context.now_ms() + LEASE_MS)
            self._namer.start(thread_id)

    async def fetch(self, request: Any) -> Any:
        """`/stream/{thread id}?after=SEQ`: a WebSocket, or server-sent events for simple clients;
        `/export/{thread id}?as=KIND`: the thread as a file; `/usage/csv`: what was used, as one;
        `/archive/tar`: the archive of everything.

        The caller is in a header of ours; what is refused is the error as JSON.
        """
        sent = str(request.headers.get(TRACE_HEADER) or "")
        with event(self._env, self._js, "owner fetch", carried=sent):
            try:
                return self._admitted(request, js.URL.new(request.url))
            except BerthError as error:
                return Response(json.dumps(error.as_dict()), status=STATUS[error.code])

    def _admitted(self, request: Any, url: Any) -> Any:
        who = border.caller_of(request)
        if str(url.pathname) == "/archive/tar":
            self._owner.members.admit(who, Right.MANAGE)
            return self._archived()
        self._owner.members.admit(who, Right.READ)
        self._deletion.check()
        return self._opened(request, url, Holder(who.person_id, who.credential_id, who.until_ms))

    def _opened(self, request: Any, url: Any, holder: Holder) -> Any:
        _, what, thread_id = str(url.pathname).split("/")
        if what == "export":
            return self._exported(thread_id, str(url.searchParams.get("as")))
        if what == "usage":
            return self._usage(*(str(url.searchParams.get(f"{end}_day") or "") for end in ("first", "last")))
        after, head = int(url.searchParams.get("after") or 0), self._owner.record.head(thread_id)
        hello = HelloData(
            protocol=PROTOCOL,
            thread_id=thread_id,
            head_seq=head,
            computer=self._owner.computer.view,
        )
        if (request.headers.get("upgrade") or "").lower() == "websocket":
            return self._open_socket(thread_id, min(after, head), hello, holder)
        return self._open_event_stream(thread_id, min(after, head), hello, holder)

    async def webSocketMessage(self, socket: Any, message: Any) -> None:  # noqa: N802
        if not isinstance(message, str) or len(message) > 1_000:
            socket.close(1009, "only short text messages are taken")
            return
        try:
            fields = json.loads(message)
            kind = fields["type"]
        except (ValueError, KeyError, TypeError):
            socket.close(1007, "not a message of this protocol")
            return
        if kind == "ping":
            socket.send('{"type":"pong"}')
        elif kind == "ack" and isinstance(fields.get("bytes"), int):
            kept = json.loads(socket.deserializeAttachment())
            self._owner.audience.acknowledge(kept["thread_id"], kept["key"], fields["bytes"])

    async def webSocketClose(self, socket: Any, code: int, _reason: str, _clean: bool) -> None:  # noqa: N802
        kept = json.loads(socket.deserializeAttachment())
        self._owner.audience.leave(kept["thread_id"], kept["key"])
        if code not in (1005, 1006, 1015):
            socket.close(code, "")

    async def webSocketError(self, socket: Any, _error: Any) -> None:  # noqa: N802
        kept = json.loads(socket.deserializeAttachment())
        self._owner.audience.leave(kept["thread_id"], kept["key"])

    def _open_socket(self, thread_id: str, after: int, hello: HelloData, holder: Holder) -> Any:
        client, server = js.WebSocketPair.new().object_values()
        key = self._context.new_id("ws")
        self._js.acceptWebSocket(server)
        outlet = SocketOutlet(server, key, thread_id, holder)
        outlet.keep(after)
        self._owner.audience.join(key, Watcher(thread_id, outlet, after, holder=holder), hello)
        return js.Response.new(None, border.js_object({"status": 101, "webSocket": client}))

    def _exported(self, thread_id: str, kind: Any) -> Any:
        """The bytes come at the reader's pace; one that hangs up ends the work."""
        thread = self._owner.catalog.thread(thread_id)
        bot = str(self._owner.catalog.bot_row(thread.bot_id)["name"])
        locale = self._owner.catalog.setting("locale", Locale.ENGLISH)
        rows = self._owner.record.all(thread_id, until=thread.head_seq)
        return self._poured(pieces(kind, thread, bot, locale, rows), MEDIA_TYPES[kind])

    def _usage(self, first_day: str, last_day: str) -> Any:
        usage = self._owner.usage
        return self._poured(usage.table(*usage.days(first_day, last_day)), "text/csv; charset=utf-8")

    def _poured(self, parts: Iterable[str], media_type: str) -> Any:
        pipe = js.TransformStream.new()
        pouring = asyncio.ensure_future(pour_text(pipe.writable.getWriter(), parts))
        self._leaving.add(pouring)
        pouring.add_done_callback(self._leaving.discard)
        return js.Response.new(pipe.readable, border.js_object({"headers": {"content-type": media_type}}))

    def _open_event_stream(self, thread_id: str, after: int, hello: HelloData, holder: Holder) -> Any:
        pipe = js.TransformStream.new()
        writer = pipe.writable.getWriter()
        key, audience = self._context.new_id("sse"), self._owner.audience

        def acknowledged(characters: int) -> None:
            audience.acknowledge(thread_id, key, characters)

        outlet = EventStreamOutlet(writer, acknowledged)

        async def leave_when_closed() -> None:
            await outlet.until_closed()
            audience.leave(thread_id, key)
            self._leaving.discard(leaving)

        leaving = asyncio.ensure_future(leave_when_closed())
        self._leaving.add(leaving)
        audience.join(key, Watcher(thread_id, outlet, after, holder=holder), hello)
        headers = {"content-type": "text/event-stream", "cache-control": "no-store"}
        return js.Response.new(pipe.readable, border.js_object({"headers": headers}))

    def _restore_sockets(self) -> None:
        for socket in self._js.getWebSockets():
            kept = json.loads(socket.deserializeAttachment())
            holder = Holder(*kept.get("holder", ()))
            outlet = SocketOutlet(socket, kept["key"], kept["thread_id"], holder)
            watcher = Watcher(kept["thread_id"], outlet, kept["cursor"], caught_up=True, holder=holder)
            self._owner.audience.restore(kept["key"], watcher)

    async def _perform(self, operation: str, fields: Fields) -> Any:
        return await self._operations.perform(operation, fields)

    def _ring_archive(self, at_ms: int) -> None:
        if self._deletion.rests:
            self._alarm.by(at_ms)
        else:
            self._owner.timers.by("archive", at_ms)

    async def _build_archive(self, _key: str) -> None:
        await self._archive.sweep()

    async def _egress_rules(self) -> list[str]:
        try:
            return [str(await self._env.BOT_COMPUTER.getByName(self._owner_id).egress_rules())]
        except JsException as error:
            raise BerthError(ErrorCode.INTERNAL, "The computer did not answer.") from error

    async def _person_told(self) -> list[str]:
        try:
            told = opened(await self._env.PERSON.getByName(self._owner_id).depart("told", "{}"))
        except JsException as error:
            raise BerthError(ErrorCode.INTERNAL, "The person did not answer.") from error
        return [json.dumps(told, ensure_ascii=False, indent=1)]

    async def _audit_lines(self) -> list[str]:
        platform, lines = self._env.PLATFORM.getByName("platform"), []
        after: int | None = 0
        while after is not None:
            asked = json.dumps({"after": after, "owner_id": self._owner_id})
            try:
                piece = opened(await platform.ask("audit_lines", asked))
            except JsException as error:
                raise BerthError(ErrorCode.INTERNAL, "The record did not answer.") from error
            lines.append(piece["text"])
            after = piece["next_after"]
        return lines

    def _archived(self) -> Any:
        """The archive as a tar file of a known length; one that breaks off is shorter, and looks so."""
        size, members = self._archive.download()
        pipe = js.FixedLengthStream.new(size)
        pouring = asyncio.ensure_future(self._archives.pour(pipe.writable, members))
        self._leaving.add(pouring)
        pouring.add_done_callback(self._leaving.discard)
        headers = {"content-type": "application/x-tar", "content-length": str(size)}
        return js.Response.new(pipe.readable, border.js_object({"headers": headers}))

    def _broken(self, run_id: str) -> None:
        error = because(ErrorCode.INTERNAL, "our_side_send_again")
        self._owner.record.write(lambda: self._owner.journal.move(run_id, RunState.FAILED, error=error))
        self._go_on()

    async def _picture(self, key: str) -> bytes | None:
        stored = await self._env.BUCKET.get(key)
        if border.is_missing(stored):
            return None
        content: bytes = (await stored.arrayBuffer()).to_bytes()
        return content

    async def _remove_pictures(self, keys: list[str]) -> None:
        try:
            await self._env.BUCKET.delete(to_js(keys))
        except JsException as error:
            raise because(ErrorCode.INTERNAL, "store_silent") from error

    async def _ask_platform(self, spent: Spent) -> ComputerCircuit:
        try:
            reply = await self._env.PLATFORM.getByName("platform").spent(spent.model_dump_json())
            return ComputerCircuit.model_validate(opened(reply))
        except (JsException, BerthError) as error:
            raise PlatformError(str(error)) from error

    async def _remove_by_age(self, _key: str) -> None:
        removed = (await self._owner.keeping.sweep()).model_dump()
        if any(removed.values()):
            self._owner.audit.note(REMOVED_BY_AGE, removed)
            await self._owner.audit.soon()

    async def _tell_report(self, report: OwnerReport) -> None:
        try:
            await self._env.PLATFORM.getByName("platform").report(self._owner_id, report.model_dump_json())
        except JsException as error:
            raise ReportError(str(error)) from error

    def _about(self, locale: str) -> OwnerRecord:
        return OwnerRecord(
            id=self._owner_id,
            locale=Locale(locale),
            network=str(getattr(self._env, "BERTH_NETWORK", "") or "testnet"),
            sandboxed=self._deployment.sandboxed,
            version=version.VERSION,
            providers=self._deployment.providers,
            platform_keys=sorted(self._deployment.means.platform_keys),
            takes_keys=self._owner.keys.taken,
            time_zone=self._owner.allowance.chosen_zone,
        )
