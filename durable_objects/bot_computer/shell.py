"""The Durable Object of one computer. It translates; the rules are in `computer` and `power`.

RPC answers are replies (see `shared/reply.py`). The object is named by its owner's id.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import quote, urlencode

import js
from pyodide.ffi import JsException
from workers import DurableObject

from contracts.allowance import Account, Interval
from contracts.audit import actor_of
from contracts.errors import STATUS, BerthError, ErrorCode
from contracts.limits import ENTRIES_A_PAGE
from contracts.people import Caller, Right, Role
from contracts.reasons import because
from contracts.records import Ban, Computer, EgressRule, EgressStanding
from contracts.states import ComputerState, Origin
from contracts.tools import ReadFile
from durable_objects.bot_computer import answers, files
from durable_objects.bot_computer.cloudflare import CloudflareContainer, ComputerdWire
from durable_objects.bot_computer.computer import ComputerCore
from durable_objects.bot_computer.deliveries import DeliveryError
from durable_objects.bot_computer.egress_desk import StandingError
from durable_objects.bot_computer.follow import SILENCE_SECONDS, Listener, Outgoing, UnreachableError
from durable_objects.bot_computer.hands import Hands
from durable_objects.bot_computer.listings import Listings
from durable_objects.bot_computer.transfers import ComputerdBackups, R2Pieces
from durable_objects.shared import js as border
from durable_objects.shared.alarm import Alarm
from durable_objects.shared.permission import check
from durable_objects.shared.reply import opened, sealed
from telemetry.shell import event

log = logging.getLogger(__name__)

# An alarm may take 15 minutes on Cloudflare; the next one goes on.
ALARM_SECONDS = 12 * 60


class BotComputer(DurableObject):  # type: ignore[misc]
    def __init__(self, ctx: Any, env: Any) -> None:
        super().__init__(ctx, env)
        self._js, self._env = border.raw(ctx), border.raw(env)
        self._owner_id = str(self._js.id.name)
        self._wire = ComputerdWire(self._js)
        self._notices: set[asyncio.Task[None]] = set()
        self._deleting: asyncio.Future[None] | None = None
        self._assemble()
        self._core.arm()

    def _assemble(self) -> None:
        """Everything that stands on this object's storage."""
        context = border.context(self._js.storage)
        self._alarm = Alarm(self._js.storage.setAlarm, context.now_ms)
        self._core = ComputerCore(
            context,
            CloudflareContainer(self._js, self._env, self._owner_id),
            self._wire,
            backup_wire=ComputerdBackups(self._wire),
            pieces=R2Pieces(self._env.BUCKET, self._owner_id),
            changed=self._changed,
            ring_by=self._alarm.by,
            ask_standing=self._ask_standing,
            deliver=self._deliver_time,
        )
        self._listings = Listings(context.sql)
        self._hands = Hands(self._core, self._wire, self._listings)
        self._operations = {
            "status": self._status,
            "stop": self._stop,
            "sleep": self._sleep,
            "reset": self._reset,
            "read_file": self._read_file,
            "export": self._export,
            "deliver": self._deliver,
            "delete": self._delete,
        }
        self._asked = {
            "list": (Right.READ, self._list),
            "move_file": (Right.CHAT, self._hands.move),
            "remove_file": (Right.CHAT, self._hands.remove),
            "egress_rules": (Right.READ, self._egress_rules),
            "add_egress_rule": (Right.MANAGE, self._add_egress_rule),
            "remove_egress_rule": (Right.MANAGE, self._remove_egress_rule),
        }

    async def exec(self, request: str, on_output: Any) -> str:
        """{id, command, timeout_s, origin, account}, and a function for live output → CommandResult."""
        fields = json.loads(request)

        async def run() -> Any:
            return await self._core.exec(
                fields["id"],
                fields["command"],
                fields["timeout_s"],
                origin=Origin(fields["origin"]),
                account=Account.model_validate(fields["account"]),
                listener=_listener(on_output) if on_output else None,
            )

        with self._event("exec", fields.get("trace", "")):
            return await sealed(run)

    def _event(self, name: str, trace: str) -> AbstractContextManager[Any]:
        return event(self._env, self._js, f"computer {name}", carried=trace)

    async def call(self, operation: str, payload: str) -> str:
        """From the owner's object: one of the operations below, by name."""
        fields = json.loads(payload)
        with self._event(operation, fields.get("trace", "")):
            return await self._sealed(operation, lambda: self._operations[operation](fields))

    async def ask(self, operation: str, payload: str, caller: str, trace: str = "") -> str:
        """From the Worker: one of those that need no owner's object, for a `Caller` as JSON."""
        need, answer = self._asked[operation]

        async def work() -> Any:
            who = Caller.model_validate_json(caller)
            await self._admit(who, need)
            fields = {**json.loads(payload), "actor": actor_of(who).model_dump()}
            return await self._recovered(operation, lambda: answer(fields))

        with self._event(operation, trace):
            return await sealed(work)

    async def _admit(self, caller: Caller, need: Right) -> None:
        """Raises `not_found`, `forbidden` or `being_deleted`.

        Who belongs to the owner, and whether the owner stays, its own object knows.
        """
        try:
            reply = await self._env.BOT_OWNER.getByName(self._owner_id).role_of(caller.person_id)
        except JsException as error:
            raise because(ErrorCode.INTERNAL, "berth_silent") from error
        found = opened(reply)["role"]
        check(caller, self._owner_id, Role(found) if found else None, need)

    async def change(self, operation: str, payload: str, body: Any) -> str:
        """`write_file` {id, path} and the file as the body, or `edit_file` {} and computerd's order as it."""
        fields = json.loads(payload)
        change = {"write_file": self._write_file, "edit_file": self._edit_file}[operation]
        with self._event(operation, fields.get("trace", "")):
            return await self._sealed(operation, lambda: change(fields, body))

    async def _sealed(self, operation: str, do: Callable[[], Awaitable[Any]]) -> str:
        return await sealed(lambda: self._recovered(operation, do))

    async def _recovered(self, operation: str, do: Callable[[], Awaitable[Any]]) -> Any:
        await self._core.recover()
        try:
            return await do()
        except UnreachableError as error:
            log.warning("%s: %s", operation, error)
            raise because(ErrorCode.COMPUTER_UNAVAILABLE, "computer_silent") from error

    async def admit_egress(self, request: str) -> str:
        """From the egress Worker: {host, method, reason, code}, a request that was judged."""
        fields = json.loads(request)

        async def work() -> Any:
            await self._core.admit_egress(_outgoing(fields))
            return {}

        with self._event("admit_egress", fields.get("trace", "")):
            return await sealed(work)

    async def egress_moved(self, moved: str) -> str:
        """From the egress Worker: the same and {sent, received} → {rest_s}, or why it must be cut."""
        fields = json.loads(moved)

        async def work() -> Any:
            rest_s = await self._core.egress_moved(_outgoing(fields), fields["sent"], fields["received"])
            return {"rest_s": rest_s}

        return await sealed(work)

    async def egress_rules(self) -> str:
        """For the egress Worker: the owner's own rules that hold for what runs now, as a JSON list."""
        return json.dumps([rule.model_dump() for rule in self._core.egress_rules()])

    async def ban_changed(self, news: str) -> str:
        """From Platform: {n, ban}, the owner's ban or its end. Answers when it is written down."""
        fields = json.loads(news)
        ban = Ban.model_validate(fields["ban"]) if fields["ban"] else None

        async def work() -> Any:
            await self._core.ban_changed(fields["n"], ban)
            return {}

        return await sealed(work)

    async def alarm(self, _info: Any = None) -> None:
        self._alarm.rang()
        with self._event("alarm", ""):
            await self._core.tick(ALARM_SECONDS)

    async def _status(self, _fields: dict[str, Any]) -> Any:
        return self._core.view()

    async def _stop(self, fields: dict[str, Any]) -> Any:
        return await self._core.stop(fields["id"])

    async def _sleep(self, fields: dict[str, Any]) -> Any:
        await self._core.sleep(stop=fields.get("stop") is True)
        return self._core.view()

    async def _reset(self, fields: dict[str, Any]) -> Any:
        await self._core.ban.admit()
        machine = self._core.power.machine
        # Generations begin anew when everything was deleted, and the record stays: the time tells them apart.
        subject = f"{self._owner_id}:{machine.generation}:{machine.since_ms}"
        await self._audit("computer_reset", subject, {"generation": machine.generation}, fields["actor"])
        await self._core.reset()
        self._listings.forget()
        return self._core.view()

    async def _delete(self, _fields: dict[str, Any]) -> Any:
        """For the owner's object, which asks again until it is done: nothing of this computer stays.

        A ban stays where it is kept, with Platform.
        """
        if self._deleting is None:
            self._deleting = asyncio.ensure_future(self._deleted())
        await asyncio.shield(self._deleting)
        return {}

    async def _deleted(self) -> None:
        try:
            await self._core.close()
            while self._notices:
                await asyncio.gather(*self._notices)
            await self._js.storage.deleteAlarm()
            await self._js.storage.deleteAll()
            self._assemble()
            self._core.power.sweep_later()
            self._core.arm()
        finally:
            self._deleting = None

    async def _read_file(self, fields: dict[str, Any]) -> Any:
        wanted = ReadFile.model_validate(fields["arguments"])
        async with self._core.call(_account(fields)):
            answer = await self._wire.fetch_json("POST", "/files/read", wanted.model_dump_json())
            if answer.get("kind") != "picture":
                return {"text": answers.read(answer), "picture": None}
            shown, told = await files.look(self._wire, self._env.BUCKET, wanted.path, fields["key"], answer)
        return {"text": told, "picture": shown.model_dump()}

    async def _write_file(self, fields: dict[str, Any], body: Any) -> Any:
        target = f"/files/content?path={quote(fields['path'], safe='')}&diff=1&id={fields['id']}"
        async with self._core.call(_account(fields)):
            return _changed(await self._wire.fetch_json("PUT", target, body))

    async def _edit_file(self, fields: dict[str, Any], body: Any) -> Any:
        async with self._core.call(_account(fields)):
            return _changed(await self._wire.fetch_json("POST", "/files/edit", body))

    async def _list(self, fields: dict[str, Any]) -> Any:
        """A page of a folder, where the computer is awake, and else what was last seen. Wakes nothing.

        Looking is no use of the computer: it does not put off its sleep.
        """
        if self._core.power.machine.state == ComputerState.RUNNING:
            query = urlencode({name: fields[name] for name in ("path", "sort", "order", "offset", "limit")})
            try:
                async with asyncio.timeout(SILENCE_SECONDS):
                    answer = await self._wire.fetch_json("GET", f"/files/list?{query}")
                found = answers.listing(answer, border.now_ms())
            except (UnreachableError, TimeoutError) as error:
                log.warning("a folder could not be listed: %r", error)
            else:
                # A shorter look takes nothing from what is known.
                if fields["offset"] == 0 and len(found.entries) == min(found.total, ENTRIES_A_PAGE):
                    self._listings.keep(found)
                return found.model_dump(mode="json")
        known = self._listings.last(fields["path"])
        if known is None:
            raise self._core.unreadable()
        return known.model_dump(mode="json")

    async def fetch(self, request: Any) -> Any:
        """`/content` or `/archive` with `?path=`: bytes of the computer while it runs; `/put`: into it."""
        url = js.URL.new(request.url)
        puts = url.pathname == "/put"
        try:
            await self._admit(border.caller_of(request), Right.CHAT if puts else Right.READ)
        except BerthError as error:
            return problem(error)
        path = str(url.searchParams.get("path") or "")
        if puts:
            return await self._put(path, request.body, while_running=bool(url.searchParams.get("anyhow")))
        if self._core.power.machine.state != ComputerState.RUNNING:
            return problem(self._core.unreadable())
        try:
            async with asyncio.timeout(SILENCE_SECONDS):
                return await files.download(self._wire, str(url.pathname), path)
        except (UnreachableError, TimeoutError) as error:
            log.warning("a download did not begin: %r", error)
            return problem(self._core.unreadable())
        except BerthError as error:
            return problem(error)

    async def _put(self, path: str, body: Any, *, while_running: bool) -> Any:
        try:
            await self._core.recover()
            placed = await self._hands.put(path, body, while_running=while_running)
        except (UnreachableError, TimeoutError) as error:
            log.warning("a file could not be put: %r", error)
            return problem(because(ErrorCode.COMPUTER_UNAVAILABLE, "file_not_whole"))
        except BerthError as error:
            return problem(error)
        return js.Response.new(json.dumps(placed))

    async def _export(self, fields: dict[str, Any]) -> Any:
        async with self._core.call(_account(fields)):
            return await files.export(self._wire, self._env.BUCKET, fields["path"], fields["key"])

    async def _deliver(self, fields: dict[str, Any]) -> Any:
        """What arrived, and whether there was no room for the next."""
        arrived: list[list[Any]] = []
        async with self._core.call(_account(fields)):
            for upload in fields["uploads"]:
                try:
                    path = await files.deliver(self._wire, self._env.BUCKET, upload)
                except BerthError as error:
                    if error.code != ErrorCode.WORKSPACE_FULL:
                        raise
                    return {"arrived": arrived, "full": True}
                arrived.append([upload["id"], path])
        return {"arrived": arrived, "full": False}

    async def _egress_rules(self, _fields: dict[str, Any]) -> Any:
        return {"items": [rule.model_dump() for rule in self._core.rules.all()]}

    async def _add_egress_rule(self, fields: dict[str, Any]) -> Any:
        rule = self._core.rules.propose(fields["host"], fields["path"], fields["until_ms"])
        await self._audit("egress_rule_added", rule.id, _audited(rule), fields["actor"], _own(rule))
        self._core.rules.add(rule)
        return rule.model_dump()

    async def _remove_egress_rule(self, fields: dict[str, Any]) -> Any:
        rule = self._core.rules.find(fields["id"])
        await self._audit("egress_rule_removed", rule.id, _audited(rule), fields["actor"], _own(rule))
        self._core.rules.remove(rule.id)

    async def _audit(
        self,
        kind: str,
        subject: str,
        details: dict[str, Any],
        actor: dict[str, Any],
        own: dict[str, str] | None = None,
    ) -> None:
        """Into the record first: a change that is not in it does not happen."""
        entry = {
            "id": f"{subject}:{kind}",
            "owner_id": self._owner_id,
            "kind": kind,
            "at_ms": border.now_ms(),
            "details": details,
            "actor": actor,
            "own": own or {},
        }
        await self._env.PLATFORM.getByName("platform").record(json.dumps(entry))

    def _changed(self, view: Computer, generation: int) -> None:
        """Tell the owner's object and the platform's record; neither may hold up the machine."""
        for notice in (self._tell_owner(view), self._tell_platform(view, generation)):
            task = asyncio.ensure_future(notice)
            self._notices.add(task)
            task.add_done_callback(self._notices.discard)

    async def _ask_standing(self) -> EgressStanding:
        try:
            reply = await self._env.PLATFORM.getByName("platform").standing(self._owner_id)
            return EgressStanding.model_validate(opened(reply))
        except (JsException, BerthError) as error:
            raise StandingError(str(error)) from error

    async def _deliver_time(self, intervals: list[Interval]) -> None:
        payload = json.dumps([interval.model_dump() for interval in intervals])
        try:
            opened(await self._env.BOT_OWNER.getByName(self._owner_id).settle(payload))
        except (JsException, BerthError) as error:
            raise DeliveryError(str(error)) from error

    async def _tell_owner(self, view: Computer) -> None:
        stub = self._env.BOT_OWNER.getByName(self._owner_id)
        if await _quietly(stub.computer_changed(view.model_dump_json())) and view.restored:
            self._core.told(view.restored.woke_ms)

    async def _tell_platform(self, view: Computer, generation: int) -> None:
        entry = {
            "id": f"{self._owner_id}:{generation}:{view.state}:{view.since_ms}",
            "owner_id": self._owner_id,
            "kind": f"computer_{view.state}",
            "at_ms": view.since_ms,
            "details": {"generation": generation, "reason": view.reason},
        }
        await _quietly(self._env.PLATFORM.getByName("platform").record(json.dumps(entry)))


def _account(fields: dict[str, Any]) -> Account:
    return Account.model_validate(fields["account"])


def _outgoing(fields: dict[str, Any]) -> Outgoing:
    code = fields["code"]
    return Outgoing(fields["host"], fields["method"], fields["reason"], ErrorCode(code) if code else None)


def _audited(rule: EgressRule) -> dict[str, Any]:
    """That something was opened, and until when."""
    return {"rule_id": rule.id, "until_ms": rule.until_ms}


def _own(rule: EgressRule) -> dict[str, str]:
    """A host may be somebody's secret as much as a path is."""
    return {"host": rule.host}


def problem(error: BerthError) -> Any:
    options = border.js_object({"status": STATUS[error.code]})
    return js.Response.new(json.dumps(error.as_dict()), options)


def _changed(answer: dict[str, Any]) -> Any:
    change, diff = answers.changed(answer)
    return {"change": change.model_dump(), "diff": diff}


def _listener(on_output: Any) -> Listener:
    async def listen(stream: str, offset: int, text: str) -> None:
        await on_output(stream, offset, text)

    return listen


async def _quietly(promise: Any) -> bool:
    """Return whether a notice arrived. One that fails is logged: its receiver asks for the truth later."""
    try:
        await promise
    except JsException as error:
        log.warning("a notice was not delivered: %s", error)
        return False
    return True
