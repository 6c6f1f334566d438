"""Characters are never cut, whatever the chunks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computerd.text import WholeCharacters, incomplete_tail


@pytest.mark.parametrize(
    ("data", "held"),
    [
        (b"", 0),
        (b"plain", 0),
        ("≤".encode(), 0),
        ("≤".encode()[:2], 2),
        ("≤".encode()[:1], 1),
        ("😀".encode()[:3], 3),
        (b"x\xc3", 1),
        (b"\x80\x80\x80\x80", 0),
        (b"\xff", 0),
        (b"\xf8", 0),
        (b"\xe2\xe2", 1),
    ],
)
def test_the_bytes_of_an_unfinished_character_are_counted(data: bytes, held: int) -> None:
    assert incomplete_tail(data) == held


@given(st.text(), st.integers(min_value=1, max_value=5))
def test_text_in_any_chunks_decodes_without_a_replacement(text: str, size: int) -> None:
    data = text.encode()
    characters = WholeCharacters()
    chunks = [characters.feed(data[at : at + size]) for at in range(0, len(data), size)]
    assert "".join(chunk.decode() for chunk in chunks) == text
    assert characters.flush() == b""


@given(st.binary(), st.integers(min_value=1, max_value=5))
def test_no_byte_is_lost_or_made_up(data: bytes, size: int) -> None:
    characters = WholeCharacters()
    chunks = [characters.feed(data[at : at + size]) for at in range(0, len(data), size)]
    assert b"".join([*chunks, characters.flush()]) == data
