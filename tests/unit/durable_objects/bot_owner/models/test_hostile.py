"""A provider that sends anything at all: what comes of it are parts that can be stored, or a ModelError."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.limits import TOKENS_COUNTED_MAX
from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    ModelError,
    Part,
    ReasoningPart,
    TextPart,
)
from durable_objects.bot_owner.models.shape import count
from tests.model_server.script import Answer, Call
from tests.model_server.server import WIRES
from tests.unit.durable_objects.bot_owner.models.wired import Server, parts, provider, stream

WORDS = st.sampled_from(
    [
        "text",
        "thinking",
        "tool_use",
        "function_call",
        "reasoning",
        "message",
        "error",
        "stop",
        "",
        "\ud800",
        "a\0b",
    ]
)
LEAVES = st.none() | st.booleans() | st.integers(-2, 2**64) | st.floats(allow_nan=False) | WORDS
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


def whole(name: str) -> list[dict[str, Any]]:
    """The events of a proper answer, as objects."""
    answer = Answer("Hi", [Call("t", {"a": 1})], "hm")
    sent = b"".join(stream(name, answer)).decode()
    lines = [line[6:] for line in sent.split("\n") if line.startswith("data: {")]
    return [json.loads(line) for line in lines]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [found for key, one in inside for found in places(one, (*path, key))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


@pytest.mark.parametrize("name", sorted(WIRES))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
async def test_any_value_anywhere_leads_to_parts_or_a_model_error(name: str, data: st.DataObject) -> None:
    events: list[Any] = whole(name)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(places(events)))
        put(events, path, data.draw(ANYTHING))
        events = [event for event in events if event is not None]
    server = Server(*(f"data: {json.dumps(event)}\n\n".encode() for event in events))
    with suppress(ModelError):
        found = await parts(provider(name, server))
        assert isinstance(found[-1], EndPart)
        for part in found:
            check_stored(part)


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        (0, 0),
        (TOKENS_COUNTED_MAX, TOKENS_COUNTED_MAX),
        (TOKENS_COUNTED_MAX + 1, 0),
        (2**53 - 1, 0),
        (10**400, 0),
        (-1, 0),
        (True, 0),
        (1.5, 0),
        (float("nan"), 0),
        ("9", 0),
        (None, 0),
    ],
)
def test_a_number_of_tokens_that_no_answer_has_counts_as_none(said: Any, counted: int) -> None:
    assert count(said) == counted


def check_stored(part: Part) -> None:
    """It can be stored: text is Unicode, arguments are an object, tokens are numbers."""
    match part:
        case CallPart(tool, arguments, raw):
            assert arguments is None or isinstance(arguments, dict)
            assert tool.encode() + raw.encode() is not None
        case EndPart(_, usage, kept):
            assert json.loads(kept or "{}") is not None
            assert usage is None or min(usage.model_dump().values()) >= 0
        case TextPart(text) | ReasoningPart(text):
            assert text.encode() != b""


@pytest.mark.parametrize("name", sorted(WIRES))
@settings(max_examples=60, deadline=None)
@given(junk=st.lists(st.binary(max_size=40) | st.just(b"data: "), max_size=8))
async def test_any_bytes_are_a_model_error(name: str, junk: list[bytes]) -> None:
    with pytest.raises(ModelError):
        await parts(provider(name, Server(*junk)))
