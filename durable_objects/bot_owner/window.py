"""What of a long thread a model is sent: the record is kept whole, and this is the window onto it.

A window is two marks in the record. Rounds up to the first are sent with short results and arguments, which
say how to have them whole; everything up to the second is replaced by a summary that the model wrote, and by
the messages of the run at that place. Marks only move on, and far enough that they rarely do: what was sent
before stays the beginning of what is sent next, as providers' caches want it.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from contracts.limits import WINDOW_TOKENS, WINDOW_TOKENS_MIN
from durable_objects.bot_owner.conversation import (
    AssistantTurn,
    PictureKey,
    Turn,
    UserTurn,
    answered,
    bounded,
    briefly,
    messages,
    turns,
    weight,
)
from durable_objects.bot_owner.envelope import visible
from durable_objects.bot_owner.prompts import LEFT_OUT, SUMMARISED, SUMMARY_SYSTEM
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.shared.sql import Row, Sql

# Newest rounds whose results stay whole, as long as they fit at all.
ROUNDS_WHOLE = 2
# How full the window is after a mark has moved, so that the next move is far off.
FULL_AFTER = 0.5
SUMMARY_CHARACTERS_MAX = 12_000


@dataclass(frozen=True)
class Window:
    """`until` is the last seq that the summary stands for, `run_id` the run at that place."""

    short_until: int = 0
    until: int = 0
    run_id: str = ""
    summary: str = ""


def fit(found: list[Turn], window: Window, budget: int) -> tuple[Window, list[Turn]]:
    """Return the marks with which the turns fit into `budget` tokens, and the turns to summarise for that.

    `found` are the turns behind `window.until`; with nothing to summarise only the first mark has moved.
    """
    if sum(map(weight, found)) <= budget:
        return window, []
    for whole in range(ROUNDS_WHOLE, -1, -1):
        rounds = [turn for turn in found if isinstance(turn, AssistantTurn)]
        older = rounds[: len(rounds) - whole]
        window = _shorten(found, older, window, budget)
        short = [_shown(turn, window) for turn in found]
        if sum(map(weight, short)) <= budget:
            return window, []
        if rest := _cut(short, budget, keep=max(whole, 1)):
            first = short[rest]
            if isinstance(first, AssistantTurn):
                moved = replace(window, until=first.seq - 1, run_id=first.key[0])
                if sum(map(weight, short[rest:])) <= budget or not whole:
                    return moved, short[:rest]
    return window, []


def _shown(turn: Turn, window: Window) -> Turn:
    return briefly(turn) if isinstance(turn, AssistantTurn) and turn.seq <= window.short_until else turn


def _shorten(found: list[Turn], older: list[AssistantTurn], window: Window, budget: int) -> Window:
    """Move the first mark over the oldest rounds, until the window is half empty or there are no more."""
    total = sum(weight(_shown(turn, window)) for turn in found)
    for turn in older:
        if total <= budget * FULL_AFTER:
            break
        if turn.seq > window.short_until:
            total -= weight(turn) - weight(briefly(turn))
            window = replace(window, short_until=turn.seq)
    return window


def _cut(found: list[Turn], budget: int, keep: int) -> int:
    """The index of the round before which everything is to be summarised, so that the rest leaves room.

    A round, for all that was recorded before it belongs to turns before it. 0 where there is none.
    """
    rounds = [index for index, turn in enumerate(found) if isinstance(turn, AssistantTurn)]
    place, rest = 0, sum(map(weight, found))
    for index in rounds[: len(rounds) - keep + 1]:
        rest -= sum(map(weight, found[place:index]))
        place = index
        if rest <= budget * FULL_AFTER:
            break
    return place


def transcript(found: list[Turn], tokens: int) -> str:
    """The turns as one text, for a model to summarise; where it is too long its middle is left out."""
    return bounded("\n\n".join(map(_told, found)), tokens)


def _told(turn: Turn) -> str:
    if isinstance(turn, UserTurn):
        return f"PERSON: {turn.full_text}" if turn.text else turn.full_text
    calls = [f"BOT CALLS {call.tool} {call.arguments}" for call in turn.calls]
    results = [f"RESULT: {result.text}" for result in answered(turn)]
    return "\n".join(
        [f"BOT: {turn.text}", *(line for pair in zip(calls, results, strict=True) for line in pair)]
    )


def model_name(bot: Row) -> str:
    """Which model a bot asks: the same name is another model at another provider or address."""
    return json.dumps([bot["provider"], bot["base_url"], bot["model"]])


class Windows:
    """The windows of an owner's threads."""

    def __init__(
        self,
        sql: Sql,
        record: ThreadRecord,
        picture_key: PictureKey,
        kept_bytes: Callable[[tuple[str, int]], int],
    ) -> None:
        """`kept_bytes` is how much goes along with a round where the model that gave it is asked again."""
        self._sql = sql
        self._record = record
        self._picture_key = picture_key
        self._kept_bytes = kept_bytes

    async def turns(
        self,
        thread_id: str,
        until: int,
        summarise: Callable[[str, str], Awaitable[str]],
        budget: int = WINDOW_TOKENS,
    ) -> list[Turn]:
        """What a model is sent of a thread up to the seq `until`, after moving its marks so that it fits.

        `summarise` is given instructions and a text. What it raises goes on, with the marks as they were.
        """
        window = self._of(thread_id)
        opening = self._opening(thread_id, window, budget)
        found = self._behind(thread_id, window, until, budget)
        room = max(budget - sum(map(weight, opening)), budget // 4)
        moved, old = fit(found, window, room)
        if moved == window:
            return [*opening, *found]
        if old:
            text = await summarise(SUMMARY_SYSTEM, transcript([*opening, *old], budget * 3 // 4))
            moved = replace(moved, summary=visible(text.strip())[:SUMMARY_CHARACTERS_MAX])
        self._keep(thread_id, moved)
        return [*self._opening(thread_id, moved, budget), *self._behind(thread_id, moved, until, budget)]

    def _opening(self, thread_id: str, window: Window, budget: int) -> list[Turn]:
        if not window.until:
            return []
        note = f"{SUMMARISED}\n{window.summary}" if window.summary else LEFT_OUT
        kept = messages(self._record.said(thread_id, window.run_id, window.until), budget // 4)
        return [UserTurn("", window.until, (note,)), *kept]

    def _behind(self, thread_id: str, window: Window, until: int, budget: int) -> list[Turn]:
        return turns(
            self._record.all(thread_id, window.until, until),
            self._picture_key,
            short_until=window.short_until,
            budget=budget,
            queued=lambda run_id: (
                self._record.said(thread_id, run_id, window.until) if run_id != window.run_id else []
            ),
            kept_bytes=self._kept_bytes,
        )

    def budget(self, model: str) -> int:
        """How many tokens of a conversation a model is sent, by what it has taken; see `model_name`."""
        rows = self._sql.execute("SELECT tokens FROM model_windows WHERE model = ?", model)
        return int(rows[0]["tokens"]) if rows else WINDOW_TOKENS

    def shrink(self, model: str) -> bool:
        """The model said that it was too much: half of it from now on. False where that is too little."""
        tokens = self.budget(model) // 2
        if tokens < WINDOW_TOKENS_MIN:
            return False
        self._sql.run("INSERT OR REPLACE INTO model_windows (model, tokens) VALUES (?, ?)", model, tokens)
        return True

    def _of(self, thread_id: str) -> Window:
        rows = self._sql.execute(
            "SELECT short_until, until, run_id, summary FROM windows WHERE thread_id = ?", thread_id
        )
        return Window(**rows[0]) if rows else Window()

    def _keep(self, thread_id: str, window: Window) -> None:
        self._sql.run(
            "INSERT OR REPLACE INTO windows (thread_id, short_until, until, run_id, summary)"
            " VALUES (?, ?, ?, ?, ?)",
            thread_id,
            window.short_until,
            window.until,
            window.run_id,
            window.summary,
        )
