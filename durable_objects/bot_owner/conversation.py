"""The conversation a model is sent, built from the thread's record alone.

A user's message is a `user` turn, a round of a run is one `assistant` turn with its text and tool
calls, and each finished call is a `tool` turn with the computer's text inside its nonce envelope.
A call without a result (it was stopped, or ended in the thread that this one is a branch of) gets
a fixed sentence, for providers refuse a call that nobody answered. A message that was queued stands
where its run began.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from contracts.limits import WINDOW_TOKENS
from contracts.states import RUN_ENDED, RunState
from contracts.venue_tools import VENUE_NAMES
from durable_objects.bot_owner.envelope import FIELD_CHARACTERS, visible, wrap
from durable_objects.bot_owner.plan import ToolCall
from durable_objects.bot_owner.prompts import PROMPTS, ROUTINE_BEGINS
from durable_objects.bot_owner.result_notes import note, shortened_note
from durable_objects.shared.sql import Row

TOLD_TO_THE_MODEL = frozenset({"computer_restored", "uploads_waiting"})
NO_RESULT = "This call has no result here: it was stopped, or this conversation goes on from before its end."
BRIEF_CHARACTERS = 500
BYTES_A_TOKEN = 3
READ_KINDS = frozenset({"message.created", "tool.started", "tool.finished", "notice", "run.status"})

PictureKey = Callable[[str], str]
"""call id -> where its picture is kept"""


@dataclass(frozen=True)
class UserTurn:
    """A person's message: `text` is what they wrote, `notes` what Berth adds for a model."""

    text: str
    seq: int
    notes: tuple[str, ...] = ()

    @property
    def full_text(self) -> str:
        return "\n".join(part for part in (self.text, *self.notes) if part)


@dataclass(frozen=True)
class Shown:
    """A picture of the computer: its key in R2 and its media type."""

    key: str
    media_type: str


@dataclass(frozen=True)
class ToolTurn:
    call_id: str
    text: str
    picture: Shown | None = None
    brief: str = ""
    """The same by its beginning and its end, and how to have it whole. Empty where it is short anyway."""


@dataclass
class AssistantTurn:
    key: tuple[str, int]
    """(run id, round)"""
    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    results: dict[str, ToolTurn] = field(default_factory=dict)
    seq: int = 0
    """Of its first event; everything of the rounds before it comes earlier."""
    kept_bytes: int = 0
    """What goes along with it for its provider, see `models/kept.py`."""


Turn = UserTurn | AssistantTurn


def turns(
    events: Iterable[Row],
    picture_key: PictureKey,
    *,
    short_until: int = 0,
    budget: int = WINDOW_TOKENS,
    queued: Callable[[str], list[Row]] = lambda _run_id: [],
    kept_bytes: Callable[[tuple[str, int]], int] = lambda _key: 0,
) -> list[Turn]:
    """Return the turns of a thread, oldest first; `events` are rows of the record in order.

    Rounds up to the seq `short_until` are brief, and nothing takes more than its share of `budget` tokens.
    `queued` gives the messages to a run, for one that begins in `events` with what was queued before them;
    `kept_bytes` is how much goes along with a round for its provider.
    """
    reader = _Reader(picture_key, short_until, budget, queued, kept_bytes)
    for event in events:
        if event["type"] in READ_KINDS:
            reader.read(event["type"], event["seq"], json.loads(event["data"]))
    return reader.found


def messages(events: Iterable[Row], budget: int | None = None) -> list[UserTurn]:
    """The person's messages among rows of the record, each as a turn; whole where there is no `budget`."""
    said = ((event["seq"], json.loads(event["data"])) for event in events)
    return [_message(seq, data, budget) for seq, data in said]


def _message(seq: int, data: dict[str, Any], budget: int | None) -> UserTurn:
    text = data["text"] if budget is None else bounded(data["text"], budget // 2)
    return UserTurn(text, seq, _notes(data))


def answered(turn: AssistantTurn) -> list[ToolTurn]:
    """One result for every call of the turn, in the order of the calls."""
    return [turn.results.get(call.id, ToolTurn(call.id, NO_RESULT)) for call in turn.calls]


def weight(turn: Turn) -> int:
    """About how many tokens a turn costs: a third of its bytes, for ASCII is cheap and ideographs are not."""
    if isinstance(turn, UserTurn):
        return _tokens(turn.full_text)
    arguments = sum(_tokens(json.dumps(call.arguments, ensure_ascii=False)) for call in turn.calls)
    results = sum(_tokens(one.text) for one in turn.results.values())
    return _tokens(turn.text) + arguments + results + turn.kept_bytes // BYTES_A_TOKEN


def briefly(turn: AssistantTurn) -> AssistantTurn:
    """The round with short arguments and results."""
    calls = [replace(call, arguments=_brief(call.arguments)) for call in turn.calls]
    results = {key: replace(one, text=one.brief or one.text) for key, one in turn.results.items()}
    return replace(turn, calls=calls, results=results)


def _brief(arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _ends(value, BRIEF_CHARACTERS)
        if isinstance(value, str) and len(value) > 2 * BRIEF_CHARACTERS
        else value
        for name, value in arguments.items()
    }


def bounded(text: str, tokens: int) -> str:
    """The text, or its two ends where it costs more."""
    cost = _tokens(text)
    return text if cost <= tokens else _ends(text, len(text) * tokens // cost // 2)


def _tokens(text: str) -> int:
    return (len(text) if text.isascii() else len(text.encode("utf-8", "replace"))) // BYTES_A_TOKEN + 1


class _Reader:
    def __init__(
        self,
        picture_key: PictureKey,
        short_until: int,
        budget: int,
        queued: Callable[[str], list[Row]],
        kept_bytes: Callable[[tuple[str, int]], int],
    ) -> None:
        self._kept_bytes = kept_bytes
        self.found: list[Turn] = []
        self._picture_key = picture_key
        self._short_until = short_until
        self._budget = budget
        self._queued_before = queued
        self._rounds: dict[tuple[str, int], AssistantTurn] = {}
        self._queued: dict[str, list[UserTurn]] = {}
        self._begun: set[str] = set()
        self._untold: list[str] = []

    def read(self, kind: str, seq: int, data: dict[str, Any]) -> None:
        if kind == "notice":
            self._notice(seq, data)
        elif kind == "run.status":
            self._run(data)
        elif kind == "message.created" and data["role"] == "user":
            self._said(_message(seq, data, self._budget), data)
        else:
            self._round(kind, seq, data)

    def _said(self, turn: UserTurn, data: dict[str, Any]) -> None:
        if data.get("queued"):
            self._queued.setdefault(data["run_id"], []).append(turn)
        else:
            self.found.append(turn)

    def _notice(self, seq: int, data: dict[str, Any]) -> None:
        if data["code"] in TOLD_TO_THE_MODEL:
            self._untold.append(data["text"])
        elif data["code"] in PROMPTS:
            self.found.append(UserTurn("", seq, (data["text"],)))

    def _run(self, data: dict[str, Any]) -> None:
        if data["state"] == RunState.RUNNING and data["id"] not in self._begun:
            self._begun.add(data["id"])
            self.found += messages(self._queued_before(data["id"]), self._budget)
            self.found += self._queued.pop(data["id"], [])
        elif data["state"] in RUN_ENDED:
            # Taken out of the queue before it began: nobody asked for it in the end.
            self._queued.pop(data["id"], None)

    def _round(self, kind: str, seq: int, data: dict[str, Any]) -> None:
        key = (data["run_id"], data["round"])
        turn = self._rounds.get(key)
        if turn is None:
            # No more than a result may have: how a provider counts what it has sealed nobody knows.
            kept_bytes = min(self._kept_bytes(key), self._budget // 4 * BYTES_A_TOKEN)
            turn = AssistantTurn(key, seq=seq, kept_bytes=kept_bytes)
            self._rounds[key] = turn
            self.found.append(turn)
        if kind == "message.created":
            turn.text = data["text"]
        elif kind == "tool.started":
            turn.calls.append(ToolCall(data["tool_call_id"], data["tool"], data["arguments"]))
        else:
            # What a wake did not bring back, or what found no room, is told with the first result after it.
            turn.results[data["tool_call_id"]] = self._result(data)
        if turn.seq <= self._short_until:
            self._shorten(turn)

    def _shorten(self, turn: AssistantTurn) -> None:
        brief = briefly(turn)
        turn.calls, turn.results = brief.calls, brief.results

    def _result(self, data: dict[str, Any]) -> ToolTurn:
        call_id, picture, text = data["tool_call_id"], data.get("picture"), data["text"]
        shown = Shown(self._picture_key(call_id), picture["media_type"]) if picture else None
        before, self._untold = [*self._untold, note(data)], []
        if data.get("tool") in VENUE_NAMES:
            # The venue's numbers in Berth's own words: nothing of it came from the computer.
            return ToolTurn(call_id, "\n".join((*before, text)), shown)
        brief = ""
        if len(text) > 2 * BRIEF_CHARACTERS:
            ends = wrap(_ends(text, BRIEF_CHARACTERS), data["nonce"])
            brief = "\n".join((*before, ends, shortened_note(data)))
        text = bounded(text, self._budget // 4)
        parts = (*before, wrap(text, data["nonce"])) if text else before
        return ToolTurn(call_id, "\n".join(parts), shown, brief)


def _ends(text: str, characters: int) -> str:
    cut = len(text) - 2 * characters
    return f"{text[:characters]}\n[… {cut:,} characters left out …]\n{text[-characters:]}"


def _notes(data: dict[str, Any]) -> tuple[str, ...]:
    if routine := data.get("routine"):
        closed = "" if routine["computer"] else " The computer is not available to it."
        return (ROUTINE_BEGINS.format(name=json.dumps(routine["name"], ensure_ascii=False)) + closed,)
    if not data["uploads"]:
        return ()
    # A file name is text from outside: JSON keeps it on one line and inside its quotes.
    names = [json.dumps(one["name"][:FIELD_CHARACTERS], ensure_ascii=False) for one in data["uploads"]]
    listed = "\n".join(names)
    nonce = data.get("nonce")
    told = wrap(listed, nonce, "file-names") if nonce else visible(listed)
    return ("(Attached files, in /workspace/uploads:)", told)
