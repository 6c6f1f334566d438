"""A key that its provider says back is hidden, however it is cut."""

import json
from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.reasons import Why
from durable_objects.bot_owner.models.keyed import MARK, KeyedModel, without_key
from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    ModelError,
    Part,
    Question,
    ReasoningPart,
    TextPart,
)
from durable_objects.shared.long_text import PIECE_CHARACTERS, LongText
from tests.unit.durable_objects.bot_owner.models.wired import question

KEY = "sk-abcabcabd-1"


class Says:
    """A provider that gives these parts, and then fails where an error is among them."""

    def __init__(self, *parts: Part | ModelError) -> None:
        self.parts = parts
        self.keys: list[str] = []

    async def stream(self, asked: Question, key: str) -> AsyncGenerator[Part, None]:
        self.keys.append(key)
        for part in self.parts:
            if isinstance(part, ModelError):
                raise part
            yield part


async def shown(*parts: Part, key: str = KEY) -> list[Part]:
    return [part async for part in without_key(Says(*parts).stream(question(), key), key)]


def text(parts: list[Part]) -> str:
    return "".join(part.text for part in parts if isinstance(part, TextPart))


@given(st.lists(st.sampled_from(["sk-", "abc", "abd", "-1", KEY, KEY[:9], KEY[5:], "x", " "])))
async def test_a_key_in_pieces_is_hidden_and_nothing_else_is_lost(pieces: list[str]) -> None:
    found = text(await shown(*map(TextPart, pieces)))
    assert KEY not in found
    assert found == "".join(pieces).replace(KEY, MARK)


async def test_what_cannot_be_the_beginning_of_the_key_is_shown_at_once() -> None:
    assert await shown(TextPart("hello"), TextPart(" s"), TextPart("o")) == [
        TextPart("hello"),
        TextPart(" "),
        TextPart("so"),
    ]


async def test_reasoning_and_text_are_looked_at_each_for_itself() -> None:
    found = await shown(ReasoningPart("a sk-abc"), TextPart("abcabd-1"), ReasoningPart(KEY))
    assert found == [
        ReasoningPart("a "),
        ReasoningPart("sk-abc"),
        TextPart("abcabd-1"),
        ReasoningPart(MARK),
    ]


async def test_a_call_is_cleaned_and_what_is_kept_is_dropped() -> None:
    raw = json.dumps({"command": f"echo {KEY}"})
    call = CallPart(f"t{KEY}", json.loads(raw), raw)
    found = await shown(call, CallPart("t", None, f"[{KEY}"), EndPart(kept=f'["{KEY}"]'))
    assert found == [
        CallPart(f"t{MARK}", {"command": f"echo {MARK}"}, raw.replace(KEY, MARK)),
        CallPart("t", None, f"[{MARK}"),
        EndPart(),
    ]


async def test_a_bot_without_a_key_hides_nothing() -> None:
    parts = (TextPart("a"), CallPart("t", {}, "{}"), EndPart(kept="[]"))
    assert await shown(*parts, key="") == list(parts)


async def test_an_error_that_quotes_the_key_is_cleaned_with_what_is_behind_it() -> None:
    failed = ModelError(Why("model_stopped_with", sentence=f"wrong key {KEY}"))
    failed.__cause__ = ValueError(KEY)

    async def key() -> str:
        return KEY

    provider = Says(TextPart("half"), failed)
    with pytest.raises(ModelError, match=r"wrong key \[key\]") as caught:
        _ = [part async for part in KeyedModel(provider, key).answer(question())]
    assert caught.value.__cause__ is None
    told = caught.value.problem.as_dict()
    assert KEY not in str(told)
    assert told["details"]["sentence"] == f"wrong key {MARK}"
    assert provider.keys == [KEY]


async def test_the_key_is_hidden_in_a_long_text_wherever_its_pieces_end() -> None:
    for before in (0, PIECE_CHARACTERS - len(KEY) // 2, 3 * PIECE_CHARACTERS):
        text = LongText(["x" * before + KEY + "y" * PIECE_CHARACTERS + KEY[:-1]])
        (call, _) = await shown(CallPart("t", {"a": [text], KEY: KEY}), EndPart())
        assert isinstance(call, CallPart)
        assert call.arguments is not None
        assert str(call.arguments["a"][0]) == "x" * before + MARK + "y" * PIECE_CHARACTERS + KEY[:-1]
        assert call.arguments[MARK] == MARK
