"""How a thread is told: short output is whole, and nothing from a computer steers the screen."""

import io
from typing import Any

import pytest

from local.client import Event
from local.demo.facts import Facts
from local.demo.narrator import OUTPUT_LINES, Narrator, Output, size_text, title_of
from local.demo.screen import Screen


def told(*events: Event, typed: bool = True) -> list[str]:
    out = io.StringIO()
    screen = Screen(out, alive=False, width=80, clock=lambda: 0.0)
    narrator, facts = Narrator(screen, typed=typed), Facts()
    for event in events:
        facts.add(event)
        narrator.tell(event, facts)
    return out.getvalue().splitlines()


def event(kind: str, **data: Any) -> Event:
    return Event(kind, data, 1, 1, 0.0)


def started(command: str) -> Event:
    return event("tool.started", tool="computer__exec", arguments={"command": command})


def output(offset: int, text: str) -> Event:
    return event("tool.output", offset=offset, text=text, stream="stdout")


def finished(text: str, **command: Any) -> Event:
    fields = {"exit_code": 0, "state": "exited", "duration_ms": 1_240, "egress": [], **command}
    ok = fields["exit_code"] == 0
    return event("tool.finished", tool="computer__exec", ok=ok, error=None, text=text, command=fields)


def test_command_is_told_with_its_output_and_its_end() -> None:
    assert told(started("make"), output(0, "one\ntw"), output(6, "o\n"), finished("one\ntwo\n")) == [
        "    │ one",
        "    │ two",
        "    ✓ exit code 0, 1.2 s",
    ]


UPLOAD = {"name": "a.csv", "size": 15_241}


@pytest.mark.parametrize(
    ("text", "uploads", "lines"),
    [
        ("Hello", [], ["You Hello"]),
        ("/write a\none\ntwo", [], ["You /write a", "    one", "    two"]),
        ("/write a" + "\nx" * 56, [], ["You /write a", "    (56 lines)"]),
        ("", [UPLOAD], ["You + a.csv, 15 kB"]),
        ("Look", [UPLOAD], ["You Look", "    + a.csv, 15 kB"]),
    ],
)
def test_message_is_told_with_its_files(text: str, uploads: list[dict[str, Any]], lines: list[str]) -> None:
    assert told(event("message.created", role="user", text=text, uploads=uploads)) == lines


def test_calls_of_a_model_are_named() -> None:
    assert told(started("make\nmake test"), finished(""), typed=False)[0] == "    $ make (and 1 more lines)"


def test_requests_are_told_with_the_verdict_and_its_reason() -> None:
    receipts = [
        {"host": "files.example", "method": "GET", "allowed": True, "reason": "registry", "count": 3},
        {"host": "example.com", "method": "POST", "allowed": False, "reason": "default: no rule", "count": 1},
    ]
    assert told(started("x"), finished("", exit_code=22, egress=receipts))[-3:] == [
        "    ✗ exit code 22, 1.2 s",
        "    ✓ allowed GET files.example 3 times (registry)",
        "    ✗ DENIED POST example.com (default: no rule)",
    ]


def test_output_of_a_computer_cannot_steer_the_terminal() -> None:
    lines = told(started("x"), output(0, "\x1b[2Jred\x1b[31m\x07\u202e\n"), finished(""))
    assert lines[0] == "    │ red"


@pytest.mark.parametrize(
    ("frames", "whole", "shown"),
    [
        ([], "a\nb\n", ["a", "b"]),
        ([(0, "a\n")], "a\nb", ["a", "b"]),
        ([(0, "a\nb")], "a\nb", ["a", "b"]),
        ([(0, "a\n"), (0, "a\nb\n")], "a\nb\n", ["a", "b"]),
        ([(0, "a\n"), (50, "z\n")], "a\n(cut)z\n", ["a", "", "…", "z"]),
        ([], "", []),
    ],
    ids=["no live frames", "the end is missing", "no newline", "replayed", "frames left out", "silent"],
)
def test_output_is_whole_whatever_live_frames_came(
    frames: list[tuple[int, str]], whole: str, shown: list[str]
) -> None:
    found = Output()
    lines = [line for offset, text in frames for line in found.add(offset, text)]
    assert lines + found.finish(whole) == shown


def test_long_output_is_cut_and_counted() -> None:
    found = Output()
    text = "".join(f"{number}\n" for number in range(100))
    assert len(found.add(0, text)) == OUTPUT_LINES
    assert found.finish(text) == []
    assert found.left_out == 100 - OUTPUT_LINES


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 kB"), (15_241, "15 kB"), (25_000_000, "25 MB")],
)
def test_sizes_are_for_people(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("tool", "arguments", "title"),
    [
        ("computer__exec", {"command": "ls -l"}, "$ ls -l"),
        ("computer__write_file", {"path": "a.py", "content": "x"}, "write_file a.py"),
        ("memory__list", {}, "memory__list"),
    ],
)
def test_call_has_a_title(tool: str, arguments: dict[str, Any], title: str) -> None:
    assert title_of(tool, arguments) == title
