"""Each checker takes a good history and refuses the broken one that is its own."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from contracts.limits import OUTPUT_CHARACTERS
from tests.integration.nemesis.checkers import CHECKERS, HEAP_BYTES_MAX, OUTLIVE_SECONDS, problems
from tests.integration.nemesis.engine_events import Moved
from tests.integration.nemesis.history import History, Kind, Leftover, Notice, Operation


def op(number: int, kind: Kind = "append", file: str = "ac", **more: Any) -> Operation:
    """One that takes from `number` to half a second later, of the client `c` of the owner `o`."""
    fields = {"owner": "o", "client": "c", "ended": number + 0.5, "outcome": "done", **more}
    owner = fields["owner"]
    return Operation(
        number=number, kind=kind, file=file, began=float(number), token=f"{owner}.c.{number}", **fields
    )


def saw(*numbers: int, owner: str = "o") -> list[str]:
    return [f"{owner}.c.{number}" for number in numbers]


def history(*operations: Operation, **more: Any) -> History:
    return History(0, operations=list(operations), **more)


def two_writes() -> list[Operation]:
    return [op(1, saw=saw(1)), op(2, saw=saw(1, 2))]


def moved(at: float, container: str, action: str) -> Moved:
    return Moved(at, container, "machine", action)


def test_a_good_history_is_taken() -> None:
    good = history(
        *two_writes(),
        op(3, "sleep", "", facts={"saved": True}),
        op(4, outcome="lost"),
        op(5, "read", saw=saw(1, 2)),
        op(6, saw=saw(1, 2, 6)),
        # It had died in between, and both was told and could not be helped.
        op(8, "read", saw=saw(1, 2)),
        op(10, "write", "wc", saw=saw(10)),
        op(11, "write", "wc", outcome="lost"),
        op(12, "read", "wc", saw=saw(11)),
        op(13, "reset", "", facts={"after_all": True}),
        op(14, "read", "wc", saw=[]),
        op(15, saw=saw(15)),
        op(16, "export", saw=saw(15), facts={"sha256": "1", "at_the_end": "1"}),
        op(17, "upload", "", texts=["o.c.17"]),
        # Lost, told, and only then saved: nobody had looked in between.
        op(20, saw=saw(15, 20)),
        op(22, "sleep", "", facts={"saved": True}),
        op(24, "read", saw=saw(15)),
        op(18, owner="p", saw=saw(18, owner="p"), texts=["p.c.18"]),
        notices=[Notice(7.5, "o"), Notice(21.5, "o")],
        machines=[
            moved(1, "first", "start"),
            moved(3, "first", "die"),
            moved(3, "first", "destroy"),
            moved(5, "second", "start"),
        ],
        leftovers=[Leftover(1, OUTLIVE_SECONDS)],
        heap_bytes=HEAP_BYTES_MAX,
    )
    assert problems(good) == []


BROKEN: dict[str, tuple[Callable[[], History], str]] = {
    "stuck": (lambda: history(op(1, outcome="stuck")), "everything_ends"),
    "open": (lambda: history(op(1, outcome="open")), "everything_ends"),
    "does not work again": (
        lambda: history(op(1, outcome="failed", facts={"after_all": True})),
        "works_again",
    ),
    "two machines": (
        lambda: history(machines=[moved(1, "first", "start"), moved(2, "second", "start")]),
        "one_machine",
    ),
    "a process outlives": (
        lambda: history(leftovers=[Leftover(1, OUTLIVE_SECONDS + 0.1)]),
        "nothing_outlives_its_command",
    ),
    "ran twice": (lambda: history(op(1, saw=saw(1, 1))), "nothing_runs_twice"),
    "lost, nobody told": (
        lambda: history(*two_writes(), op(3, "read", saw=saw(1))),
        "files_add_up: operation 3 (read of c) did not see o.c.2, and nobody was told",
    ),
    "lost, another owner told": (
        lambda: history(*two_writes(), op(3, "read", saw=saw(1)), notices=[Notice(2.7, "p")]),
        "files_add_up",
    ),
    "lost, told before": (
        lambda: history(*two_writes(), op(3, "read", saw=saw(1)), notices=[Notice(1.7, "o")]),
        "files_add_up",
    ),
    "saved, and lost all the same": (
        lambda: history(
            *two_writes(),
            op(3, "sleep", "", facts={"saved": True}),
            op(4, "read", saw=saw(1)),
            notices=[Notice(3.7, "o")],
        ),
        "files_add_up: operation 4 (read of c) did not see o.c.2, which operation 3 had saved",
    ),
    "saved, and lost because nothing could be used, which nobody said": (
        lambda: history(
            *two_writes(),
            op(3, "sleep", "", facts={"saved": True}),
            op(4, "read", saw=saw(1)),
            notices=[Notice(1.7, "o", unusable=True), Notice(3.7, "o")],
        ),
        "files_add_up",
    ),
    "came back": (
        lambda: history(
            *two_writes(),
            op(3, "read", saw=saw(1)),
            op(4, "read", saw=saw(1, 2)),
            notices=[Notice(2.7, "o")],
        ),
        "files_add_up: operation 4 (read of c) saw o.c.2, which was gone",
    ),
    "a reset that was none": (
        lambda: history(*two_writes(), op(3, "reset", ""), op(4, saw=saw(4)), op(5, "read", saw=saw(1, 4))),
        "files_add_up: operation 5 (read of c) saw o.c.1, which was gone",
    ),
    "another order": (lambda: history(*two_writes(), op(3, "read", saw=saw(2, 1))), "files_add_up"),
    "from nowhere": (lambda: history(op(1, saw=saw(1, 9))), "files_add_up"),
    "acknowledged and not there": (lambda: history(op(1, saw=[])), "files_add_up"),
    "an older text": (
        lambda: history(
            op(1, "write", "wc", saw=saw(1)),
            op(2, "write", "wc", saw=saw(2)),
            op(3, "read", "wc", saw=saw(1)),
        ),
        "files_add_up",
    ),
    "an upload that is not there": (lambda: history(op(1, "upload", "", texts=["o.c."])), "uploads_arrive"),
    "too long": (
        lambda: history(op(1, "big", "", texts=["x" * (OUTPUT_CHARACTERS + 301)])),
        "results_are_text_within_the_limit",
    ),
    "half a character": (
        lambda: history(op(1, "big", "", texts=["\ufffd"])),
        "results_are_text_within_the_limit",
    ),
    "another owner's": (
        lambda: history(op(1, saw=saw(1), texts=["p.c.2"]), op(2, owner="p")),
        "owners_are_apart",
    ),
    "a code that is none": (
        lambda: history(op(1, outcome="failed", error={"code": "oops", "message": ""})),
        "denials_are_typed",
    ),
    "a fault of ours": (
        lambda: history(op(1, outcome="failed", error={"code": "internal", "message": ""})),
        "denials_are_typed",
    ),
    "insides": (
        lambda: history(
            op(1, outcome="failed", error={"code": "computer_unavailable", "message": "Traceback"})
        ),
        "denials_are_typed",
    ),
    "left": (lambda: history(outside=["http://denied.invalid/"]), "nothing_denied_leaves"),
    "an export that changed": (
        lambda: history(op(1, "export", facts={"sha256": "1", "at_the_end": "2"})),
        "results_are_kept",
    ),
    "memory": (lambda: history(heap_bytes=HEAP_BYTES_MAX + 1), "memory_is_bounded"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_history_is_refused(name: str) -> None:
    make, expected = BROKEN[name]
    assert any(problem.startswith(expected) for problem in problems(make()))


def test_each_checker_refuses_some_history() -> None:
    refused = {expected.split(":")[0] for _, expected in BROKEN.values()}
    assert refused == {checker.__name__ for checker in CHECKERS}


async def test_a_history_can_be_read() -> None:
    made = history(*two_writes(), notices=[Notice(1.7, "o")], machines=[moved(1, "first", "start")])
    made.fault("it struck")
    with made.operation("o", "c", "read", "ac") as last:
        assert last.outcome == "open"
    assert last.ended >= last.began > 0
    lines = made.told().splitlines()
    assert len(lines) == 6
    assert asyncio.get_running_loop().time() >= last.ended
