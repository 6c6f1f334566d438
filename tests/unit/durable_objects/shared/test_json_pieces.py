"""JSON in pieces: the same value as from the whole text, wherever it is cut, with its long strings apart."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from durable_objects.shared import json_pieces
from durable_objects.shared.json_pieces import JsonPieces, TooMuchError
from durable_objects.shared.long_text import PIECE_CHARACTERS, LongText

TEXTS = st.text(alphabet='ab"\\\n\0/二🙂\ud83d\ude42é', max_size=30)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS.map(lambda key: key[:5]), inner, max_size=3)
    ),
    max_leaves=8,
)


def read(text: str, size: int, limit: int = 10_000) -> Any:
    reader = JsonPieces(limit)
    for start in range(0, len(text), size):
        reader.add(text[start : start + size])
    assert reader.size == len(text)
    return reader.value()


def plain(value: Any) -> Any:
    """The value with its long texts as texts, and what no UTF-8 has as it is stored."""
    if isinstance(value, dict):
        return {stored(key): plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return stored(str(value)) if isinstance(value, str | LongText) else value


def stored(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@settings(max_examples=300, deadline=None)
@given(VALUES, st.integers(1, 40), st.booleans())
def test_it_reads_what_the_whole_text_says(value: Any, size: int, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_pieces, "LONG_CHARACTERS", 12)
        try:
            found = read(text, size)
        except ValueError:
            # A long string where JSON has a name: no text of a call is one.
            assert any(len(json.dumps(key, ensure_ascii=ascii_only)) > 14 for key in keys(value))
            return
    assert plain(found) == plain(json.loads(text))


def keys(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(key for one in value.values() for key in keys(one))]
    return [key for one in value for key in keys(one)] if isinstance(value, list) else []


def test_a_string_at_the_limit_is_a_string_and_a_longer_one_is_a_long_text() -> None:
    most = "x" * json_pieces.LONG_CHARACTERS
    assert read(json.dumps({"a": most}), 999, 100_000) == {"a": most}
    found = read(json.dumps({"a": most + "y", "b": [most + "z", 1]}), 999)
    assert str(found["a"]) == most + "y"
    assert (str(found["b"][0]), found["b"][1]) == (most + "z", 1)


@pytest.mark.parametrize("size", [1, 5, 1_000])
@pytest.mark.parametrize(
    "text",
    [
        '{"a": -Infinity}',
        "[NaN]",
        '{"a":"',
        '{"a":"b',
        '"\\',
        '"\\u12"',
        '"\\ud83d',
        '"\\uZZZZ"',
        "{",
        '{"a" 1}',
        '"a\nb"',
    ],
)
def test_what_is_no_json_is_refused(text: str, size: int) -> None:
    with pytest.raises(ValueError, match=r"."):
        read(text, size)


def test_bad_escapes_far_into_a_long_string_are_refused() -> None:
    for wrong in ("\\x", "\\u12G4", "\n"):
        with pytest.raises(ValueError, match=r"."):
            read('"' + "x" * 70_000 + wrong + 'x"', 1_000)


def test_it_takes_as_much_as_the_limit_beside_long_strings_and_no_more() -> None:
    long = json.dumps("x" * 70_000)
    assert len(read(f"[{long},12345]", 100, len("[-Infinity,12345]"))) == 2
    with pytest.raises(TooMuchError, match="70,010 characters"):
        read(f"[{long},12345]"[:-1] + " ", 100, len("[-Infinity,12345]") - 1)


def test_nesting_is_bounded_and_nothing_is_nothing() -> None:
    with pytest.raises(ValueError, match="nested"):
        read("[" * 200 + "]" * 200, 7)
    assert read(" ", 1) is None
    assert JsonPieces(1).value() is None


def test_a_long_text_is_what_was_added_in_pieces_of_a_size() -> None:
    text = LongText(["a" * (3 * PIECE_CHARACTERS), "🙂", *"二三" * 50_000])
    whole = "a" * (3 * PIECE_CHARACTERS) + "🙂" + "二三" * 50_000
    assert str(text) == whole
    assert (text.characters, text.size) == (len(whole), len(whole.encode()))
    assert max(map(len, text)) <= PIECE_CHARACTERS
    assert len(list(text)) <= math.ceil(len(whole) / PIECE_CHARACTERS) + 1
    assert text.beginning(3 * PIECE_CHARACTERS + 2) == whole[: 3 * PIECE_CHARACTERS + 2]
    assert text.beginning(0) == ""
    text.add("\ud83d")
    assert str(text) == whole + "?"
