"""Unified diffs that `patch` takes, bounded in size and time."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computerd import limits
from computerd.unified_diff import unified

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "d\r", "longer line"]), max_size=30)


def test_a_change_is_shown_with_its_context() -> None:
    before = "".join(f"{n}\n" for n in range(1, 11))
    diff = unified("f.txt", before, before.replace("5\n", "five\n"))
    assert diff.text == ("--- a/f.txt\n+++ b/f.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n")
    assert (diff.added, diff.removed, diff.cut) == (1, 1, False)


def test_equal_texts_have_no_diff() -> None:
    assert unified("f", "same\n", "same\n") == ("", 0, 0, False)


@given(LINES, LINES, st.booleans(), st.booleans())
def test_the_old_text_and_the_diff_give_the_new_text(
    old: list[str], new: list[str], one: bool, two: bool
) -> None:
    before, after = "\n".join(old) + "\n" * one, "\n".join(new) + "\n" * two
    assert patched(before, unified("f", before, after).text) == after


def patched(before: str, diff: str) -> str:
    """What the diff makes of a text, by the rules of the format."""
    lines = before.split("\n")
    old = [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    made: list[str] = []
    at = 0
    rows = diff.split("\n")[2:-1]
    for number, row in enumerate(rows):
        text = (
            row[1:] if rows[number + 1 : number + 2] == ["\\ No newline at end of file"] else f"{row[1:]}\n"
        )
        if row.startswith("@@"):
            start, _, count = row.split()[1][1:].partition(",")
            first = int(start) - (count != "0")
            made += old[at:first]
            at = first
        elif row.startswith("+"):
            made.append(text)
        elif not row.startswith("\\"):
            assert old[at] == text
            made += [text] if row.startswith(" ") else []
            at += 1
    return "".join(made + old[at:])


def test_patch_agrees(tmp_path: Path) -> None:
    before, after = "one\ntwo\nthree\n", "one\n2\nthree\nfour"
    (tmp_path / "f").write_text(before)
    diff = unified("f", before, after).text
    subprocess.run(["patch", "-p1", "-s"], input=diff, text=True, cwd=tmp_path, check=True)
    assert (tmp_path / "f").read_text() == after


@pytest.mark.parametrize("lines", [900, 200_000])
def test_a_large_change_is_cut_at_a_line_and_counted_whole(lines: int) -> None:
    diff = unified("f", "old\n" * lines, "".join(f"new line {n}\n" for n in range(lines)))
    assert (diff.added, diff.removed, diff.cut) == (lines, lines, True)
    assert len(diff.text) <= limits.DIFF_CHARACTERS
    assert diff.text.endswith("\n")


def test_a_giant_line_is_cut() -> None:
    diff = unified("f", "x" * 100_000, "y" * 100_000)
    assert "[cut: the line has 100,000 characters]" in diff.text


def test_a_name_adds_no_line() -> None:
    text = unified("a\n+never", "x\n", "y\n").text
    assert [line[0] for line in text.splitlines()] == ["-", "+", "@", "-", "+"]
