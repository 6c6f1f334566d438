"""Nesting is bounded before anything parses."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from durable_objects.shared.json_text import DEPTH_MAX, loads, too_deep

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_at_the_limit_and_one_past_it(pair: str) -> None:
    def nested(depth: int) -> str:
        if pair == "[]":
            return "[" * depth + "]" * depth
        return '{"a":' * (depth - 1) + "{}" + "}" * (depth - 1)

    assert loads(nested(DEPTH_MAX)) is not None
    with pytest.raises(ValueError, match="nested deeper"):
        loads(nested(DEPTH_MAX + 1))


@pytest.mark.parametrize(
    "text", ["[" * 10_000, "[" * 9_000 + "]" * 9_000, '{"a":' * 9_000, '"' + "[" * 999 + '",[' * 999]
)
def test_what_would_end_the_interpreter_is_refused(text: str) -> None:
    assert too_deep(text)


def test_many_brackets_side_by_side_or_in_text_are_not_deep() -> None:
    assert not too_deep(json.dumps([[]] * 10_000))
    assert not too_deep(json.dumps({"text": "[" * 10_000 + '\\"{' * 1_000}))


@given(VALUES)
def test_everything_else_reads_as_it_always_did(value: object) -> None:
    text = json.dumps(value)
    assert loads(text) == json.loads(text)
    assert loads(text.encode()) == json.loads(text)


@pytest.mark.parametrize("text", ["", "{", "nul", b"\xff\xfe", '{"a"}'])
def test_what_is_not_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - whatever the parser says
        loads(text)
