"""How lines become calls."""

import pytest

from durable_objects.bot_owner.models.manual import read_lines
from durable_objects.bot_owner.models.manual_words import HELP
from durable_objects.bot_owner.models.protocol import CallPart


def run(command: str) -> CallPart:
    return CallPart("computer__exec", {"command": command})


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("$ ls", [run("ls")]),
        ("$ls", [run("ls")]),
        ("$ a\n$ b", [run("a"), run("b")]),
        ("$ cat <<'E'\n  one\n\ntwo\nE\n$ b", [run("cat <<'E'\n  one\n\ntwo\nE"), run("b")]),
        ("/read a b.txt", [CallPart("computer__read_file", {"path": "a b.txt"})]),
        ("/export x.svg", [CallPart("computer__export_artifact", {"path": "x.svg"})]),
        (
            "/write a.py\nprint(1)\n",
            [CallPart("computer__write_file", {"path": "a.py", "content": "print(1)\n"})],
        ),
        (
            "/edit a.py\nold\n  line\n====\nnew",
            [CallPart("computer__edit_file", {"path": "a.py", "oldText": "old\n  line", "newText": "new"})],
        ),
        (
            "/edit a.php\n$x = 1;\n====\n$x = 2;\n$ ls",
            [
                CallPart(
                    "computer__edit_file", {"path": "a.php", "oldText": "$x = 1;", "newText": "$x = 2;"}
                ),
                run("ls"),
            ],
        ),
        ("/edit a\nx", [CallPart("computer__edit_file", {"path": "a", "oldText": "x", "newText": ""})]),
        ("/write empty", [CallPart("computer__write_file", {"path": "empty", "content": ""})]),
        ("hello", None),
        ("hello\n$ ls", None),
        ("$", None),
        ("", None),
    ],
)
def test_lines(text: str, calls: list[CallPart] | None) -> None:
    assert read_lines(text) == calls


def test_the_help_is_there_in_every_language_and_names_every_verb() -> None:
    assert set(HELP) == {"en", "zh-Hans", "zh-Hant"}
    for text in HELP.values():
        assert all(verb in text for verb in ("`$ ", "`/read ", "`/write ", "`/edit ", "`/export "))
