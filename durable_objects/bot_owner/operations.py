"""What the API asks of an owner's object, as a table of named operations.

Each takes a JSON object and returns a record or something JSON can hold. Bodies were validated by the API and
are rebuilt here as the same models, so a field cannot mean two things.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from contracts.allowance import GrantCreate
from contracts.api import (
    ArtifactChange,
    ArtifactPage,
    BotChange,
    BotCreate,
    BotList,
    BranchCreate,
    MessageCreate,
    OwnerChange,
    OwnerDelete,
    OwnerDeleted,
    ThreadChange,
    ThreadCreate,
    ThreadList,
    UploadBegin,
)
from contracts.audit import Actor, actor_of
from contracts.errors import BerthError, ErrorCode
from contracts.limits import EVENTS_A_PAGE
from contracts.people import Caller
from contracts.reasons import because
from contracts.records import Owner as OwnerRecord
from contracts.records import Record
from contracts.states import FirstStep, Locale
from durable_objects.bot_owner.archive.builder import ArchiveBuilder
from durable_objects.bot_owner.audited import AUDITED
from durable_objects.bot_owner.deletion import Deletion
from durable_objects.bot_owner.files import artifact_record
from durable_objects.bot_owner.member_operations import (
    TELL_CALLER,
    MemberOperations,
    rename_workspace,
    workspace_name,
)
from durable_objects.bot_owner.needs import NEEDS
from durable_objects.bot_owner.notices.operations import notice_operations
from durable_objects.bot_owner.owner import Owner
from durable_objects.bot_owner.record import event_text
from durable_objects.bot_owner.routines.operations import RoutineOperations
from durable_objects.bot_owner.runs import run_record
from durable_objects.bot_owner.venue.operations import trading_operations
from durable_objects.shared.ids import PERSON_ID
from durable_objects.shared.reply import JsonText
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

Fields = Mapping[str, Any]
TELL_WHO = frozenset({"reset", "delete_me", "undelete_me"})
"""Operations that the computer's object writes into the record, with who asked for them."""
# What is answered while everything is to be deleted later and that can be taken back.
BEFORE_THE_END = frozenset({"me", "membership", "undelete_me", "archive", "make_archive", "remove_archive"})


class Machine(Protocol):
    """What the owner's object asks of the computer beside its tools; raises BerthError."""

    async def status(self) -> dict[str, Any]: ...

    async def sleep(self, *, stop: bool) -> dict[str, Any]: ...

    async def reset(self, actor: Mapping[str, str]) -> dict[str, Any]: ...


class Operations:
    def __init__(
        self,
        owner: Owner,
        machine: Machine,
        deletion: Deletion,
        archive: ArchiveBuilder,
        *,
        go_on: Callable[[], None],
        about: Callable[[str], OwnerRecord],
    ) -> None:
        self._owner = owner
        self._machine = machine
        self._deletion = deletion
        self._archive = archive
        self._go_on = go_on
        self._about = about
        self._table: dict[str, Callable[[Fields], Awaitable[Any]]] = {
            "admitted": self._admitted,
            "me": self._me,
            "change_me": self._change_me,
            "delete_me": self._delete_me,
            "undelete_me": self._undelete_me,
            "archive": self._archive_shown,
            "make_archive": self._make_archive,
            "remove_archive": self._remove_archive,
            "bots": self._bots,
            "create_bot": self._create_bot,
            "change_bot": self._change_bot,
            "delete_bot": self._delete_bot,
            "threads": self._threads,
            "thread": self._thread,
            "create_thread": self._create_thread,
            "rename_thread": self._rename_thread,
            "delete_thread": self._delete_thread,
            "restore_thread": self._restore_thread,
            "search": self._search,
            "events": self._events,
            "send": self._send,
            "branch": self._branch,
            "stop_run": self._stop_run,
            "stop_command": self._stop_command,
            "commands": self._commands,
            "command": self._command,
            "new_upload": self._new_upload,
            "add_upload": self._add_upload,
            "begin_upload": self._begin_upload,
            "unfinished_upload": self._unfinished_upload,
            "upload_part": self._upload_part,
            "add_part": self._add_part,
            "finish_upload": self._finish_upload,
            "give_up_upload": self._give_up_upload,
            "upload": self._upload,
            "artifacts": self._artifacts,
            "artifact": self._artifact,
            "rename_artifact": self._rename_artifact,
            "deletable_artifact": self._deletable_artifact,
            "delete_artifact": self._delete_artifact,
            "picture": self._picture,
            "computer": self._computer,
            "sleep": self._sleep,
            "reset": self._reset,
            "allowance": self._allowance,
            "usage": self._usage,
            "grant": self._grant,
            **notice_operations(owner.notices.desk, owner.notices.setup),
            **trading_operations(owner.trading, go_on),
            **RoutineOperations(owner.routines, self._stop, go_on).table,
            **MemberOperations(owner, lambda: about(Locale.ENGLISH).id).table,
        }

    async def do(self, operation: str, fields: Fields, caller: Caller) -> Any:
        self._owner.members.admit(caller, NEEDS[operation])
        planned = not self._deletion.begun and operation in BEFORE_THE_END
        if operation != "delete_me" and not planned:
            self._deletion.check()
        if operation in TELL_WHO:
            fields = {**fields, "actor": actor_of(caller).model_dump()}
        if operation in TELL_CALLER:
            fields = {**fields, "caller": caller}
        result = await self._table[operation](fields)
        if isinstance(result, OwnerRecord):
            result = result.model_copy(update=self._of(caller))
        if audited := AUDITED.get(operation):
            # Nothing is awaited since its last write, so this is one transaction with that.
            self._owner.audit.note(audited.kind, audited.facts(fields, result), actor_of(caller))
            self._owner.reporter.remind()
            await self._owner.audit.soon()
        return result

    def _of(self, caller: Caller) -> dict[str, Any]:
        """What an owner's record says of who asks for it."""
        role = self._owner.members.role_of(caller.person_id)
        return {"operator": caller.operator, "person_id": caller.person_id, "role": role}

    async def perform(self, operation: str, fields: Fields) -> Any:
        """One of the table without a caller: for Berth itself, in its owner's name."""
        return await self._table[operation](fields)

    async def _admitted(self, _fields: Fields) -> Any:
        """For what the Worker asks of others: that the caller may read what is this owner's."""
        return {}

    async def _me(self, _fields: Fields) -> Record:
        about = self._about(self._owner.catalog.setting("locale", "en"))
        keeping = self._owner.keeping
        more = {
            "name": workspace_name(self._owner),
            "first_steps": self._first_steps(),
            "retention": keeping.days,
            "retained": keeping.counts(),
            "deletion_ms": self._deletion.planned_ms,
            "deletion_takes_account": self._deletion.takes_account,
        }
        return about.model_copy(update=more)

    async def _change_me(self, fields: Fields) -> Record:
        change = OwnerChange.model_validate(fields)
        if change.time_zone:
            self._owner.allowance.set_time_zone(change.time_zone)
            self._owner.notices.desk.changed()
        if change.name:
            rename_workspace(self._owner, change.name)
        if change.locale:
            self._owner.catalog.set_setting("locale", change.locale)
        if change.first_steps:
            # Two browsers may tell of different ones.
            taken = {*self._first_steps(), *change.first_steps}
            self._owner.catalog.set_setting("first_steps", " ".join(sorted(taken)))
        if change.retention:
            self._owner.keeping.keep(change.retention)
        return await self._me({})

    def _first_steps(self) -> list[FirstStep]:
        return [FirstStep(step) for step in self._owner.catalog.setting("first_steps", "").split()]

    async def _delete_me(self, fields: Fields) -> Record:
        owner_id = self._about("en").id
        wanted = OwnerDelete.model_validate(fields["body"])
        if wanted.confirm != owner_id:
            raise because(ErrorCode.INVALID_REQUEST, "confirm_deletion", owner=owner_id)
        if wanted.account and not PERSON_ID.fullmatch(owner_id):
            # A workspace is nobody's account, and the person at this machine has none.
            raise because(ErrorCode.INVALID_REQUEST, "no_account_here")
        actor, account = Actor.model_validate(fields["actor"]), wanted.account
        if wanted.at_once or self._deletion.begun:
            return OwnerDeleted(finished=await self._deletion.begin(actor, account=account))
        return OwnerDeleted(finished=False, at_ms=await self._deletion.plan(actor, account=account))

    async def _undelete_me(self, fields: Fields) -> Record:
        await self._deletion.undo(Actor.model_validate(fields["actor"]))
        self._owner.timers.remind()
        self._archive.remind()
        self._go_on()
        return await self._me({})

    async def _archive_shown(self, _fields: Fields) -> Record:
        return self._archive.shown()

    async def _make_archive(self, _fields: Fields) -> Record:
        return await self._archive.begin()

    async def _remove_archive(self, _fields: Fields) -> None:
        await self._archive.remove()

    async def _bots(self, _fields: Fields) -> Record:
        return BotList(items=self._owner.catalog.bots())

    async def _create_bot(self, fields: Fields) -> Record:
        wanted, bot_id = BotCreate.model_validate(fields["body"]), self._owner.catalog.new_bot_id()
        sealed = await self._owner.keys.sealed(bot_id, wanted.model)
        return self._owner.catalog.create_bot(wanted, sealed, bot_id)

    async def _change_bot(self, fields: Fields) -> Record:
        bot_id, change = fields["id"], BotChange.model_validate(fields["body"])
        sealed = await self._owner.keys.sealed(bot_id, change.model) if change.model else None
        return self._owner.catalog.change_bot(bot_id, change, sealed)

    async def _delete_bot(self, fields: Fields) -> None:
        # First, so that none begins another thread meanwhile; their runs end with their threads.
        self._owner.catalog.bot_row(fields["id"])
        self._owner.routines.forget_bot(fields["id"])
        # Another thread may begin while one is taken away.
        while thread := next(
            (one for one in self._owner.catalog.threads() if one.bot_id == fields["id"]), None
        ):
            await self._delete_thread({"id": thread.id})
        self._owner.catalog.delete_bot(fields["id"])

    async def _threads(self, _fields: Fields) -> Record:
        return ThreadList(items=self._owner.catalog.threads())

    async def _thread(self, fields: Fields) -> Record:
        return self._owner.catalog.thread(fields["id"])

    async def _create_thread(self, fields: Fields) -> Record:
        return self._owner.catalog.create_thread(ThreadCreate.model_validate(fields["body"]))

    async def _rename_thread(self, fields: Fields) -> Record:
        self._owner.catalog.place(fields["id"])
        self._owner.titles.rename(fields["id"], ThreadChange.model_validate(fields["body"]).title)
        return self._owner.catalog.thread(fields["id"])

    async def _delete_thread(self, fields: Fields) -> None:
        """It is gone at once, and its runs are marked as to be stopped with it: what does not answer now is
        stopped by whoever drives the run."""
        runs = self._owner.removals.hide(fields["id"])
        self._owner.audience.close_thread(fields["id"])
        # The last ones first, so that none begins when the one before it ends.
        for run in reversed(runs):
            try:
                await self._stop(run)
            except BerthError as error:
                log.warning("run %s is stopped later: %s", run["id"], error)
        await self._owner.unfinished.give_up_thread(fields["id"])

    async def _restore_thread(self, fields: Fields) -> Record:
        return self._owner.removals.restore(fields["id"])

    async def _search(self, fields: Fields) -> Record:
        return self._owner.search.find(fields["query"], fields["before"])

    async def _events(self, fields: Fields) -> JsonText:
        """The page as JSON text: events are stored as text and are not parsed on the way."""
        thread_id, limit = fields["id"], min(fields["limit"], EVENTS_A_PAGE)
        head = self._owner.record.head(thread_id)
        rows = self._owner.record.page(thread_id, fields["after"], limit)
        items = ",".join(map(event_text, rows))
        return JsonText(f'{{"items":[{items}],"head_seq":{head}}}')

    async def _send(self, fields: Fields) -> Record:
        accepted = self._owner.inbox.accept(fields["id"], MessageCreate.model_validate(fields["body"]))
        self._go_on()
        return accepted

    async def _branch(self, fields: Fields) -> Record:
        made = self._owner.branches.make(fields["id"], BranchCreate.model_validate(fields["body"]))
        self._go_on()
        return made

    async def _stop_run(self, fields: Fields) -> Record:
        return run_record(await self._stop(self._owner.journal.row(fields["id"])))

    async def _stop(self, run: Row) -> Row:
        """Have the run end, and see that it is driven to its end."""
        stopped = await self._owner.stopper.stop(run)
        self._go_on()
        return stopped

    async def _stop_command(self, fields: Fields) -> Any:
        self._owner.journal.call_of(fields["id"])
        return {"asked": await self._owner.owed_stops.stop_call(fields["id"])}

    async def _commands(self, fields: Fields) -> Record:
        return self._owner.commands.page(fields["before"], fields["limit"])

    async def _command(self, fields: Fields) -> Record:
        return self._owner.commands.one(fields["id"])

    async def _new_upload(self, fields: Fields) -> Any:
        self._owner.record.head(fields["thread_id"])
        upload_id, key = self._owner.files.new_upload_key()
        return {"id": upload_id, "key": key}

    async def _add_upload(self, fields: Fields) -> Record:
        # The thread may have gone while the bytes were on their way, and everything with it.
        self._owner.record.head(fields["thread_id"])
        return self._owner.files.add_upload(
            fields["id"],
            fields["key"],
            fields["thread_id"],
            fields["name"],
            fields["media_type"],
            fields["size"],
        )

    async def _begin_upload(self, fields: Fields) -> Record:
        self._owner.record.head(fields["thread_id"])
        wanted = UploadBegin.model_validate(fields["body"])
        return await self._owner.unfinished.begin(fields["thread_id"], wanted)

    async def _unfinished_upload(self, fields: Fields) -> Record:
        return self._owner.unfinished.state(fields["id"])

    async def _upload_part(self, fields: Fields) -> Any:
        return self._owner.unfinished.part(fields["id"], fields["number"])

    async def _add_part(self, fields: Fields) -> Record:
        return self._owner.unfinished.add_part(fields["id"], fields["number"], fields["etag"])

    async def _finish_upload(self, fields: Fields) -> Record:
        return await self._owner.unfinished.finish(fields["id"])

    async def _give_up_upload(self, fields: Fields) -> None:
        await self._owner.unfinished.give_up(fields["id"])

    async def _upload(self, fields: Fields) -> Any:
        row = self._owner.files.upload_row(fields["id"])
        return {**{name: row[name] for name in ("key", "name", "media_type", "size")}, "tag": row["id"]}

    async def _artifacts(self, fields: Fields) -> Record:
        items, more = self._owner.files.artifacts(fields["before"], fields["limit"])
        return ArtifactPage(items=items, more=more)

    async def _rename_artifact(self, fields: Fields) -> Record:
        name = ArtifactChange.model_validate(fields["body"]).name
        return self._owner.files.rename_artifact(fields["id"], name)

    async def _deletable_artifact(self, fields: Fields) -> Any:
        """Where its bytes lie, for who may delete them."""
        return {"key": self._owner.files.artifact_row(fields["id"])["key"]}

    async def _delete_artifact(self, fields: Fields) -> None:
        self._owner.files.delete_artifact(fields["id"])

    async def _picture(self, fields: Fields) -> Any:
        call_id = fields["id"]
        picture = self._owner.record.picture(self._owner.journal.call_of(call_id)["thread_id"], call_id)
        key = self._owner.files.picture_key(call_id)
        kind, size = picture["media_type"], picture["size"]
        return {"key": key, "name": "picture", "media_type": kind, "size": size, "tag": call_id}

    async def _artifact(self, fields: Fields) -> Any:
        row = self._owner.files.artifact_row(fields["id"])
        return {"artifact": artifact_record(row).model_dump(mode="json"), "key": row["key"]}

    async def _allowance(self, _fields: Fields) -> Record:
        return self._owner.allowance.shown()

    async def _usage(self, fields: Fields) -> Record:
        days = self._owner.usage.days(fields["first_day"], fields["last_day"])
        return self._owner.usage.sums(fields["by"], *days)

    async def _grant(self, fields: Fields) -> Record:
        self._owner.allowance.grant(GrantCreate.model_validate(fields["body"]))
        return self._owner.allowance.shown()

    async def _computer(self, _fields: Fields) -> Any:
        return await self._machine.status()

    async def _sleep(self, fields: Fields) -> Any:
        return await self._machine.sleep(stop=bool(fields.get("stop")))

    async def _reset(self, fields: Fields) -> Any:
        return await self._machine.reset(fields["actor"])
