"""Doing what the model asked: check a call's arguments, let the computer do it, say how it went.

A failure of a tool is an answer to the model like any other and never ends the run. Everything a
computer call returns is untrusted text.
"""

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from pydantic import ValidationError

from contracts.allowance import CHAT, Account
from contracts.arguments import Arguments
from contracts.errors import BerthError, ErrorCode, Problem
from contracts.limits import CALL_BYTES_MAX, WRITE_BYTES_MAX
from contracts.reasons import because
from contracts.records import Artifact, CommandResult, FileChange, Picture, Upload
from contracts.states import CommandState
from contracts.tools import TOOLS, EditFile, Exec, ExportArtifact, ReadFile, WriteFile
from contracts.wrong_fields import wrong_fields
from durable_objects.bot_owner.call_texts import shortened
from durable_objects.bot_owner.files import FileShelf, clean_name
from durable_objects.bot_owner.models.protocol import CallPart
from durable_objects.bot_owner.plan import ToolCall
from durable_objects.shared.long_text import LongText
from durable_objects.shared.sql import Row

SHOWN = 2_000

OnOutput = Callable[[str, int, str], None]
"""(stream, character offset, text)"""
Pieces = Callable[[], Iterator[str]]
"""A text from its beginning, in pieces: it may be too long to be in memory as a whole."""


@dataclass(frozen=True)
class Caller:
    """On whose behalf a tool runs."""

    run_id: str
    thread_id: str
    origin: str
    attribution: str = CHAT


@dataclass(frozen=True)
class Delivery:
    """An upload that waits in R2 for the computer to be awake."""

    id: str
    key: str
    name: str
    size: int


@dataclass(frozen=True)
class Outcome:
    ok: bool
    text: str
    error: Problem | None = None
    command: CommandResult | None = None
    change: FileChange | None = None
    picture: Picture | None = None
    artifact: tuple[Artifact, str] | None = None
    """The exported file and its R2 key."""
    delivered: list[tuple[str, str]] = field(default_factory=list)
    """(upload id, path) of the uploads that reached the computer before the call."""
    delivered_ms: int = 0
    waiting: bool = False
    """Whether other uploads found no room in it."""


@dataclass(frozen=True)
class Delivered:
    """(upload id, path) of what arrived, and whether the workspace had no room for the rest."""

    arrived: list[tuple[str, str]]
    full: bool = False


@dataclass(frozen=True)
class Exported:
    name: str
    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Changed:
    """A file that was written or edited, and its diff."""

    change: FileChange
    diff: str


@dataclass(frozen=True)
class Seen:
    """What was read: the text to show, and a picture that is now in R2."""

    text: str
    picture: Picture | None = None


class Computer(Protocol):
    """The owner's BotComputer, as seen from here. Each call raises BerthError.

    `deliver` wakes the machine if need be and brings the uploads; the others do the same first.
    """

    def charged_to(self, account: Account) -> "Computer":
        """The same computer, whose time is counted to this account."""
        ...

    async def exec(
        self, command_id: str, arguments: Exec, caller: Caller, on_output: OnOutput
    ) -> CommandResult: ...

    async def stop(self, command_id: str) -> bool: ...

    async def read_file(self, arguments: ReadFile, picture_key: str) -> Seen: ...

    async def write_file(self, call_id: str, path: str, content: Pieces) -> Changed: ...

    async def edit_file(self, call_id: str, path: str, old: Pieces, new: Pieces) -> Changed: ...

    async def export(self, path: str, key: str) -> Exported: ...

    async def deliver(self, waiting: list[Delivery]) -> Delivered: ...


async def _admitted() -> None:
    """Everybody may."""


class Toolbox:
    """`admit` says whether the computer may be used now; raises BerthError."""

    def __init__(
        self,
        computer: Computer,
        files: FileShelf,
        now_ms: Callable[[], int],
        admit: Callable[[], Awaitable[None]] = _admitted,
    ) -> None:
        self._computer = computer
        self._files = files
        self._now_ms = now_ms
        self._admit = admit

    async def use(
        self,
        call: ToolCall,
        caller: Caller,
        on_output: OnOutput,
        text: Callable[[str], Pieces],
        *,
        again: bool = False,
    ) -> Outcome:
        """Carry out a call. Never raises for what a model, a computer or a person can cause.

        `text` gives an argument by its name as the model gave it: the call itself has it shortened.
        `again` is one that was begun before: it was admitted then, and is looked up now.
        """
        account = Account(
            attribution=caller.attribution,
            thread_id=caller.thread_id,
            run_id=caller.run_id,
            call_id=call.id,
        )
        computer = self._computer.charged_to(account)
        try:
            arguments = checked(call)
            if not again:
                await self._admit()
            delivered = await self._deliver(computer)
            delivered_ms = self._now_ms()
        except BerthError as error:
            return failed(error)
        try:
            outcome = await self._do(computer, call, arguments, caller, on_output, text)
        except BerthError as error:
            outcome = failed(error)
        # A full workspace keeps nobody from using it: how else would it be emptied?
        return replace(
            outcome, delivered=delivered.arrived, delivered_ms=delivered_ms, waiting=delivered.full
        )

    async def _deliver(self, computer: Computer) -> Delivered:
        waiting = [_delivery(row) for row in self._files.waiting()]
        return await computer.deliver(waiting) if waiting else Delivered([])

    async def _do(
        self,
        computer: Computer,
        call: ToolCall,
        arguments: Arguments,
        caller: Caller,
        on_output: OnOutput,
        text: Callable[[str], Pieces],
    ) -> Outcome:
        match arguments:
            case Exec():
                result = await computer.exec(call.id, arguments, caller, on_output)
                return _of_command(result)
            case ReadFile():
                seen = await computer.read_file(arguments, self._files.picture_key(call.id))
                return Outcome(True, seen.text, picture=seen.picture)
            case WriteFile():
                return _of_change(await computer.write_file(call.id, arguments.path, text("content")))
            case EditFile():
                old, new = text("oldText"), text("newText")
                return _of_change(await computer.edit_file(call.id, arguments.path, old, new))
            case ExportArtifact():
                return await self._export(computer, call, arguments, caller)
            case _:
                raise BerthError(ErrorCode.INTERNAL, f"The tool {call.tool} has no implementation.")

    async def _export(
        self, computer: Computer, call: ToolCall, wanted: ExportArtifact, caller: Caller
    ) -> Outcome:
        # The id comes from the call, so that a call that is looked up again writes the same object.
        artifact_id = "art_" + call.id.partition("_")[2]
        key = self._files.artifact_key(caller.run_id, artifact_id)
        exported = await computer.export(wanted.path, key)
        artifact = Artifact(
            id=artifact_id,
            thread_id=caller.thread_id,
            run_id=caller.run_id,
            tool_call_id=call.id,
            name=clean_name(wanted.name or exported.name),
            media_type=exported.media_type,
            size=exported.size,
            sha256=exported.sha256,
            created_ms=self._now_ms(),
        )
        return Outcome(True, "", artifact=(artifact, key))


def checked(call: ToolCall) -> Arguments:
    """Return the call's arguments, valid. Raises `invalid_request` with what is wrong, for the model."""
    tool = TOOLS.get(call.tool)
    if tool is None:
        raise because(ErrorCode.NOT_FOUND, "tool_unknown", tool=f"{call.tool[:100]!r}")
    try:
        return tool.arguments.model_validate(call.arguments)
    except ValidationError as error:
        wrong, fields = wrong_fields(error.errors(include_url=False))
        raise because(
            ErrorCode.INVALID_REQUEST, "arguments_wrong", wrong=wrong, fields=fields or "arguments"
        ) from error


def failed(error: BerthError) -> Outcome:
    return Outcome(False, error.message, Problem.model_validate(error.as_dict()))


def _of_command(result: CommandResult) -> Outcome:
    ok = result.state == CommandState.EXITED and result.exit_code == 0
    return Outcome(ok, result.output, command=result)


def _of_change(changed: Changed) -> Outcome:
    return Outcome(True, changed.diff, change=changed.change)


def _delivery(row: Row) -> Delivery:
    return Delivery(row["id"], row["key"], row["name"], row["size"])


def upload_records(files: FileShelf, outcome: Outcome) -> list[Upload]:
    return [files.delivered(upload_id, path, outcome.delivered_ms) for upload_id, path in outcome.delivered]


def journalled(call_id: str, part: CallPart) -> ToolCall:
    """A model's call to write down. What cannot be taken is named instead, and `checked` refuses it."""
    tool = part.tool[:100]
    if part.arguments is None:
        return ToolCall(call_id, tool, {"not_a_json_object": part.raw[:SHOWN]})
    arguments, whole = shortened(tool, part.arguments)
    # A text that is long where none may be is not even put together.
    size = sum(text.size for text in _long_texts(arguments))
    size += sum(text.size for text in whole.values() if text.size > WRITE_BYTES_MAX)
    if size <= CALL_BYTES_MAX:
        written = json.dumps(arguments, ensure_ascii=False, default=str).encode("utf-8", "replace")
        size = max(size, len(written))
    if size > CALL_BYTES_MAX:
        return ToolCall(call_id, tool, {"too_long": f"{size} bytes"})
    # Read back from UTF-8: half a character, which JSON can carry, is stored nowhere.
    return ToolCall(call_id, tool, json.loads(written), whole)


def _long_texts(value: Any) -> Iterator[LongText]:
    if isinstance(value, LongText):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _long_texts(one)
