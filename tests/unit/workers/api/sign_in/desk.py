"""An office on CPython: the real cores on SQLite, the Worker's JavaScript in Node, a clock to be turned."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from api.sign_in.office import Asked, Check, Office
from api.sign_in.place import Place
from api.sign_in.settings import SignIn
from contracts.people import OWNER_RIGHTS, Caller, Via
from contracts.sign_in import WaysIn
from durable_objects.bot_owner.invitations import INVITATIONS_SCHEMA, INVITED_BY_SCHEMA, Invitations
from durable_objects.person.person import Person
from durable_objects.platform.directory import Directory
from durable_objects.platform.directory_operations import directory_operations
from durable_objects.platform.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import SqliteSql, migrate
from tests.unit.durable_objects.person.record import person_at

PLACE = Place("https://berth.example", "berth.example")


def asked(do: Callable[[str, dict[str, Any]], Any]) -> Asked:
    async def ask(operation: str, **fields: Any) -> Any:
        found = do(operation, fields)
        return found.model_dump(mode="json") if isinstance(found, BaseModel) else found

    return ask


@dataclass
class Desk:
    """A deployment: its directory, its persons, and offices at any place of it."""

    check: Check
    settings: SignIn = field(default_factory=lambda: SignIn(ways=("passkey",)))
    later_ms: int = 0

    def __post_init__(self) -> None:
        self.databases: list[SqliteSql] = []
        self.directory = Directory(self._context(*SCHEMA))
        self.persons: dict[str, Person] = {}
        self.workspaces: dict[str, Invitations] = {}

    def _context(self, *steps: tuple[str, ...]) -> Context:
        sql = SqliteSql()
        self.databases.append(sql)
        if steps:
            migrate(sql, steps)
        return Context(sql=sql, now_ms=self.now_ms, entropy=os.urandom)

    def now_ms(self) -> int:
        # The libraries look at the machine's own clock, so this one begins there.
        return time.time_ns() // 1_000_000 + self.later_ms

    def person(self, person_id: str) -> Person:
        if person_id not in self.persons:
            self.persons[person_id] = person_at(self._context(), person_id=person_id)
        return self.persons[person_id]

    def invitations(self, owner_id: str) -> Invitations:
        """Of a workspace of this deployment."""
        if owner_id not in self.workspaces:
            self.workspaces[owner_id] = Invitations(
                self._context(INVITATIONS_SCHEMA + INVITED_BY_SCHEMA), owner_id
            )
        return self.workspaces[owner_id]

    def _workspace(self, owner_id: str) -> Asked:
        def do(name: str, fields: dict[str, Any]) -> Any:
            assert name == "lets_in"
            return {"holds": self.invitations(owner_id).lets_in(fields["hash"], fields["who"])}

        return asked(do)

    def shown(self, person_id: str) -> WaysIn:
        return self.person(person_id).ways.shown(person_id, "", operator=False)

    def office(self, place: Place = PLACE) -> Office:
        table = directory_operations(self.directory)
        return Office(
            settings=self.settings,
            place=place,
            directory=asked(lambda name, fields: table[name](fields)),
            person=lambda person_id: asked(self.person(person_id).ask),
            workspace=self._workspace,
            check=self.check,
            now_ms=self.now_ms,
            entropy=os.urandom,
        )

    def own(self, person_id: str) -> Office:
        """For somebody who is signed in: their object looks at who calls."""
        caller = Caller(
            person_id=person_id, owner_id=person_id, rights=OWNER_RIGHTS, via=Via.SESSION, credential_id="s"
        )

        def called(asked_id: str) -> Asked:
            return asked(lambda name, fields: self.person(asked_id).call(name, fields, caller))

        return replace(self.office(), person=called)

    def set(self, **settings: Any) -> None:
        self.settings = replace(self.settings, **settings)

    def stored(self) -> str:
        """Everything that is kept anywhere, as text."""
        tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
        rows = [
            sql.execute(f"SELECT * FROM {table['name']}")  # noqa: S608 - our names
            for sql in self.databases
            for table in sql.execute(tables)
        ]
        return str(rows)
