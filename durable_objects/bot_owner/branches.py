"""Branches: a message is changed or sent again in a thread of its own, and the old thread stays as it is.

A branch begins with copies of the events before the message, so it is a thread like any other and what
happens to one is nothing to the other. Calls, files and pictures in them keep their ids. For a message that
had been queued they end where its run began, without what waited in the queue at that time.

What was under way at that place goes on in the old thread only. In the branch its run ends there, for nothing
would ever end it, and an order that was not settled yet is left out: there is one card to decide it by.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from contracts.api import BranchCreate, Branched, MessageCreate
from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.records import Upload
from contracts.states import INTENT_ENDED, RUN_ENDED, RunState
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.messages import Inbox
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.shared.sql import Row, Sql

BRANCHED = "branched"
"""Why a run ends in a branch: it was under way where that begins."""
_OF_INTENTS = frozenset({"approval.requested", "approval.decided", "intent.updated"})


@dataclass
class _Standing:
    """How runs and intents stand where a branch begins."""

    begun: set[str] = field(default_factory=set)
    runs: dict[str, Row] = field(default_factory=dict)
    """The last status of each run, by its id."""
    open_intents: set[str] = field(default_factory=set)

    def read(self, row: Row) -> None:
        if row["type"] == "run.status":
            data = json.loads(row["data"])
            self.runs[data["id"]] = row
            self.begun |= {data["id"]} if data["state"] == RunState.RUNNING else set()
        elif row["type"] in _OF_INTENTS:
            data = json.loads(row["data"])
            settled = data["state"] in INTENT_ENDED
            (self.open_intents.discard if settled else self.open_intents.add)(data["id"])

    def ends(self) -> list[Row]:
        """An event for each run that is under way."""
        shown = [(row, json.loads(row["data"])) for id_, row in self.runs.items() if id_ in self.begun]
        ended = {"state": RunState.STOPPED, "reason": BRANCHED, "question": None}
        return [
            row | {"data": json.dumps(data | ended)} for row, data in shown if data["state"] not in RUN_ENDED
        ]

    def shares(self, row: Row) -> bool:
        """Whether the event is one of the branch too."""
        if row["type"] not in {"message.created", "run.status", *_OF_INTENTS}:
            return True
        data = json.loads(row["data"])
        if row["type"] in _OF_INTENTS:
            return data["id"] not in self.open_intents
        waited = data.get("queued") or data.get("state") == RunState.QUEUED
        return not waited or (data.get("run_id") or data["id"]) in self.begun


class Branches:
    def __init__(self, sql: Sql, catalog: Catalog, record: ThreadRecord, inbox: Inbox) -> None:
        self._sql = sql
        self._catalog = catalog
        self._record = record
        self._inbox = inbox

    def make(self, thread_id: str, wanted: BranchCreate) -> Branched:
        """Make the branch and queue its message's run, in one transaction; the same id again finds it."""
        return self._record.write(lambda: self._make(thread_id, wanted))

    def _make(self, thread_id: str, wanted: BranchCreate) -> Branched:
        message = self._message(thread_id, wanted.seq)
        text = message["text"] if wanted.text is None else wanted.text
        sent = MessageCreate(client_id=wanted.client_id, text=text, **self._as_it_was(thread_id, message))
        known = self._sql.execute("SELECT thread_id FROM sent WHERE client_id = ?", wanted.client_id)
        if known:
            return self._answer(known[0]["thread_id"], sent, [])
        cut = self._place(thread_id, wanted.seq, message)
        branch_id = self._catalog.create_branch(thread_id)
        standing = self._standing(thread_id, cut)
        ends = standing.ends()
        if self._record.fill(branch_id, self._before(thread_id, cut, standing, ends)) - len(ends) == cut - 1:
            self._copy_window(thread_id, branch_id, cut)
        return self._answer(branch_id, sent, [Upload.model_validate(one) for one in message["uploads"]])

    def _answer(self, branch_id: str, sent: MessageCreate, uploads: list[Upload]) -> Branched:
        accepted = self._inbox.accept(branch_id, sent, uploads)
        return Branched(thread=self._catalog.thread(branch_id), accepted=accepted)

    def _as_it_was(self, thread_id: str, message: dict[str, Any]) -> dict[str, Any]:
        """The language of the message, and its model and effort, where its bot has any by now."""
        bot_id, _title = self._catalog.place(thread_id)
        names = ("model", "effort") if self._catalog.has_models(bot_id) else ()
        return {name: message.get(name) for name in ("locale", *names)}

    def _message(self, thread_id: str, seq: int) -> dict[str, Any]:
        """A person's message in a thread. Raises `not_found`."""
        if seq <= self._record.head(thread_id):
            (row,) = self._record.page(thread_id, seq - 1, 1)
            data: dict[str, Any] = json.loads(row["data"])
            if row["type"] == "message.created" and data["role"] == "user":
                return data
        raise because(ErrorCode.NOT_FOUND, "message_gone")

    def _place(self, thread_id: str, seq: int, message: dict[str, Any]) -> int:
        """The seq of the first event that the branch does not share."""
        if not message.get("queued"):
            return seq
        for row in self._record.all(thread_id, seq):
            if _begun(row) == message["run_id"]:
                return int(row["seq"])
        raise because(ErrorCode.INVALID_REQUEST, "message_waits")

    def _standing(self, thread_id: str, cut: int) -> _Standing:
        standing = _Standing()
        for row in self._record.all(thread_id, until=cut - 1):
            standing.read(row)
        return standing

    def _before(self, thread_id: str, cut: int, standing: _Standing, ends: list[Row]) -> Iterator[Row]:
        yield from filter(standing.shares, self._record.all(thread_id, until=cut - 1))
        yield from ends

    def _copy_window(self, thread_id: str, branch_id: str, cut: int) -> None:
        """What was summarised before the cut stays so, and need not be summarised again."""
        self._sql.run(
            "INSERT INTO windows (thread_id, short_until, until, run_id, summary)"
            " SELECT ?, short_until, until, run_id, summary FROM windows"
            " WHERE thread_id = ? AND MAX(short_until, until) < ?",
            branch_id,
            thread_id,
            cut,
        )


def _begun(row: Row) -> str | None:
    """The id of the run that the event shows at work."""
    data = json.loads(row["data"]) if row["type"] == "run.status" else {}
    return str(data["id"]) if data.get("state") == RunState.RUNNING else None
