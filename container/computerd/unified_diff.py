"""Two versions of a text as a unified diff, bounded in time and size.

Lines that are the same at both ends are put aside first, so an edit costs its own lines and not the file's.
What is left is compared line by line where that is quick, and shown as one block where it is not.
"""

from __future__ import annotations

from typing import NamedTuple

from . import limits, names

_CONTEXT = 3
_NO_END = "\\ No newline at end of file\n"


class Diff(NamedTuple):
    """`text` may be cut at a line; `added` and `removed` count all lines."""

    text: str
    added: int
    removed: int
    cut: bool


class _Change(NamedTuple):
    """Lines `a1` to `a2` of the old text became lines `b1` to `b2` of the new one."""

    a1: int
    a2: int
    b1: int
    b2: int


def unified(path: str, before: str, after: str) -> Diff:
    old, new = _lines(before), _lines(after)
    changes = _changes(old, new)
    text = "".join(_hunk(old, new, group) for group in _groups(changes))
    if text:
        path = names.told(path)
        # A line break in a name must not look like a line of the diff.
        path = path if path.isprintable() else repr(path)
        text = f"--- a/{path}\n+++ b/{path}\n{text}"
    cut = len(text) > limits.DIFF_CHARACTERS
    if cut:
        text = text[: text.rfind("\n", 0, limits.DIFF_CHARACTERS) + 1]
    added = sum(change.b2 - change.b1 for change in changes)
    return Diff(text, added, sum(change.a2 - change.a1 for change in changes), cut)


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _changes(old: list[str], new: list[str]) -> list[_Change]:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if not a and not b:
        return []
    if len(a) * len(b) > limits.DIFF_PAIRS:
        return [_Change(head, head + len(a), head, head + len(b))]
    # Only who compares needs it, and the computer shall start fast.
    from difflib import SequenceMatcher  # noqa: PLC0415

    codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return [
        _Change(head + a1, head + a2, head + b1, head + b2) for tag, a1, a2, b1, b2 in codes if tag != "equal"
    ]


def _groups(changes: list[_Change]) -> list[list[_Change]]:
    """Changes whose context would touch belong to one hunk."""
    groups: list[list[_Change]] = []
    for change in changes:
        if groups and change.a1 - groups[-1][-1].a2 <= 2 * _CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(old: list[str], new: list[str], group: list[_Change]) -> str:
    first, last = group[0], group[-1]
    lead = min(_CONTEXT, first.a1)
    trail = min(_CONTEXT, len(old) - last.a2)
    a1, a2, b1, b2 = first.a1 - lead, last.a2 + trail, first.b1 - lead, last.b2 + trail
    parts = [f"@@ -{_range(a1, a2)} +{_range(b1, b2)} @@\n"]
    at = a1
    for change in group:
        parts += [_line(" ", line) for line in old[at : change.a1]]
        parts += [_line("-", line) for line in old[change.a1 : change.a2]]
        parts += [_line("+", line) for line in new[change.b1 : change.b2]]
        at = change.a2
    parts += [_line(" ", line) for line in old[at:a2]]
    return "".join(parts)


def _line(mark: str, line: str) -> str:
    if len(line) > limits.READ_LINE_CHARACTERS:
        line = f"{line[: limits.READ_LINE_CHARACTERS]} … [cut: the line has {len(line):,} characters]\n"
    return f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n{_NO_END}"


def _range(start: int, end: int) -> str:
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"
