"""Taking a message: write it down once, and see that a run answers it.

Sending is idempotent by the client's id: the same id again answers with the first result. A message
reaches the run that its thread is at, or is queued with a run of its own behind it.
"""

from collections.abc import Sequence

from contracts.api import MessageAccepted, MessageCreate
from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.records import Message, RoutineEntry, Upload
from contracts.states import RunState
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.envelope import NONCE_BYTES, blank
from durable_objects.bot_owner.files import FileShelf
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.runs import RunJournal, run_record
from durable_objects.bot_owner.titles import first_line
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row


class Inbox:
    def __init__(
        self, context: Context, catalog: Catalog, record: ThreadRecord, journal: RunJournal, files: FileShelf
    ) -> None:
        self._context = context
        self._sql = context.sql
        self._catalog = catalog
        self._record = record
        self._journal = journal
        self._files = files

    def accept(self, thread_id: str, wanted: MessageCreate, again: Sequence[Upload] = ()) -> MessageAccepted:
        """Store the message and queue its run, in one transaction. `again` are files sent before."""
        return self._record.write(lambda: self._accept(thread_id, wanted, again))

    def _accept(self, thread_id: str, wanted: MessageCreate, again: Sequence[Upload]) -> MessageAccepted:
        known = self._sql.execute("SELECT * FROM sent WHERE client_id = ?", wanted.client_id)
        if known:
            return self._first_result(thread_id, wanted.text, known[0])
        if blank(wanted.text) and not (wanted.upload_ids or again):
            raise because(ErrorCode.INVALID_REQUEST, "message_empty")
        bot_id, title = self._catalog.place(thread_id)
        self._allow_choice(bot_id, wanted)
        uploads = [*again, *self._files.take(thread_id, wanted.upload_ids)]
        joined, behind = self._place(thread_id, wanted)
        model, effort = wanted.model, wanted.effort
        run = joined or self._journal.create(thread_id, bot_id, model=model, effort=effort)
        message = self._message(wanted, run["id"], uploads, queued=behind and not joined)
        seq = self._append(thread_id, message)
        if not title and not blank(wanted.text):
            self._catalog.name_thread(thread_id, first_line(wanted.text), by="message")
        if joined:
            run = self._journal.reached(joined, model=model, effort=effort)
        else:
            self._show_waiting(run, behind=behind)
        return MessageAccepted(message=message, seq=seq, run=run_record(run))

    def begin(self, thread_id: str, client_id: str, text: str, entry: RoutineEntry, *, rounds: int) -> Row:
        """Store a routine's prompt with a run of its own, inside a write; returns the run.

        The same id again answers with the first run.
        """
        if known := self._journal.of_message(client_id):
            return self._journal.row(known)
        bot_id, _title = self._catalog.place(thread_id)
        behind = bool(self._journal.unfinished(thread_id))
        run = self._journal.create(thread_id, bot_id, routine_id=entry.routine_id, rounds=rounds)
        wanted = MessageCreate(client_id=client_id, text=text)
        message = self._message(wanted, run["id"], [], queued=behind)
        self._append(thread_id, message.model_copy(update={"routine": entry}))
        self._show_waiting(run, behind=behind)
        return run

    def _allow_choice(self, bot_id: str, wanted: MessageCreate) -> None:
        chosen = wanted.model is not None or wanted.effort is not None
        if chosen and not self._catalog.has_models(bot_id):
            raise because(ErrorCode.INVALID_REQUEST, "no_model_to_choose")

    def _append(self, thread_id: str, message: Message) -> int:
        seq = self._record.append(thread_id, "message.created", message)
        self._sql.run(
            "INSERT INTO sent (client_id, thread_id, seq, run_id) VALUES (?, ?, ?, ?)",
            message.client_id,
            thread_id,
            seq,
            message.run_id,
        )
        return seq

    def _show_waiting(self, run: Row, *, behind: bool) -> None:
        """A run that does not begin at once is shown."""
        if behind or run["id"] not in self._journal.due():
            self._journal.show(run)

    def _place(self, thread_id: str, wanted: MessageCreate) -> tuple[Row | None, bool]:
        """(the run that the message joins, if any; whether its thread has one that has not ended)"""
        unfinished = self._journal.unfinished(thread_id)
        queue = (
            wanted.during == "queue" and unfinished[:1] and unfinished[0]["state"] != RunState.WAITING_INPUT
        )
        # A run that is being stopped takes nothing up any more.
        open_runs = [] if queue else [run for run in unfinished if not run["stop_asked"]]
        return (open_runs[0] if open_runs else None), bool(unfinished)

    def _message(self, wanted: MessageCreate, run_id: str, uploads: list[Upload], *, queued: bool) -> Message:
        return Message(
            id=self._context.new_id("msg"),
            role="user",
            text=wanted.text,
            run_id=run_id,
            client_id=wanted.client_id,
            uploads=uploads,
            queued=queued,
            nonce=self._context.entropy(NONCE_BYTES).hex() if uploads else None,
            model=wanted.model,
            effort=wanted.effort,
            locale=wanted.locale,
            created_ms=self._context.now_ms(),
        )

    def _first_result(self, thread_id: str, text: str, known: Row) -> MessageAccepted:
        seq, run_id = known["seq"], known["run_id"]
        if known["thread_id"] != thread_id:
            raise because(ErrorCode.INVALID_REQUEST, "client_id_elsewhere")
        message = Message.model_validate(self._record.event(thread_id, seq))
        if message.text != text:
            raise because(ErrorCode.INVALID_REQUEST, "client_id_used")
        return MessageAccepted(
            message=message,
            seq=seq,
            run=run_record(self._journal.row(run_id)),
        )
