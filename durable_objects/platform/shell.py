"""The Durable Object of the operators: the record, who may run and go out, the breakers, the owners."""

import json
import logging
from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter
from pyodide.ffi import JsException
from workers import DurableObject

from contracts.allowance import CircuitChange, CircuitName, Spent
from contracts.api import AwakeOwners, BanRequest, BreakerRequest
from contracts.audit import Actor, AuditEntry
from contracts.errors import BerthError, ErrorCode
from contracts.operators import ExemptRequest, Overview, OwnerReport
from contracts.reasons import because
from contracts.version import VERSION
from durable_objects.platform.audit import Audit
from durable_objects.platform.chain import line
from durable_objects.platform.circuits import ComputerCircuits
from durable_objects.platform.directory import Directory
from durable_objects.platform.directory_operations import AUDITED, directory_operations
from durable_objects.platform.owners import Owners
from durable_objects.platform.settings import budget_of
from durable_objects.platform.standing import PLATFORM, Standing
from durable_objects.shared import js as border
from durable_objects.shared.alarm import Alarm
from durable_objects.shared.reply import opened, sealed

log = logging.getLogger(__name__)

# How soon a computer that could not be told of its ban is told again.
TELL_AGAIN_MS = 10_000
LINES_A_PAGE = 1_000

Fields = dict[str, Any]


class Platform(DurableObject):  # type: ignore[misc]
    def __init__(self, ctx: Any, env: Any) -> None:
        super().__init__(ctx, env)
        storage = border.raw(ctx).storage
        context = border.context(storage)
        self._env = border.raw(env)
        self._context = context
        self._alarm = Alarm(storage.setAlarm, context.now_ms)
        self._audit = Audit(context)
        self._owners = Owners(context)
        self._standing = Standing(context, self._audit, self._owners)
        self._directory = directory_operations(Directory(context))
        self._circuits = ComputerCircuits(
            context, self._audit, self._owners, budget_of(lambda name: border.setting_of(self._env, name))
        )
        self._questions: dict[str, Callable[[Fields], Any]] = {
            "ready": lambda _fields: {"head": self._audit.head},
            "overview": lambda _fields: self._overview(),
            "owners": lambda asked: self._owners.page(asked["shown"], asked["before"], asked["find"]),
            "owner": self._owner,
            "is_known": lambda asked: {"known": self._owners.one(asked["owner_id"]) is not None},
            "circuits": lambda _fields: self._circuits.shown(),
            "awake": lambda _fields: AwakeOwners(owners=self._audit.awake()),
            "removed_by_age": lambda _fields: self._audit.removed_by_age(),
            "standing": lambda asked: self._standing.of(asked["owner_id"]),
            "audit": lambda asked: self._audit.newest(
                asked.get("owner_id"), before=asked.get("before"), kind=asked.get("kind")
            ),
            "own_audit": lambda asked: self._audit.newest_own(asked["owner_id"], before=asked.get("before")),
            "audit_lines": self._audit_lines,
            "check_audit": lambda asked: self._audit.check(asked["after"], asked.get("head")),
            "check_own_audit": lambda asked: self._audit.check_owner(asked["owner_id"], asked.get("head")),
        }
        self._actions: dict[str, Callable[[Fields, Actor | None], Any]] = {
            "ban": lambda asked, actor: self._standing.ban(
                asked["owner_id"], BanRequest.model_validate(asked["body"]), actor
            ),
            "lift": lambda asked, actor: self._standing.lift(asked["owner_id"], actor),
            "exempt": lambda asked, actor: self._standing.exempt(
                asked["owner_id"], ExemptRequest.model_validate(asked["body"]), actor
            ),
            "end_exemption": lambda asked, actor: self._standing.exempt(asked["owner_id"], None, actor),
            "trip": lambda asked, actor: self._standing.trip(
                BreakerRequest.model_validate(asked["body"]), actor
            ),
            "reset": lambda _asked, actor: self._standing.reset(actor),
            "change_circuit": self._change_circuit,
        }

    async def record(self, entry: str) -> None:
        about = AuditEntry.model_validate_json(entry)
        if self._audit.add(about):
            self._circuits.started(about)
            if about.owner_id != PLATFORM:
                self._owners.recorded(about)

    async def report(self, owner_id: str, report: str) -> None:
        """From an owner's object: what it tells of itself."""
        self._owners.reported(owner_id, OwnerReport.model_validate_json(report))

    async def spent(self, spent: str) -> str:
        """From an owner's object: what its computer cost → ComputerCircuit, what holds for all of them."""

        async def answer() -> Any:
            return self._circuits.spent(Spent.model_validate_json(spent))

        return await sealed(answer)

    async def ask(self, question: str, payload: str) -> str:
        """One of the questions by name, with its fields as JSON. Nothing changes."""

        async def answer() -> Any:
            return self._questions[question](json.loads(payload))

        return await sealed(answer)

    async def directory(self, operation: str, payload: str) -> str:
        """One of `directory_operations.py`, by name, with its fields as JSON."""

        async def work() -> Any:
            fields = json.loads(payload)
            result = self._directory[operation](fields)
            if audited := AUDITED.get(operation):
                actor, details = Actor.model_validate(fields["actor"]), audited.facts(fields, result)
                entry_id = self._context.new_id("aud")
                self._of_directory(entry_id, actor.person_id, kind=audited.kind, details=details, actor=actor)
            if operation == "admit":
                self._came(result["person_id"])
            return result

        return await sealed(work)

    def _came(self, person_id: str) -> None:
        """Once for each person, however often they are admitted."""
        self._of_directory(f"{person_id}:person_came", person_id, kind="person_came", details={})

    def _of_directory(self, entry_id: str, person_id: str, **more: Any) -> None:
        """Nothing is awaited since the directory has changed, so the entry is in the same transaction."""
        entry = AuditEntry(id=entry_id, owner_id=person_id, at_ms=self._context.now_ms(), **more)
        if self._audit.add(entry):
            self._owners.recorded(entry)

    async def standing(self, owner_id: str) -> str:
        """Whether this owner's computer may go out."""
        return await self.ask("standing", json.dumps({"owner_id": owner_id}))

    async def operate(self, operation: str, payload: str) -> str:
        """One of the actions by name, with its fields and `actor` as JSON → how it stands with that owner."""

        async def work() -> Any:
            fields = json.loads(payload)
            actor = Actor.model_validate(fields["actor"]) if fields.get("actor") else None
            self._actions[operation](fields, actor)
            await self._tell()
            return self._standing.of(fields.get("owner_id", ""))

        return await sealed(work)

    def _change_circuit(self, asked: Fields, actor: Actor | None) -> None:
        name = TypeAdapter(CircuitName).validate_python(asked["name"])
        self._circuits.change(name, CircuitChange.model_validate(asked["body"]), actor)

    def _owner(self, asked: Fields) -> Any:
        found = self._owners.one(asked["owner_id"])
        if found is None:
            raise because(ErrorCode.NOT_FOUND, "owner_gone")
        return found

    def _overview(self) -> Overview:
        starts = self._circuits.starts()
        return Overview(
            version=VERSION,
            deployed=border.deployed_version(self._env),
            starts_good=starts.good,
            starts_failed=starts.failed,
            circuits=self._circuits.shown(),
            breaker=self._standing.breaker(),
            audit_head=self._audit.head,
            **self._owners.sums(),
        )

    def _audit_lines(self, asked: Fields) -> Any:
        """A piece of an export: its lines, and where the next one begins."""
        entries = self._audit.entries(asked["after"], LINES_A_PAGE, asked.get("owner_id"))
        return {
            "text": "".join(f"{line(entry)}\n" for entry in entries),
            "next_after": entries[-1].n if len(entries) == LINES_A_PAGE else None,
        }

    async def alarm(self, _info: Any = None) -> None:
        self._alarm.rang()
        await self._tell()

    async def _tell(self) -> None:
        """Tell computers of their bans; who does not answer is told again by the alarm, set before."""
        news = self._standing.news()
        if not news:
            return
        self._alarm.by(self._context.now_ms() + TELL_AGAIN_MS)
        for one in news:
            try:
                opened(await self._env.BOT_COMPUTER.getByName(one.owner_id).ban_changed(one.as_text()))
            except (JsException, BerthError) as error:
                log.warning("a computer could not be told of its ban: %s", error)
            else:
                self._standing.heard(one)
