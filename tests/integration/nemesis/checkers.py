"""What must hold of every history, a function each. Each returns sentences on what does not.

They judge after the run, from the history alone. Each has a history in test_checkers.py that it must refuse.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from contracts.errors import ErrorCode
from contracts.limits import OUTPUT_CHARACTERS
from tests.integration.nemesis.history import REGISTER, History, Operation

Checker = Callable[[History], list[str]]

# A process of a command may outlive the command's end by this much, on however busy a machine.
OUTLIVE_SECONDS = 30.0
# Notices reach a thread of their own accord; they may come in behind the answer that they explain.
NOTICE_SECONDS = 30.0
HEAP_BYTES_MAX = 128 << 20
# The line that says what was cut.
CUT_CHARACTERS = 300
INTERNAL = ("Traceback", "/session/", "JsException", "site-packages", "durable_objects/")


def everything_ends(history: History) -> list[str]:
    return [f"{_name(op)} never ended" for op in history.operations if op.outcome in ("open", "stuck")]


def works_again(history: History) -> list[str]:
    """Once the faults are over, every call does what it should."""
    return [
        f"{_name(op)} came after all faults, and {op.outcome}: {op.error}"
        for op in history.operations
        if op.facts.get("after_all") and op.outcome != "done"
    ]


def one_machine(history: History) -> list[str]:
    """At most one container runs for a computer at any time."""
    running: dict[str, set[str]] = defaultdict(set)
    found = []
    for move in history.machines:
        if move.action != "start":
            running[move.machine].discard(move.container)
            continue
        if running[move.machine]:
            found.append(f"{move.machine[-20:]} was started at {move.at:.2f} while it ran")
        running[move.machine].add(move.container)
    return found


def nothing_outlives_its_command(history: History) -> list[str]:
    return [
        f"a process of operation {left.number} was alive {left.seconds:.1f} s after its end"
        for left in history.leftovers
        if left.seconds > OUTLIVE_SECONDS
    ]


def nothing_runs_twice(history: History) -> list[str]:
    found = set()
    for op in history.operations:
        twice = [token for token, count in Counter(op.saw or ()).items() if count > 1]
        found |= {f"{token} was written twice" for token in twice}
    return sorted(found)


def files_add_up(history: History) -> list[str]:
    """What was acknowledged is there, or its owner was told that the files are older; a reset takes all."""
    files: dict[tuple[str, str], list[Operation]] = defaultdict(list)
    for op in history.operations:
        if op.file:
            files[op.owner, op.file].append(op)
    return [problem for ops in files.values() for problem in _judge_file(history, ops)]


def _judge_file(history: History, ops: list[Operation]) -> Iterator[str]:
    owner = ops[0].owner
    resets = [op for op in history.operations if op.owner == owner and op.kind == "reset"]
    saves = [
        op for op in history.operations if op.owner == owner and op.kind == "sleep" and op.facts.get("saved")
    ]
    order = {op.token: place for place, op in enumerate(ops) if op.kind in ("append", "write")}
    certain: dict[str, Operation] = {}
    gone: set[str] = set()
    for op in ops:
        if op.saw is None:
            continue
        seen = _found(op, order) - (gone if op.file.startswith(REGISTER) else set())
        yield from _check_order(op, order)
        yield from (f"{_name(op)} saw {token}, which was gone" for token in sorted(seen & gone))
        missing = [token for token in certain if token not in seen]
        if op.kind != "write":
            for token in missing:
                yield from _excuse(history, op, certain[token], resets, saves)
            gone |= set(missing)
        for token in [*missing, *seen]:
            certain.pop(token, None)
        certain |= {other.token: other for other in ops if other.token in seen}
        if op.outcome == "done" and op.kind in ("append", "write") and op.token not in seen:
            yield f"{_name(op)} was done, and did not see what it wrote"


def _found(op: Operation, order: dict[str, int]) -> set[str]:
    """The writes whose effect an operation saw: in a file that holds one token, all up to that one."""
    if not op.file.startswith(REGISTER):
        return set(op.saw or ())
    newest = max((order[token] for token in op.saw or () if token in order), default=-1)
    return {token for token, place in order.items() if place <= newest}


def _check_order(op: Operation, order: dict[str, int]) -> Iterator[str]:
    places = []
    for token in op.saw or ():
        if token not in order:
            yield f"{_name(op)} saw {token[:60]!r}, which nobody wrote there"
        else:
            places.append(order[token])
    if places != sorted(places):
        yield f"{_name(op)} saw what was written in another order: {op.saw}"


def _excuse(
    history: History, op: Operation, missing: Operation, resets: list[Operation], saves: list[Operation]
) -> Iterator[str]:
    """Why a write is not there any more; of a saved one, that it could not be used, which was said."""
    if any(reset.ended > missing.began and reset.began < op.ended for reset in resets):
        return
    told = [
        notice
        for notice in history.notices
        if notice.owner == op.owner and missing.began < notice.at < op.ended + NOTICE_SECONDS
    ]
    if not told:
        yield f"{_name(op)} did not see {missing.token}, and nobody was told"
    saved = [
        save
        for save in saves
        if missing.ended < save.began and save.ended < op.began
        # What was gone already, as was said, it could not save.
        if not any(notice.at < save.ended for notice in told)
    ]
    if saved and not any(notice.unusable for notice in told):
        yield f"{_name(op)} did not see {missing.token}, which operation {saved[0].number} had saved"


def uploads_arrive(history: History) -> list[str]:
    return [
        f"{_name(op)} did not find what was attached"
        for op in history.operations
        if op.kind == "upload" and op.outcome == "done" and not any(op.token in text for text in op.texts)
    ]


def results_are_text_within_the_limit(history: History) -> list[str]:
    found = []
    for op in history.operations:
        for text in op.texts:
            if len(text) > OUTPUT_CHARACTERS + CUT_CHARACTERS and op.kind == "big":
                found.append(f"{_name(op)} answered with {len(text)} characters")
            if "\ufffd" in text or any("\ud800" <= character <= "\udfff" for character in text):
                found.append(f"{_name(op)} answered with half a character")
    return found


def owners_are_apart(history: History) -> list[str]:
    owners = {op.owner for op in history.operations}
    return [
        f"{_name(op)} was answered with something of {other}"
        for op in history.operations
        for other in owners - {op.owner}
        if any(f"{other}." in text for text in op.texts)
    ]


def denials_are_typed(history: History) -> list[str]:
    codes = {str(code) for code in ErrorCode}
    found = []
    for op in history.operations:
        if op.error is None:
            continue
        if op.error.get("code") not in codes - {"internal"}:
            found.append(f"{_name(op)} failed as {op.error.get('code')}: {op.error.get('message')}")
        if any(word in str(op.error) for word in INTERNAL):
            found.append(f"{_name(op)} tells of our insides: {op.error}")
    return found


def nothing_denied_leaves(history: History) -> list[str]:
    return [f"{url} left, which no rule allows" for url in history.outside]


def results_are_kept(history: History) -> list[str]:
    """What was exported is the same at the end, whatever became of the computer."""
    return [
        f"{_name(op)}: its file had {op.facts['sha256']} and has {op.facts['at_the_end']} at the end"
        for op in history.operations
        if op.facts.get("at_the_end", op.facts.get("sha256")) != op.facts.get("sha256")
    ]


def memory_is_bounded(history: History) -> list[str]:
    if history.heap_bytes <= HEAP_BYTES_MAX:
        return []
    return [f"Python in the Worker has taken {history.heap_bytes >> 20} MB"]


CHECKERS: tuple[Checker, ...] = (
    everything_ends,
    works_again,
    one_machine,
    nothing_outlives_its_command,
    nothing_runs_twice,
    files_add_up,
    uploads_arrive,
    results_are_text_within_the_limit,
    owners_are_apart,
    denials_are_typed,
    nothing_denied_leaves,
    results_are_kept,
    memory_is_bounded,
)


def problems(history: History) -> list[str]:
    """Every sentence of every checker, with the checker's name."""
    return [f"{checker.__name__}: {found}" for checker in CHECKERS for found in checker(history)]


def _name(op: Operation) -> str:
    return f"operation {op.number} ({op.kind} of {op.client})"
