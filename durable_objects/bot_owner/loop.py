"""The run loop: do the journal's next step, write the result down, and again until the run ends.

Everything is written before it is done and after it is done, so dying anywhere leaves a journal
from which the next driver goes on: a model is asked again (`attempt` counts it), a tool call is
looked up by its id and never made twice.

What may interleave: messages, stops and other runs, at every await. Each step reads the journal
afresh, so whatever they changed is seen at the next step.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from contracts.errors import BerthError
from contracts.events import NoticeData
from contracts.limits import REASONING_CHARACTERS
from contracts.records import Message, OwnerQuestion, Reasoning
from contracts.states import RUN_ENDED, Locale, RunState
from contracts.tools import schemas
from durable_objects.bot_owner.answer import Answer, write
from durable_objects.bot_owner.billing.allowance import Charge
from durable_objects.bot_owner.calls import CallMaker
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.conversation import Turn, UserTurn, messages
from durable_objects.bot_owner.models.protocol import Model, ModelError, Question
from durable_objects.bot_owner.owed_stops import OwedStops
from durable_objects.bot_owner.plan import AskModel, AskOwner, End, Prompt, UseTool, error_of, plan
from durable_objects.bot_owner.prompts import PROMPTS, system_text
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.routines.bounds import RunBounds
from durable_objects.bot_owner.runs import RunJournal
from durable_objects.bot_owner.stops import Stops
from durable_objects.bot_owner.tails import Live, LiveTails
from durable_objects.bot_owner.taint import TaintMarks
from durable_objects.bot_owner.tools import journalled
from durable_objects.bot_owner.window import Windows, model_name
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

# Ended, or somebody else's turn.
LEFT_ALONE = RUN_ENDED | {RunState.WAITING_APPROVAL}


@dataclass(frozen=True)
class Asked:
    """The answer that is to come, how far of the thread it sees, and the bot that is asked."""

    answer: Answer
    until: int
    bot: Row

    @property
    def model(self) -> str:
        return model_name(self.bot)


class RunLoop:
    def __init__(  # noqa: PLR0913 - its parts, by name
        self,
        context: Context,
        *,
        catalog: Catalog,
        record: ThreadRecord,
        journal: RunJournal,
        calls: CallMaker,
        bounds: RunBounds,
        taint: TaintMarks,
        stops: Stops,
        owed: OwedStops,
        windows: Windows,
        model_of: Callable[[Row], Model],
        live: Live,
        tails: LiveTails,
        picture: Callable[[str], Awaitable[bytes | None]],
        charge: Charge,
    ) -> None:
        self._context = context
        self._catalog = catalog
        self._record = record
        self._journal = journal
        self._calls = calls
        self._bounds = bounds
        self._taint = taint
        self._stops = stops
        self._owed = owed
        self._windows = windows
        self._model_of = model_of
        self._live = live
        self._tails = tails
        self._picture = picture
        self._charge = charge

    async def drive(self, run_id: str) -> None:
        """Drive one run until it ends or waits. Two drivers of one run at once are the caller's fault.

        The bot's settings are read once: a change of them counts from the next run on. What a message names
        instead counts from the next answer on.
        """
        try:
            run, newest = self._journal.now(run_id)
            settings = self._catalog.bot_row(run["bot_id"])
            bot = _chosen(settings, run)
            model, steps = self._model_of(bot), self._journal.last_round(run_id)
            while RunState(run["state"]) not in LEFT_ALONE:
                if bot != (chosen := _chosen(settings, run)):
                    bot, model = chosen, self._model_of(chosen)
                over = self._bounds.over(run)
                match over or plan(run, steps, newest, reads_results=model.reads_results):
                    case End(state, reason):
                        # Its command may be under way although this object has died since.
                        await self._owed.stop_run(run_id)
                        return self._end(run_id, state, reason=reason, error=error_of(reason))
                    case AskModel() as step:
                        steps = await self._ask(run, step, bot, model)
                    case AskOwner() as step:
                        if self._calls.ask_owner(run, step, steps):
                            return None
                    case UseTool() as step:
                        await self._calls.use(run, step, steps)
                run, newest = self._journal.now(run_id)
        except BerthError as error:
            self._tails.drop_answer(run_id)
            self._end(run_id, RunState.FAILED, error=error)

    def _end(
        self, run_id: str, state: RunState, *, reason: str | None = None, error: BerthError | None = None
    ) -> None:
        question = OwnerQuestion(kind="continue") if state == RunState.WAITING_INPUT else None
        self._record.write(
            lambda: self._journal.move(run_id, state, reason=reason, error=error, question=question)
        )

    async def _ask(self, run: Row, step: AskModel, bot: Row, model: Model) -> list[Row]:
        """Have the model answer; returns the steps of the round."""
        thread_id, seen = run["thread_id"], self._record.head(run["thread_id"])
        run, steps = self._record.write(lambda: self._begin(run, step, model, seen))
        until = self._record.head(thread_id)
        question = self._question(run, step, bot, until)
        ids = self._context.new_id("msg"), self._context.new_id("rsn")
        answer = Answer(self._live, run, ids, step.attempt)
        await self._answer(model, question, run, step, Asked(answer, until, bot))
        # Where the rounds are used up, whatever it calls all the same is not made.
        parts = [] if step.prompt is Prompt.REPORT else answer.calls
        calls = [journalled(self._context.new_id("call"), part) for part in parts]

        def finished() -> None:
            if answer.reasoning:
                self._record.append(thread_id, "reasoning.created", self._reasoning(answer, run, step))
            if answer.text:
                self._record.append(thread_id, "message.created", self._message(answer, run, step))
            end = answer.end
            self._journal.finish_answer(steps, len(answer.text), calls, end.usage, end.kept)
            self._charge(run, str(step.round), bot, end.usage)

        self._tails.drop_answer(run["id"])
        self._record.write(finished)
        return steps

    def _begin(self, run: Row, step: AskModel, model: Model, seen: int) -> tuple[Row, list[Row]]:
        if model.reads_results:
            run = self._taint.thread_read(run)
        steps = self._journal.start_answer(run, step, seen)
        if step.prompt and step.attempt == 1:
            notice = NoticeData(code=step.prompt.value, text=PROMPTS[step.prompt])
            self._record.append(run["thread_id"], "notice", notice)
        return run, steps

    def _question(self, run: Row, step: AskModel, bot: Row, until: int) -> Question:
        news = self._record.news(run["id"], step.after_seq, until)
        return Question(
            system=system_text(bot["name"], bot["instructions"]),
            news=messages(news),
            history=list,
            tools=lambda: [one for one in schemas() if not self._bounds.refused(run, one["name"])],
            locale=lambda: _language(news) or self._catalog.setting("locale", Locale.ENGLISH),
            picture=self._picture,
            thread_id=run["thread_id"],
            kept=self._journal.kept,
            given=lambda: self._record.answers(run["thread_id"]),
        )

    def _message(self, answer: Answer, run: Row, step: AskModel) -> Message:
        stop = answer.end.stop
        return Message(
            id=answer.message_id,
            role="assistant",
            text=answer.text,
            run_id=run["id"],
            round=step.round,
            tainted=bool(run["tainted"]),
            ended=None if stop == "done" else stop,
            created_ms=self._context.now_ms(),
        )

    def _reasoning(self, answer: Answer, run: Row, step: AskModel) -> Reasoning:
        return Reasoning(
            id=answer.reasoning_id,
            run_id=run["id"],
            round=step.round,
            text=answer.reasoning[:REASONING_CHARACTERS],
            cut=len(answer.reasoning) > REASONING_CHARACTERS,
            tainted=bool(run["tainted"]),
            created_ms=self._context.now_ms(),
        )

    async def _answer(self, model: Model, question: Question, run: Row, step: AskModel, asked: Asked) -> None:
        """Fill the answer, until the person stops it: then it is what was written by then."""

        async def work() -> bool:
            if model.reads_history:
                await self._write(model, question, run, asked)
            else:
                await write(model, question, asked.answer)
            return True

        try:
            if not await self._stops.unless_stopped(run["id"], work()):
                asked.answer.broken_off()
        except ModelError as error:
            if step.prompt is not Prompt.REPORT:
                raise error.problem from error
            # The person can go on without it.
            log.warning("run %s: no report: %s", run["id"], error)
            asked.answer.broken_off()

    async def _write(self, model: Model, question: Question, run: Row, asked: Asked) -> None:
        """Have the model write with its window onto the thread; what is too much for it is halved."""
        summary = self._summary(model, question, run, asked.bot)
        while True:
            budget = self._windows.budget(asked.model)
            try:
                history = await self._windows.turns(run["thread_id"], asked.until, summary, budget)
                return await write(model, replace(question, history=history.copy), asked.answer)
            except ModelError as error:
                if not error.too_long or asked.answer.begun or not self._windows.shrink(asked.model):
                    raise

    def _summary(
        self, model: Model, question: Question, run: Row, bot: Row
    ) -> Callable[[str, str], Awaitable[str]]:
        """Have the same model summarise a text, unseen."""

        async def summarise(system: str, text: str) -> str:
            said = UserTurn(text, 0)
            alone: list[Turn] = [said]
            asked = replace(
                question, system=system, news=[said], history=lambda: alone, tools=list, thread_id=""
            )
            answer = Answer(lambda _thread_id, _frame: None, run, ("", ""), 1)
            await write(model, asked, answer)

            def spend() -> None:
                self._journal.spend(run["id"], answer.end.usage)
                self._charge(run, self._context.new_id("summary"), bot, answer.end.usage)

            self._record.write(spend)
            return answer.text

        return summarise


def _chosen(bot: Row, run: Row) -> Row:
    """The bot's settings with the model and the effort that the run's message names, if it names any."""
    return bot | {name: run[name] for name in ("model", "effort") if run[name]}


def _language(news: Sequence[Row]) -> str | None:
    """Of the page that the newest of these messages was written on, where one says it."""
    told = (json.loads(row["data"]).get("locale") for row in reversed(news))
    return next((locale for locale in told if locale), None)
