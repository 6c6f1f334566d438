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
from contracts.records import REMOVED_BY_AGE
from contracts.records import Owner as OwnerRecord
from contracts.states import Locale, RunState
from durable_objects.bot_owner.billing.circuit_desk import PlatformError
from durable_objects.bot_owner.client import ComputerClient
from durable_objects.bot_owner.deletion import Deletion
from durable_objects.bot_owner.deployment import deployment_of
from durable_objects.bot_owner.estate import PlatformEstate
from durable_objects.bot_owner.export import MEDIA_TYPES, pieces
from durable_objects.bot_owner.key_safe import KeySafe
from durable_objects.bot_owner.models.choose import model_of
from durable_objects.bot_owner.multipart import R2Multipart
from durable_objects.bot_owner.notices.fetching import post
from durable_objects.bot_owner.operations import Operations
from durable_objects.bot_owner.outlets import EventStreamOutlet, SocketOutlet, pour_text
from durable_objects.bot_owner.owner import assemble
from durable_objects.bot_owner.stream import Watcher
from durable_objects.bot_owner.venue.noble import noble
from durable_objects.bot_owner.web_crypto import WebCrypto
from durable_objects.bot_owner.web_get import get
from durable_objects.shared import js as border
from durable_objects.shared.alarm import Alarm
from durable_objects.shared.clockwork import Clockwork
from durable_objects.shared.driver import Driver
from durable_objects.shared.reply import opened, sealed

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
            prices=self._deployment.prices,
            office=self._deployment.post_office(post, self._hurry),
            get=get,
        )
        self._courier = Driver(lambda _key: self._owner.notices.desk.sweep(), lambda _key: None)
        self._driver = Driver(self._drive, self._broken)
        self._clockwork = Clockwork(
            self._owner.timers,
            {**self._owner.work, "retention": self._remove_by_age},
            now_ms=self._context.now_ms,
            others=self._driver,
            fired=self._go_on,
        )
        self._namer = Driver(self._owner.titles.name, lambda _thread_id: None)
        estate = PlatformEstate(
            self._owner_id,
            self._env,
            unfinished=self._owner.unfinished,
            quiet=self._quiet,
            tables=self._forget,
        )
        self._deletion = Deletion(self._context, estate, self._alarm.by)
        self._operations = Operations(
            self._owner,
            computer,
            self._deletion,
            go_on=self._go_on,
            about=self._about,
            audit=self._audit,
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

    async def call(self, operation: str, payload: str) -> str:
        """One of `operations.py`, by name."""

        async def work() -> Any:
            return await self._operations.do(operation, json.loads(payload))

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
            return {}

        return await sealed(work)

    async def alarm(self, _info: Any = None) -> None:
        self._alarm.rang()
        if self._deletion.begun:
            await self._deletion.go_on()
            return
        self._go_on()
        try:
            await self._clockwork.stay(ALARM_SECONDS)
            await self._namer.join(TITLE_SECONDS)
        finally:
            self._remind()

    def _remind(self) -> None:
        """Set the alarm for what waits, which may be all that a dead object has left."""
        self._go_on()
        if not self._deletion.begun:
            self._owner.timers.remind()

    def _go_on(self) -> None:
        """Drive what is due, under an alarm that finds it again should this object die."""
        self._deletion.remind()
        if self._deletion.begun:
            return
        for run_id in self._owner.journal.due():
            self._owner.timers.wake(self._context.now_ms() + LEASE_MS)
            self._driver.start(run_id)

    async def _drive(self, run_id: str) -> None:
        """One run to its end, and then those that waited for it."""
        await self._owner.loop.drive(run_id)
        # What it has made will be too old one day.
        self._owner.keeping.remind()
        self._go_on()
        if thread_id := self._owner.titles.wanted(run_id):
            # Not by this run's task: the thread goes on meanwhile.
            self._owner.timers.wake(self._context.now_ms() + LEASE_MS)
            self._namer.start(thread_id)

    async def fetch(self, request: Any) -> Any:
        """`/stream/{thread id}?after=SEQ`: a WebSocket, or server-sent events for simple clients;
        `/export/{thread id}?as=KIND`: the thread as a file; `/usage/csv`: what was used, as one."""
        url = js.URL.new(request.url)
        _, what, thread_id = str(url.pathname).split("/")
        if what == "export":
            return await self._exported(thread_id, str(url.searchParams.get("as")))
        if what == "usage":
            return self._usage(*(str(url.searchParams.get(f"{end}_day") or "") for end in ("first", "last")))
        after = int(url.searchParams.get("after") or 0)
        try:
            self._deletion.check()
            head = self._owner.record.head(thread_id)
        except BerthError:
            return Response("", status=404)
        hello = HelloData(
            protocol=PROTOCOL,
            thread_id=thread_id,
            head_seq=head,
            computer=self._owner.computer.view,
        )
        if (request.headers.get("upgrade") or "").lower() == "websocket":
            return self._open_socket(thread_id, min(after, head), hello)
        return self._open_event_stream(thread_id, min(after, head), hello)

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

    def _open_socket(self, thread_id: str, after: int, hello: HelloData) -> Any:
        client, server = js.WebSocketPair.new().object_values()
        key = self._context.new_id("ws")
        self._js.acceptWebSocket(server)
        outlet = SocketOutlet(server, key, thread_id)
        outlet.keep(after)
        self._owner.audience.join(key, Watcher(thread_id, outlet, after), hello)
        return js.Response.new(None, border.js_object({"status": 101, "webSocket": client}))

    async def _exported(self, thread_id: str, kind: Any) -> Any:
        """The bytes come at the reader's pace; one that hangs up ends the work."""
        try:
            self._deletion.check()
            thread = self._owner.catalog.thread(thread_id)
            bot = str(self._owner.catalog.bot_row(thread.bot_id)["name"])
        except BerthError:
            return Response("", status=404)
        locale = self._owner.catalog.setting("locale", Locale.ENGLISH)
        rows = self._owner.record.all(thread_id, until=thread.head_seq)
        return self._poured(pieces(kind, thread, bot, locale, rows), MEDIA_TYPES[kind])

    def _usage(self, first_day: str, last_day: str) -> Any:
        try:
            self._deletion.check()
            usage = self._owner.usage
            return self._poured(usage.table(*usage.days(first_day, last_day)), "text/csv; charset=utf-8")
        except BerthError as error:
            return Response(json.dumps(error.as_dict()), status=STATUS[error.code])

    def _poured(self, parts: Iterable[str], media_type: str) -> Any:
        pipe = js.TransformStream.new()
        pouring = asyncio.ensure_future(pour_text(pipe.writable.getWriter(), parts))
        self._leaving.add(pouring)
        pouring.add_done_callback(self._leaving.discard)
        return js.Response.new(pipe.readable, border.js_object({"headers": {"content-type": media_type}}))

    def _open_event_stream(self, thread_id: str, after: int, hello: HelloData) -> Any:
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
        audience.join(key, Watcher(thread_id, outlet, after), hello)
        headers = {"content-type": "text/event-stream", "cache-control": "no-store"}
        return js.Response.new(pipe.readable, border.js_object({"headers": headers}))

    def _restore_sockets(self) -> None:
        for socket in self._js.getWebSockets():
            kept = json.loads(socket.deserializeAttachment())
            outlet = SocketOutlet(socket, kept["key"], kept["thread_id"])
            watcher = Watcher(kept["thread_id"], outlet, kept["cursor"], caught_up=True)
            self._owner.audience.restore(kept["key"], watcher)

    def _broken(self, run_id: str) -> None:
        error = BerthError(ErrorCode.INTERNAL, "Something went wrong on our side. Send the message again.")
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
            raise BerthError(ErrorCode.INTERNAL, "The store of files did not answer.") from error

    async def _ask_platform(self, spent: Spent) -> ComputerCircuit:
        try:
            reply = await self._env.PLATFORM.getByName("platform").spent(spent.model_dump_json())
            return ComputerCircuit.model_validate(opened(reply))
        except (JsException, BerthError) as error:
            raise PlatformError(str(error)) from error

    async def _remove_by_age(self, _key: str) -> None:
        removed = (await self._owner.keeping.sweep()).model_dump()
        if any(removed.values()):
            await self._audit(REMOVED_BY_AGE, removed)

    async def _audit(self, kind: str, details: dict[str, Any]) -> None:
        entry = {
            "id": self._context.new_id(kind),
            "owner_id": self._owner_id,
            "kind": kind,
            "at_ms": self._context.now_ms(),
            "details": details,
        }
        try:
            await self._env.PLATFORM.getByName("platform").record(json.dumps(entry))
        except JsException:
            log.exception("%s is not in the operators' record", kind)

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
