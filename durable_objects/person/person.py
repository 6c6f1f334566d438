"""One person's parts, put together, and what is asked of them as tables of named operations.

`ask` is for the door and the ways to sign in, before anybody is known; `call` for who is, about themselves.
"""

from collections.abc import Callable, Mapping
from typing import Any

from contracts.audit import Actor, Detail, actor_of
from contracts.errors import BerthError, ErrorCode
from contracts.people import Caller, Credential, Right, SessionList, TokenCreate, TokenList, Via
from contracts.reasons import because
from contracts.sign_in import WaysIn
from durable_objects.person.audited import AUDITED
from durable_objects.person.departure import Departure
from durable_objects.person.failures import Failures
from durable_objects.person.schema import SCHEMA
from durable_objects.person.sessions import Sessions
from durable_objects.person.tickets import Tickets
from durable_objects.person.tokens import Tokens
from durable_objects.person.way_operations import asked_ways, called_ways, first_ways
from durable_objects.person.ways import Ways, refuse
from durable_objects.person.workspaces import Workspaces
from durable_objects.shared.audit_desk import AuditDesk, RecordError, TellRecord
from durable_objects.shared.context import Context
from durable_objects.shared.permission import check_credential, no_such_owner
from durable_objects.shared.sql import migrate

SECRETS = ("session", "token")

Fields = Mapping[str, Any]
Asked = Callable[[Fields], Any]
Called = Callable[[Caller, Fields], Any]


class Person:
    """Who was never let in has no tables: asking for somebody that does not exist leaves nothing behind."""

    def __init__(
        self, context: Context, person_id: str, tell_record: TellRecord, ring_by: Callable[[int], None]
    ) -> None:
        """`ring_by`: see that `sweep` is called by then, in milliseconds."""
        self._context = context
        self._sql = context.sql
        self._id = person_id
        self.sessions = Sessions(context, person_id)
        self.tokens = Tokens(context, person_id)
        self.tickets = Tickets(context)
        self.ways = Ways(context)
        self._failures = Failures(context.now_ms)
        self.workspaces = Workspaces(context)
        self._departure = Departure(context, self.sessions, self.tokens, self.workspaces)
        self._audit = AuditDesk(context, person_id, tell_record, ring_by)
        self._noted = False
        tables = bool(self._sql.execute("SELECT 1 FROM sqlite_master WHERE name = 'profile'"))
        if tables:
            migrate(self._sql, SCHEMA)
        self._exists = tables and not self._departure.is_gone
        self._asked: dict[str, Asked] = {
            "begin_session": self._begin_session,
            "session": lambda fields: self._known(
                self.sessions.known, fields["hash"], may_offer=fields["may_offer"]
            ),
            "token": lambda fields: self._known(self.tokens.known, fields["hash"]),
            "take_ticket": self._take_ticket,
            "may_belong": lambda fields: {"may": self._exists and self.workspaces.has(fields["owner_id"])},
            **{name: self._if_there(work) for name, work in asked_ways(self.ways).items()},
            **{name: self._coming(work) for name, work in first_ways(self.ways).items()},
        }
        self._called: dict[str, tuple[Right, Called]] = {
            "sessions": (
                Right.MANAGE,
                lambda who, _: SessionList(items=self.sessions.all(who.credential_id)),
            ),
            "sign_out": (Right.MANAGE, lambda who, _: self.sessions.end(who.credential_id)),
            "end_session": (Right.MANAGE, lambda _, fields: self.sessions.end(fields["id"])),
            "end_other_sessions": (Right.MANAGE, lambda who, _: self.sessions.end_others(who.credential_id)),
            "tokens": (Right.MANAGE, lambda _who, _: TokenList(items=self.tokens.all())),
            "create_token": (
                Right.MANAGE,
                lambda _, fields: self.tokens.create(TokenCreate.model_validate(fields["body"])),
            ),
            "remove_token": (Right.MANAGE, lambda _, fields: self.tokens.remove(fields["id"])),
            "rename": (Right.MANAGE, lambda _, fields: self._rename(fields["name"])),
            "give_ticket": (Right.READ, lambda who, fields: self.tickets.give(who, fields["path"])),
            **called_ways(self.ways, self._name),
            "workspaces": (Right.READ, lambda _who, _: {"items": self.workspaces.all()}),
            "forget_workspaces": (
                Right.READ,
                lambda _, fields: self.workspaces.forget(fields["owner_ids"]),
            ),
            "keep_workspace": (Right.MANAGE, lambda _, fields: self._keep_workspace(fields["owner_id"])),
            "drop_workspace": (Right.MANAGE, lambda _, fields: self.workspaces.remove(fields["owner_id"])),
        }

    def ask(self, operation: str, fields: Fields) -> Any:
        """What does not hold is noted: it raises `too_many_attempts` where that was too often."""
        try:
            said = self._asked[operation](fields)
        except BerthError as error:
            if error.code == ErrorCode.UNAUTHENTICATED:
                self._failures.note()
            raise
        if said is None and operation in SECRETS:
            self._failures.note()
        return said

    def call(self, operation: str, fields: Fields, caller: Caller) -> Any:
        """Raises `not_found` for anybody else, `forbidden` for a credential that cannot do this."""
        need, work = self._called[operation]
        if caller.person_id != self._id:
            raise no_such_owner()
        check_credential(caller, need)
        self._be_there("")
        result = work(caller, fields)
        if audited := AUDITED.get(operation):
            self._note(audited.kind, audited.facts(fields, result), actor_of(caller))
        return result

    def _note(self, kind: str, details: Mapping[str, Detail], actor: Actor) -> None:
        """Nothing is awaited since what it tells of was written, so both are one transaction."""
        self._audit.note(kind, details, actor)
        self._noted = True

    async def tell(self) -> None:
        """Tell the record of what was just done; where it does not answer, the alarm does."""
        if self._noted:
            self._noted = False
            await self._audit.soon()

    async def tell_all(self) -> None:
        """Before everything is forgotten. Raises `internal` where the record does not answer."""
        try:
            if self._exists:
                await self._audit.all()
        except RecordError as error:
            raise because(ErrorCode.INTERNAL, "berth_silent") from error

    async def sweep(self) -> None:
        """What the alarm does. Who has one has tables, also when they are gone."""
        await self._audit.sweep()

    def depart(self, step: str, fields: Fields) -> Any:
        """One of `departure.py`. Of who was never let in there is nothing, and no tables are made."""
        result = self._departure.do(step, fields, exists=self._exists, ways=self._shown)
        if step == "forget":
            self._exists = False
        return result

    def _shown(self) -> WaysIn:
        return self.ways.shown(self._id, self._name(), operator=False)

    def _rename(self, name: str) -> Any:
        """→ the workspaces in which the name stands too."""
        self._sql.run("UPDATE profile SET name = ?", name)
        return {"workspaces": self.workspaces.all()}

    def _begin_session(self, fields: Fields) -> Any:
        self._be_there(fields["name"])
        secret = self.sessions.begin(fields["device"], operator=fields["operator"])
        self._signed_in(fields, Via.LOCAL if fields["way"] == Via.LOCAL else Via.SESSION)
        return {"secret": secret}

    def _signed_in(self, fields: Fields, via: Via) -> None:
        about = {name: fields[name] for name in ("way", "device", "operator")}
        self._note("signed_in", about, Actor(person_id=self._id, via=via))

    def _if_there(self, work: Asked) -> Asked:
        def done(fields: Fields) -> Any:
            return work(fields) if self._exists else refuse()

        return done

    def _coming(self, work: Asked) -> Asked:
        """By what somebody new comes, so that they are there from then on.

        `signed_in`, where no session follows, says of what sign-in that was.
        """

        def done(fields: Fields) -> Any:
            self._be_there(fields["name"])
            result = work(fields)
            if about := fields.get("signed_in"):
                self._signed_in(about, Via.ACCESS)
            return result

        return done

    def _keep_workspace(self, owner_id: str) -> Any:
        """→ what to call the person there, and whether it was known before."""
        known = self.workspaces.has(owner_id)
        self.workspaces.add(owner_id)
        return {"name": self._name(), "known": known}

    def _name(self) -> str:
        return str(self._sql.execute("SELECT name FROM profile")[0]["name"])

    def _take_ticket(self, fields: Fields) -> Any:
        caller = Caller.model_validate(fields["caller"])
        good = self._exists and self.tickets.take(caller, fields["path"], fields["ticket"])
        return {"good": good}

    def _known(
        self, look: Callable[..., Credential | None], secret_hash: str, **more: Any
    ) -> Credential | None:
        return look(secret_hash, **more) if self._exists else None

    def _be_there(self, name: str) -> None:
        """Raises `unauthenticated` for who has deleted their account: nobody is let in as them again."""
        if self._departure.is_gone:
            refuse()
        if not self._exists:
            migrate(self._sql, SCHEMA)
            self._exists = True
        self._sql.run(
            "INSERT OR IGNORE INTO profile (one, name, created_ms) VALUES (1, ?, ?)",
            name,
            self._context.now_ms(),
        )
