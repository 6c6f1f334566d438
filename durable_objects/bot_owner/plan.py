"""What has to be done next for a run: a table from its journal to the next step.

A run is a sequence of rounds; a round is one answer of the model (step 0) and the tool calls it
asked for (steps 1, 2, …). `plan` reads the steps of the newest round and names what comes next, so
whoever finds a half-finished run can go on with it.
"""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from contracts.errors import BerthError, ErrorCode
from contracts.limits import ATTEMPTS_A_ROUND
from contracts.reasons import because
from contracts.states import RunState
from contracts.tools import ASK_OWNER
from durable_objects.shared.long_text import LongText
from durable_objects.shared.sql import Row


@dataclass(frozen=True)
class ToolCall:
    """One call as the model made it; `id` is ours and is also the command's id."""

    id: str
    tool: str
    arguments: dict[str, Any]
    """As they are shown: long texts by their beginning."""
    whole: dict[str, LongText] = field(default_factory=dict)
    """The arguments that are shown shortened, as they are used; with a call that is not written down yet."""


class Prompt(StrEnum):
    """What Berth itself asks a model for; the values are the codes of the notices that say so."""

    VERIFY = "verify_asked"
    """It stopped after using tools: look at the present state before claiming anything."""
    ANSWER = "answer_asked"
    """It stopped without a word."""
    REPORT = "report_asked"
    """Its rounds are used up: say what is done and what remains."""


@dataclass(frozen=True)
class AskModel:
    """Ask the model for the answer of `round`; the person's news are those of the run behind `after_seq`.

    `attempt` counts what died before; a later one has the same news and the same prompt.
    """

    round: int
    attempt: int = 1
    after_seq: int = 0
    prompt: Prompt | None = None


@dataclass(frozen=True)
class UseTool:
    round: int
    call: ToolCall
    again: bool
    """True where the call was started before: its outcome is looked up, never made twice."""


@dataclass(frozen=True)
class AskOwner:
    """Put the model's question to the person, and wait unless they have written in between."""

    round: int
    call: ToolCall
    wait: bool


@dataclass(frozen=True)
class End:
    """The run ends, or waits for the person, for a reason."""

    state: RunState
    reason: str | None = None


Next = AskModel | UseTool | AskOwner | End
GIVEN_UP, SILENT = "given_up", "silent"
ROUTINE_TIME, ROUTINE_COST, ROUTINE_MONTH = "routine_time", "routine_cost", "routine_month"
ERRORS = {
    GIVEN_UP: (ErrorCode.INTERNAL, "given_up"),
    SILENT: (ErrorCode.MODEL_UNAVAILABLE, "model_nothing"),
    ROUTINE_TIME: (ErrorCode.ROUTINE_LIMIT, "routine_time"),
    ROUTINE_COST: (ErrorCode.ROUTINE_LIMIT, "routine_cost"),
    ROUTINE_MONTH: (ErrorCode.ROUTINE_LIMIT, "routine_month"),
}


def error_of(reason: str | None) -> BerthError | None:
    """What is wrong where a run ends for a reason, if anything is."""
    return because(*ERRORS[reason]) if reason in ERRORS else None


def plan(run: Row, last_round: list[Row], newest_seq: int, *, reads_results: bool) -> Next:
    """Return what comes next for a run.

    `last_round` are the steps of its newest round, in order; `newest_seq` is the person's newest
    message to it; `reads_results` says whether the model is shown what its calls returned.
    """
    if run["stop_asked"]:
        return End(RunState.STOPPED)
    if not last_round:
        return AskModel(1)
    answer, *calls = last_round
    if answer["state"] != "done":
        return _again(answer)
    news = newest_seq > answer["seen_seq"]
    for call in calls:
        if call["state"] != "done":
            return _call(answer["round"], call, news=news)
    if news or (calls and reads_results):
        return _next_round(run, answer, reads_results=reads_results)
    return _stopped(run, answer) if reads_results else End(RunState.DONE)


def _again(answer: Row) -> Next:
    if answer["attempt"] >= ATTEMPTS_A_ROUND:
        # Whatever kills us while it is answered would do so for ever.
        return End(RunState.FAILED, GIVEN_UP)
    return AskModel(answer["round"], answer["attempt"] + 1, answer["after_seq"], _prompt(answer))


def _call(number: int, call: Row, *, news: bool) -> Next:
    made = ToolCall(call["call_id"], call["tool"], json.loads(call["arguments"]))
    if call["tool"] == ASK_OWNER:
        return AskOwner(number, made, wait=not news)
    return UseTool(number, made, again=call["state"] == "started")


def _next_round(run: Row, answer: Row, *, reads_results: bool) -> Next:
    number, seen = answer["round"] + 1, answer["seen_seq"]
    if answer["round"] < run["round_limit"]:
        return AskModel(number, after_seq=seen)
    if reads_results:
        return AskModel(number, after_seq=seen, prompt=Prompt.REPORT)
    return End(RunState.WAITING_INPUT, ErrorCode.ROUNDS_EXHAUSTED)


def _stopped(run: Row, answer: Row) -> Next:
    """The model wants nothing more. Its word is taken only for what it has looked at."""
    prompt = _prompt(answer)
    if prompt is Prompt.REPORT:
        return End(RunState.WAITING_INPUT, ErrorCode.ROUNDS_EXHAUSTED)
    if not answer["said"] and prompt is Prompt.ANSWER:
        return End(RunState.FAILED, SILENT)
    number, seen = answer["round"] + 1, answer["seen_seq"]
    if not answer["said"] and prompt is not Prompt.VERIFY:
        return AskModel(number, after_seq=seen, prompt=Prompt.ANSWER)
    if run["used_tools"] and not run["verified"]:
        return AskModel(number, after_seq=seen, prompt=Prompt.VERIFY)
    return End(RunState.DONE)


def _prompt(answer: Row) -> Prompt | None:
    return Prompt(answer["prompt"]) if answer["prompt"] else None
