"""What the events of an act prove, and what they do not."""

from typing import Any

import pytest

from local.client import Event
from local.demo.errors import StoryError
from local.demo.facts import Facts, Finish, Receipt, check, ending
from local.demo.story import DENIED_HOST, Act

DENIED = Receipt(DENIED_HOST, "GET", False, "default: no rule allows it", 1)
OK = Finish("computer__exec", True, "", 0, "exited", 40, ())


def finish(**changes: Any) -> Finish:
    return Finish(**{**vars(OK), **changes})


def event(kind: str, **data: Any) -> Event:
    return Event(kind, data, 1, 1, 0.0)


def run(state: str = "done", *, error: str = "", reason: str | None = None) -> dict[str, Any]:
    return {"state": state, "error": {"message": error} if error else None, "reason": reason}


def facts(*finishes: Finish) -> Facts:
    return Facts(finishes=list(finishes))


@pytest.mark.parametrize(
    ("ends", "found", "wrong"),
    [
        ("answered", facts(), None),
        ("ok", facts(OK), None),
        ("ok", facts(), "used no tool"),
        ("ok", facts(OK, finish(ok=False, exit_code=3)), "exit code 3"),
        ("denied", facts(finish(ok=False, exit_code=22, receipts=(DENIED,))), None),
        ("denied", facts(OK), "no record of the request"),
        ("denied", facts(finish(receipts=(Receipt("other.example", "GET", False, "x", 1),))), "no record"),
        ("denied", facts(finish(receipts=(Receipt(DENIED_HOST, "GET", True, "x", 1),))), "not denied"),
        ("denied", facts(finish(receipts=(Receipt(DENIED_HOST, "GET", False, "", 1),))), "not denied"),
        ("exported", facts(finish(ok=False, state="", error="This file is not there.")), "is not there"),
    ],
)
def test_act_ends_as_it_must_or_says_why_not(ends: Any, found: Facts, wrong: str | None) -> None:
    act = Act("title", "text", ends=ends)
    if wrong is None:
        check(act, run(), found)
    else:
        with pytest.raises(StoryError, match=wrong):
            check(act, run(), found)


@pytest.mark.parametrize(
    ("ended", "says"),
    [
        (run("failed", error="The model could not be reached."), "The model could not be reached."),
        (run("waiting_input", reason="rounds_exhausted"), r"waiting_input \(rounds_exhausted\)"),
        (run("stopped"), "ended as stopped"),
    ],
)
def test_run_that_did_not_finish_fails_the_act(ended: dict[str, Any], says: str) -> None:
    with pytest.raises(StoryError, match=says):
        check(Act("title", "text"), ended, facts(OK))


@pytest.mark.parametrize(
    ("state", "over"),
    [("queued", False), ("running", False), ("done", True), ("failed", True), ("waiting_approval", True)],
)
def test_run_is_over_when_nothing_more_will_come(state: str, over: bool) -> None:
    found = Facts()
    assert not found.over("run_1")
    found.add(event("run.status", id="run_1", state=state))
    assert found.over("run_1") is over


def test_requests_of_one_kind_are_added_up() -> None:
    allowed = Receipt("files.example", "GET", True, "registry:pip-files", 2)
    found = facts(finish(receipts=(allowed, DENIED)), finish(receipts=(allowed,)))
    assert found.receipts == [Receipt("files.example", "GET", True, "registry:pip-files", 4), DENIED]
    assert found.denied == [DENIED]


def test_boot_counts_from_asleep_to_awake_once() -> None:
    found = Facts()
    for state, since_ms in [("starting", 1_000), ("running", 1_250), ("standby", 9_000), ("starting", 9_500)]:
        found.add(event("computer.status", state=state, since_ms=since_ms))
    assert found.boot_seconds == 0.25


@pytest.mark.parametrize(
    ("ended", "text"),
    [
        (OK, "exit code 0"),
        (finish(exit_code=None, state="timed_out", ok=False), "timed out"),
        (finish(exit_code=None, state="", error="This file is not there."), "This file is not there"),
        (finish(exit_code=None, state=""), "done"),
        (finish(exit_code=None, state="", ok=False), "failed"),
    ],
)
def test_ending_in_words(ended: Finish, text: str) -> None:
    assert ending(ended) == text
