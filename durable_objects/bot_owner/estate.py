"""What an owner has on the platform, taken apart by `deletion.py`: the border to R2, record and storage."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from pyodide.ffi import JsException, to_js

from contracts.audit import Actor, AuditEntry
from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from durable_objects.bot_owner.unfinished import UnfinishedUploads
from durable_objects.shared import js as border
from durable_objects.shared.audit_desk import AuditDesk, RecordError
from durable_objects.shared.ids import WORKSPACE_ID
from durable_objects.shared.reply import opened
from durable_objects.shared.streams import close_streams

PAGE = 1_000
"""As many keys as R2 lists and deletes in one call."""


class PlatformEstate:
    def __init__(
        self,
        owner_id: str,
        env: Any,
        *,
        unfinished: UnfinishedUploads,
        record: AuditDesk,
        quiet: Callable[[], Awaitable[None]],
        tables: Callable[[], Awaitable[None]],
    ) -> None:
        self._owner_id = owner_id
        self._env = env
        self._unfinished = unfinished
        self._record = record
        self._quiet = quiet
        self._tables = tables

    async def quiet(self) -> None:
        await self._quiet()

    async def record(self, kind: str, deletion_id: str, actor: Actor | None, *, account: bool) -> None:
        """Behind all that waits for the record, whose rows are about to go."""
        entry = AuditEntry(
            id=f"{deletion_id}:{kind}",
            owner_id=self._owner_id,
            kind=kind,
            at_ms=border.now_ms(),
            details={"account": True} if account else {},
            actor=actor,
        )
        try:
            await self._record.all()
            await self._record.tell(entry)
        except RecordError as error:
            raise _unanswered("The record") from error

    async def sleep(self) -> None:
        try:
            opened(await self._env.BOT_COMPUTER.getByName(self._owner_id).call("sleep", '{"stop": true}'))
        except JsException as error:
            raise _unanswered("The computer") from error

    async def computer(self) -> None:
        try:
            opened(await self._env.BOT_COMPUTER.getByName(self._owner_id).call("delete", "{}"))
        except JsException as error:
            raise _unanswered("The computer") from error

    async def uploads(self) -> None:
        await self._unfinished.give_up_all()

    async def stored(self) -> None:
        for prefix in (f"owners/{self._owner_id}/", f"backups/{self._owner_id}/"):
            try:
                await purge(self._env.BUCKET, prefix)
            except JsException as error:
                raise _unanswered("The store of files") from error

    async def may_leave(self) -> None:
        """Every workspace is asked; one that does not answer is no consent."""
        told = await asyncio.gather(*(self._workspace(one, "departure") for one in await self._workspaces()))
        held = [str(one["name"]) for one in told if not one["may"]]
        if held:
            raise because(
                ErrorCode.LAST_OWNER, "last_owner_of", details={"workspaces": held}, names=", ".join(held)
            )

    async def credentials(self) -> None:
        """Streams in workspaces that were opened by them close too; one that is not told goes on."""
        if WORKSPACE_ID.fullmatch(self._owner_id):
            return
        ended = await self._person("end_credentials")
        await close_streams(self._env.BOT_OWNER, ended["workspaces"], self._owner_id, ended["ids"])

    async def account(self) -> None:
        """The directory before the person's own object: who signs in meanwhile is refused by either.

        A workspace that was joined meanwhile has the last step refused, and this one done again.
        """
        for owner_id in await self._workspaces():
            await self._workspace(owner_id, "depart")
            await self._person("left", owner_id=owner_id)
        try:
            asked = json.dumps({"person_id": self._owner_id})
            opened(await self._env.PLATFORM.getByName("platform").directory("forget", asked))
        except JsException as error:
            raise _unanswered("The directory") from error
        await self._person("forget")

    async def _workspaces(self) -> list[str]:
        return [str(one) for one in (await self._person("belongs_to"))["items"]]

    async def _person(self, step: str, **fields: str) -> Any:
        try:
            stub = self._env.PERSON.getByName(self._owner_id)
            return opened(await stub.depart(step, json.dumps(fields)))
        except JsException as error:
            raise _unanswered("The person") from error

    async def _workspace(self, owner_id: str, step: str) -> Any:
        try:
            stub = self._env.BOT_OWNER.getByName(owner_id)
            return opened(await stub.member_leaves(step, self._owner_id))
        except JsException as error:
            raise _unanswered("A workspace") from error

    async def tables(self) -> None:
        await self._tables()


async def purge(bucket: Any, prefix: str) -> None:
    """Until a look finds nothing: something may have arrived meanwhile."""
    wanted = border.js_object({"prefix": prefix, "limit": PAGE})
    while keys := [str(found.key) for found in (await bucket.list(wanted)).objects]:
        await bucket.delete(to_js(keys))


def _unanswered(what: str) -> BerthError:
    return BerthError(ErrorCode.INTERNAL, f"{what} did not answer.")
