"""The table that says what comes next for a run."""

import json
from typing import Any

import pytest

from contracts.limits import ATTEMPTS_A_ROUND
from contracts.states import RunState
from contracts.tools import ASK_OWNER
from durable_objects.bot_owner.plan import (
    GIVEN_UP,
    SILENT,
    AskModel,
    AskOwner,
    End,
    Next,
    Prompt,
    ToolCall,
    UseTool,
    plan,
)

Steps = list[dict[str, Any]]

RUN: dict[str, Any] = {"stop_asked": 0, "round_limit": 3, "used_tools": 0, "verified": 0}
USED, VERIFIED = RUN | {"used_tools": 1}, RUN | {"used_tools": 1, "verified": 1}
STOPPED = RUN | {"stop_asked": 1}
CALL = ToolCall("call_1", "computer__exec", {"command": "x"})
ASK = ToolCall("call_2", ASK_OWNER, {"question": "Which?"})
OUT = "rounds_exhausted"


def answer(state: str = "done", number: int = 1, said: int = 9, prompt: str = "", attempt: int = 1) -> Any:
    """An answer that has seen up to 5, whose news began behind 2."""
    about = {"round": number, "n": 0, "state": state, "attempt": attempt, "said": said, "prompt": prompt}
    return about | {"seen_seq": 5, "after_seq": 2}


def call(state: str, made: ToolCall = CALL) -> dict[str, Any]:
    arguments = json.dumps(made.arguments)
    return {"round": 1, "n": 1, "state": state, "call_id": made.id, "tool": made.tool, "arguments": arguments}


@pytest.mark.parametrize(
    ("run", "steps", "expected"),
    [
        (RUN, [], AskModel(1)),
        (STOPPED, [], End(RunState.STOPPED)),
        (STOPPED, [answer(), call("planned")], End(RunState.STOPPED)),
        (RUN, [answer("started")], AskModel(1, 2, 2)),
        (RUN, [answer("started", prompt="verify_asked")], AskModel(1, 2, 2, Prompt.VERIFY)),
        (RUN, [answer("started", attempt=ATTEMPTS_A_ROUND - 1)], AskModel(1, ATTEMPTS_A_ROUND, 2)),
        (RUN, [answer("started", attempt=ATTEMPTS_A_ROUND)], End(RunState.FAILED, GIVEN_UP)),
        (RUN, [answer(), call("planned")], UseTool(1, CALL, again=False)),
        (RUN, [answer(), call("started")], UseTool(1, CALL, again=True)),
        (RUN, [answer(), call("done")], AskModel(2, after_seq=5)),
        (RUN, [answer(), call("done"), call("planned", ASK)], AskOwner(1, ASK, wait=True)),
        # A run that used no tool may stop with a word; one that did is asked to look first, once.
        (RUN, [answer()], End(RunState.DONE)),
        (USED, [answer()], AskModel(2, after_seq=5, prompt=Prompt.VERIFY)),
        (USED, [answer(number=3)], AskModel(4, after_seq=5, prompt=Prompt.VERIFY)),
        (VERIFIED, [answer(number=2, prompt="verify_asked")], End(RunState.DONE)),
        (VERIFIED, [answer(number=2, prompt="verify_asked", said=0)], End(RunState.DONE)),
        (VERIFIED, [answer(number=2, prompt="verify_asked"), call("planned")], UseTool(2, CALL, again=False)),
        (VERIFIED, [answer(number=3)], End(RunState.DONE)),
        # Nobody is left without a word.
        (RUN, [answer(said=0)], AskModel(2, after_seq=5, prompt=Prompt.ANSWER)),
        (USED, [answer(said=0)], AskModel(2, after_seq=5, prompt=Prompt.ANSWER)),
        (RUN, [answer(number=2, said=0, prompt="answer_asked")], End(RunState.FAILED, SILENT)),
        (RUN, [answer(number=2, prompt="answer_asked")], End(RunState.DONE)),
        (USED, [answer(number=2, prompt="answer_asked")], AskModel(3, after_seq=5, prompt=Prompt.VERIFY)),
        # Rounds at the limit and one past it.
        (RUN, [answer(number=2), call("done")], AskModel(3, after_seq=5)),
        (RUN, [answer(number=3), call("done")], AskModel(4, after_seq=5, prompt=Prompt.REPORT)),
        (RUN, [answer(number=4, prompt="report_asked")], End(RunState.WAITING_INPUT, OUT)),
        (RUN, [answer(number=4, prompt="report_asked", said=0)], End(RunState.WAITING_INPUT, OUT)),
    ],
)
def test_plan_for_a_model_that_reads_results(run: dict[str, Any], steps: Steps, expected: Next) -> None:
    assert plan(run, steps, 5, reads_results=True) == expected


@pytest.mark.parametrize(
    ("run", "steps", "expected"),
    [
        (RUN, [answer()], AskModel(2, after_seq=5)),
        (USED, [answer()], AskModel(2, after_seq=5)),
        (RUN, [answer(said=0)], AskModel(2, after_seq=5)),
        (RUN, [answer(), call("planned", ASK)], AskOwner(1, ASK, wait=False)),
        (RUN, [answer(number=3)], AskModel(4, after_seq=5, prompt=Prompt.REPORT)),
        (RUN | {"round_limit": 9}, [answer(number=4, prompt="report_asked")], AskModel(5, after_seq=5)),
    ],
)
def test_plan_when_the_person_has_written_meanwhile(
    run: dict[str, Any], steps: Steps, expected: Next
) -> None:
    assert plan(run, steps, 6, reads_results=True) == expected


@pytest.mark.parametrize(
    ("run", "steps", "newest", "expected"),
    [
        (USED, [answer(said=0), call("done")], 5, End(RunState.DONE)),
        (USED, [answer(said=0), call("done")], 6, AskModel(2, after_seq=5)),
        (USED, [answer(number=3, said=0), call("done")], 6, End(RunState.WAITING_INPUT, OUT)),
    ],
)
def test_plan_for_one_that_does_not(run: dict[str, Any], steps: Steps, newest: int, expected: Next) -> None:
    assert plan(run, steps, newest, reads_results=False) == expected
