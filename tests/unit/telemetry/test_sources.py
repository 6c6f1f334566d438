"""What our own sources give to logs: a sentence that stands there, and values one by one."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("contracts", "durable_objects", "egress", "telemetry", "workers")
SOURCES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
LEVELS = {"debug", "info", "warning", "error", "exception", "critical"}


def calls(path: Path, wanted: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == wanted:
            yield node


def logged(path: Path) -> Iterator[ast.Call]:
    for level in LEVELS:
        yield from (call for call in calls(path, level) if ast.unparse(call.func).startswith("log."))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_sentence_is_a_text_of_ours(path: Path) -> None:
    """One that is put together before it is logged would get past everything that looks at values."""
    for call in logged(path):
        assert isinstance(call.args[0], ast.Constant), ast.unparse(call)
        for value in call.args[1:]:
            texts = [part for part in ast.walk(value) if isinstance(part, ast.JoinedStr)]
            modulo = [part for part in ast.walk(value) if isinstance(part, ast.Mod)]
            assert not texts, ast.unparse(call)
            assert not modulo, ast.unparse(call)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_printed(path: Path) -> None:
    printed = [ast.unparse(call) for call in calls(path, "print") if ast.unparse(call.func) == "print"]
    by_the_way = {"contracts/schema.py", "egress/page.py"}
    assert not printed or str(path.relative_to(ROOT)) in by_the_way


def test_only_routes_are_taken_as_they_are() -> None:
    made = {str(path.relative_to(ROOT)) for path in SOURCES for _ in calls(path, "Ours")}
    assert made == {"workers/api/rights.py"}


def test_spans_have_names_of_ours() -> None:
    """A name is a text or begins with one; what follows is the name of an operation."""
    for path in SOURCES:
        for call in (*calls(path, "span"), *calls(path, "event")):
            at = 0 if ast.unparse(call.func).endswith("span") else 2
            if len(call.args) <= at:
                continue
            name = call.args[at]
            if isinstance(name, ast.JoinedStr):
                first, *more = name.values
                assert isinstance(first, ast.Constant)
                parts = {ast.unparse(part.value) for part in more if isinstance(part, ast.FormattedValue)}
                assert parts <= {"operation", "what", "name"}, ast.unparse(call)
