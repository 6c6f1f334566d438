"""Making the calls that a model asked for: written down before, done, written down after, and shown.

Commands share the computer's slots: a call that finds none waits its turn here, with its run shown as queued.
Each run has one call at a time and waiting is first come, first served, so no thread can starve another.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

from contracts.errors import BerthError, ErrorCode
from contracts.events import NoticeData, ToolOutput, ToolOutputData
from contracts.limits import COMMANDS_AT_ONCE, ROUTINE_COMMANDS_AT_ONCE
from contracts.reasons import because
from contracts.records import OwnerQuestion, ToolFinish, ToolStart
from contracts.states import RUN_ENDED, Origin, RunState
from contracts.tools import EXEC, TOOLS
from contracts.tools import AskOwner as AskArguments
from contracts.venue_tools import VENUE_NAMES
from durable_objects.bot_owner.billing.allowance import attribution_of
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.envelope import NONCE_BYTES
from durable_objects.bot_owner.files import FileShelf
from durable_objects.bot_owner.plan import AskOwner, ToolCall, UseTool
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.routines.bounds import RunBounds
from durable_objects.bot_owner.runs import RunJournal
from durable_objects.bot_owner.tails import Live, LiveTails
from durable_objects.bot_owner.taint import TaintMarks
from durable_objects.bot_owner.tools import Caller, Outcome, Pieces, Toolbox, checked, failed, upload_records
from durable_objects.bot_owner.venue.desk import TradingDesk
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row
from telemetry.counters import count

ASKED = "asked"
WAITING_TOLD = "uploads_waiting_told"
UPLOADS_WAITING = (
    "The workspace is full (workspace_full), so attached files wait outside of it. Delete files that are not"
    " needed; then they come before the next call."
)


class CallMaker:
    def __init__(  # noqa: PLR0913 - its parts, by name
        self,
        context: Context,
        *,
        catalog: Catalog,
        record: ThreadRecord,
        journal: RunJournal,
        files: FileShelf,
        tools: Toolbox,
        desk: TradingDesk,
        bounds: RunBounds,
        taint: TaintMarks,
        live: Live,
        tails: LiveTails,
    ) -> None:
        self._context = context
        self._catalog = catalog
        self._record = record
        self._journal = journal
        self._files = files
        self._tools = tools
        self._desk = desk
        self._bounds = bounds
        self._taint = taint
        self._live = live
        self._tails = tails
        self._slots = asyncio.Semaphore(COMMANDS_AT_ONCE)
        self._routine_slots = asyncio.Semaphore(ROUTINE_COMMANDS_AT_ONCE)

    async def use(self, run: Row, step: UseTool, steps: list[Row]) -> None:
        """Make a call, or look up one that was begun before."""
        if reason := self._bounds.refused(run, step.call.tool):
            refusal = failed(because(ErrorCode.FORBIDDEN, reason))
            self._record.write(lambda: self._not_made(run, step, steps, refusal))
            return
        if step.call.tool != EXEC:
            await self._use(run, step, steps)
            return
        async with self._slot(run, shown=not step.again) as current:
            if RunState(current["state"]) not in RUN_ENDED and not current["stop_asked"]:
                await self._use(current, step, steps)

    @asynccontextmanager
    async def _slot(self, run: Row, *, shown: bool) -> AsyncIterator[Row]:
        """A slot of the computer, and the run's row as it is by then: it may have been stopped meanwhile."""
        # A routine waits for one of its own slots first: it takes none from the chat while it waits.
        routine = run["origin"] == Origin.ROUTINE
        own = self._routine_slots if routine else nullcontext()
        if shown and (self._slots.locked() or (routine and self._routine_slots.locked())):
            busy = ErrorCode.COMPUTER_BUSY
            self._record.write(lambda: self._journal.move(run["id"], RunState.QUEUED, reason=busy))
        async with own, self._slots:
            yield self._journal.row(run["id"])

    def _not_made(self, run: Row, step: UseTool, steps: list[Row], refusal: Outcome) -> None:
        self._show_start(run, step.round, step.call)
        self._finish(run, step.round, step.call, steps, refusal)

    def ask_owner(self, run: Row, step: AskOwner, steps: list[Row]) -> bool:
        """Put the model's question to the person. Returns whether the run waits for them now."""
        return self._record.write(lambda: self._ask_owner(run, step, steps))

    def _ask_owner(self, run: Row, step: AskOwner, steps: list[Row]) -> bool:
        self._show_start(run, step.round, step.call)
        try:
            arguments = checked(step.call)
        except BerthError as error:
            self._finish(run, step.round, step.call, steps, failed(error))
            return False
        self._finish(run, step.round, step.call, steps, Outcome(True, ""))
        if not (step.wait and isinstance(arguments, AskArguments)):
            return False
        # Whatever else it wanted at once, it wanted without having the answer.
        for other in [one for one in steps[1:] if one["state"] != "done"]:
            call = self._journal.call(other)
            self._show_start(run, step.round, call)
            not_made = failed(because(ErrorCode.INVALID_REQUEST, "asked_first"))
            self._finish(run, step.round, call, steps, not_made)
        question = OwnerQuestion(
            id=step.call.id, kind=arguments.kind, text=arguments.question, choices=arguments.choices
        )
        self._journal.move(run["id"], RunState.WAITING_INPUT, reason=ASKED, question=question)
        return True

    async def _use(self, run: Row, step: UseTool, steps: list[Row]) -> None:
        call = step.call
        if not step.again:
            self._record.write(lambda: self._start(run, step, steps))

        if call.tool in VENUE_NAMES:
            await self._trade(run, step, steps)
            return

        def on_output(stream: str, offset: int, text: str) -> None:
            data = ToolOutputData(tool_call_id=call.id, stream=stream, offset=offset, text=text)  # type: ignore[arg-type]
            self._live(run["thread_id"], ToolOutput(data=data))

        caller = Caller(run["id"], run["thread_id"], run["origin"], attribution_of(run))

        def text(name: str) -> Pieces:
            return lambda: self._journal.text_of(call, name)

        outcome = await self._tools.use(call, caller, on_output, text, again=step.again)
        self._tails.drop_call(call.id)
        self._record.write(lambda: self._finish(run, step.round, call, steps, outcome))

    async def _trade(self, run: Row, step: UseTool, steps: list[Row]) -> None:
        """A call of the venue. Where it waits for the owner, the call stays begun and the run waits."""
        outcome = await self._desk.use(step.call, run["id"])
        if outcome is not None:
            self._record.write(lambda: self._finish(run, step.round, step.call, steps, outcome))

    def _start(self, run: Row, step: UseTool, steps: list[Row]) -> None:
        if run["state"] == RunState.QUEUED:
            run = self._journal.move(run["id"], RunState.RUNNING)
        tool = TOOLS.get(step.call.tool)
        if tool and tool.outside:
            # Before the tool starts: output that came from a computer may be in the next question.
            self._taint.call_begins(run, step.call)
            self._journal.note_tools(run["id"])
        self._journal.set_call(steps, step.call.id, "started")
        self._show_start(run, step.round, step.call)

    def _show_start(self, run: Row, number: int, call: ToolCall) -> None:
        started = ToolStart(
            tool_call_id=call.id,
            run_id=run["id"],
            round=number,
            tool=call.tool,
            arguments=call.arguments,
            started_ms=self._context.now_ms(),
        )
        self._record.append(run["thread_id"], "tool.started", started)

    def _finish(self, run: Row, number: int, call: ToolCall, steps: list[Row], outcome: Outcome) -> None:
        thread_id = run["thread_id"]
        if outcome.delivered:
            uploads = upload_records(self._files, outcome)
            text = "Attached files were put into /workspace/uploads."
            self._record.append(
                thread_id, "notice", NoticeData(code="uploads_delivered", text=text, uploads=uploads)
            )
        if outcome.waiting:
            self._tell_of_waiting(thread_id)
        if outcome.artifact:
            artifact, key = outcome.artifact
            self._files.add_artifact(artifact, key)
            self._record.append(thread_id, "artifact.created", artifact)
        if outcome.command:
            self._taint.call_heard(run["id"], call.id, outcome.command.egress)
        finish = ToolFinish(
            tool_call_id=call.id,
            run_id=run["id"],
            round=number,
            tool=call.tool,
            ok=outcome.ok,
            text=outcome.text,
            nonce=self._context.entropy(NONCE_BYTES).hex(),
            error=outcome.error,
            command=outcome.command,
            change=outcome.change,
            picture=outcome.picture,
            artifact_id=outcome.artifact[0].id if outcome.artifact else None,
            finished_ms=self._context.now_ms(),
        )
        self._journal.set_call(steps, call.id, "done")
        self._record.append(thread_id, "tool.finished", finish)
        # A model may call what there is not, by any word.
        tool = call.tool if call.tool in TOOLS else "none"
        failed = outcome.error.code if outcome.error else "failed"
        count("calls", tool=tool, outcome="ok" if outcome.ok else failed)

    def _tell_of_waiting(self, thread_id: str) -> None:
        """Once for the same files: they are tried again with every call."""
        waiting = ",".join(row["id"] for row in self._files.waiting())
        if self._catalog.setting(WAITING_TOLD, "") == waiting:
            return
        self._catalog.set_setting(WAITING_TOLD, waiting)
        self._record.append(thread_id, "notice", NoticeData(code="uploads_waiting", text=UPLOADS_WAITING))
