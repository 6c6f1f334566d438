"""One exact replacement in a text: where it goes, what goes in, and what to say if it fits nowhere.

Texts are literal, nothing in them is a pattern. A text with plain line ends also matches lines that end in
CR LF; what is then put in follows the lines it replaces, and lines that stay the same keep their own ends.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from . import limits
from .errors import ManyMatches, NoMatch

_END = re.compile(r"\r\n|\n")
_SHOWN = 200
_WORD = re.compile(r"\w+")


class Span(NamedTuple):
    """Characters `start` to `end` of the text become `new`."""

    start: int
    end: int
    new: str

    def applied_to(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


def find(text: str, old: str, new: str) -> Span:
    """Where `old` is, which must be in exactly one place. Raises `NoMatch` or `ManyMatches`."""
    places = _places(text, old)
    if len(places) > 1:
        raise _many(text, places)
    if places:
        return _span(text, places[0], old, new)
    raise _none(text, old)


def _places(text: str, old: str) -> list[tuple[int, int]]:
    """Literal matches; where there are none, matches whose line ends differ."""
    found = _all(re.compile(re.escape(old)), text)
    if found or "\n" not in old:
        return found
    lines = _END.split(old)
    return _all(re.compile(r"(?:\r\n|\n)".join(map(re.escape, lines))), text)


def _all(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """All matches, those that overlap another too: each of them is a place that may be meant."""
    found: list[tuple[int, int]] = []
    at = 0
    while match := pattern.search(text, at):
        found.append(match.span())
        if len(found) > limits.EDIT_PLACES:
            break
        at = match.start() + 1
    return found


def _span(text: str, place: tuple[int, int], old: str, new: str) -> Span:
    start, end = place
    there = text[start:end]
    if "\r\n" not in there + _end_behind(text, end):
        return Span(start, end, new)
    return Span(start, end, _with_ends(there, old, new, _end_behind(text, end)))


def _end_behind(text: str, at: int) -> str:
    """How the line at this place ends; the last line ends as the one before it does."""
    behind = text.find("\n", at)
    if behind < 0:
        behind = text.rfind("\n", 0, at)
    if behind < 0:
        return ""
    return "\r\n" if text[behind - 1 : behind] == "\r" else "\n"


def _with_ends(there: str, old: str, new: str, behind: str) -> str:
    """`new` with the ends of the lines that it replaces."""
    own = _END.findall(there)
    usual = own[0] if own else behind
    old_lines, new_lines = _END.split(old), _END.split(new)
    shared = min(len(own), len(new_lines) - 1)
    first = 0
    while first < shared and old_lines[first] == new_lines[first]:
        first += 1
    last = 0
    while last < shared - first and old_lines[-1 - last] == new_lines[-1 - last]:
        last += 1
    wanted = len(new_lines) - 1
    ends = own[:first] + [usual] * (wanted - first - last) + (own[-last:] if last else [])
    return "".join(part for pair in zip(new_lines, [*ends, ""], strict=True) for part in pair)


def _many(text: str, places: list[tuple[int, int]]) -> ManyMatches:
    lines = [line_of(text, start) for start, _ in places[: limits.EDIT_PLACES]]
    count = str(len(lines)) if len(places) <= limits.EDIT_PLACES else f"more than {len(lines)}"
    named = ", ".join(map(str, lines[:20])) + (", …" if len(lines) > 20 else "")
    message = (
        f"oldText is there {count} times, in lines {named}. Give more of the text around the one you mean."
    )
    return ManyMatches(message, reason="edit_places", places=named, count=len(lines), lines=lines[:20])


def _none(text: str, old: str) -> NoMatch:
    near = _nearest(text, old)
    if near is None:
        return NoMatch("oldText is not in the file. Read it again.", reason="edit_none", count=0)
    number, there, wanted, why = near
    message = f"oldText is not in the file. Line {number} comes near: {why}."
    return NoMatch(
        message,
        reason="edit_near",
        count=0,
        line=number,
        there=there[:_SHOWN],
        wanted=wanted[:_SHOWN],
    )


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _nearest(text: str, old: str) -> tuple[int, str, str, str] | None:
    """(line, what is there, what was wanted, how they differ) of the place that comes nearest."""
    lines, wanted = text.split("\n"), old.strip("\n").split("\n")
    same = [" ".join(line.split()) for line in wanted]
    if not any(same):
        return None
    for start in range(min(len(lines) - len(wanted) + 1, limits.EDIT_NEAR_LINES)):
        if all(" ".join(lines[start + n].split()) == line for n, line in enumerate(same)):
            for n, line in enumerate(wanted):
                if lines[start + n].rstrip("\r") != line.rstrip("\r"):
                    there = lines[start + n].rstrip("\r")
                    return start + n + 1, there, line, "only blanks differ" + _shown(there, line)
    return _alike(lines, wanted)


def _alike(lines: list[str], wanted: list[str]) -> tuple[int, str, str, str] | None:
    """The line that shares most of its words with the longest line that was wanted."""
    line = max(wanted, key=len)
    words = set(_WORD.findall(line))
    best, most = -1, 0.5
    for number, there in enumerate(lines[: limits.EDIT_NEAR_LINES]):
        found = set(_WORD.findall(there[:1_000]))
        share = len(words & found) / max(len(words | found), 1)
        if share > most:
            best, most = number, share
    if best < 0:
        return None
    there = lines[best].rstrip("\r")
    if there == line:
        return best + 1, there, line, "this line is there, but not the lines around it as you gave them"
    return best + 1, there, line, "it differs" + _shown(there, line)


def _shown(there: str, wanted: str) -> str:
    return f"; the file has {there[:_SHOWN]!r}, oldText has {wanted[:_SHOWN]!r}"
