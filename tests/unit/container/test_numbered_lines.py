"""A window of lines, in bounded memory."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computerd.numbered_lines import NumberedLines


def window(data: bytes, first: int = 1, lines: int = 2000, size: int = 1 << 20) -> NumberedLines:
    found = NumberedLines(first, lines)
    for at in range(0, len(data), size):
        found.feed(data[at : at + size])
    found.finish()
    return found


@pytest.mark.parametrize(
    ("data", "first", "lines", "text", "total", "more"),
    [
        (b"", 1, 10, "", 0, None),
        (b"a\nb\n", 1, 10, "     1\ta\n     2\tb\n", 2, None),
        (b"a\nb", 1, 10, "     1\ta\n     2\tb\n", 2, None),
        (b"a\nb\nc\n", 2, 1, "     2\tb\n", 3, 3),
        (b"a\nb\nc", 3, 5, "     3\tc\n", 3, None),
        (b"a\nb\nc\n", 1, 3, "     1\ta\n     2\tb\n     3\tc\n", 3, None),
        (b"a\n\n\nb\n", 1, 2, "     1\ta\n     2\t\n", 4, 3),
        (b"a\n", 9, 5, "", 1, None),
        (b"a\r\n", 1, 5, "     1\ta\r\n", 1, None),
        (b"\xff\n", 1, 5, "     1\t\ufffd\n", 1, None),
    ],
)
def test_the_window(data: bytes, first: int, lines: int, text: str, total: int, more: int | None) -> None:
    found = window(data, first, lines)
    assert (found.text(), found.total, found.more_from) == (text, total, more)


@given(
    st.lists(st.sampled_from(["", "a", "bb", "≤"])), st.integers(1, 6), st.integers(1, 4), st.integers(1, 7)
)
def test_chunks_do_not_matter(rows: list[str], first: int, lines: int, size: int) -> None:
    data = "".join(f"{row}\n" for row in rows).encode()
    found = window(data, first, lines, size)
    expected = [f"{number:6d}\t{row}\n" for number, row in enumerate(rows, 1)][first - 1 : first - 1 + lines]
    assert found.text() == "".join(expected)
    assert found.total == len(rows)
    assert found.more_from == (first + lines if first - 1 + lines < len(rows) else None)


def test_a_long_line_is_cut_and_says_so() -> None:
    found = window(("≤" * 2001 + "\nnext\n").encode(), size=1000)
    cut, following = found.text().splitlines()
    assert cut == f"     1\t{'≤' * 2000} … [cut: the line has 6,003 bytes]"
    assert following == "     2\tnext"


def test_a_line_of_exactly_the_limit_is_whole() -> None:
    assert window(("≤" * 2000).encode()).text() == f"     1\t{'≤' * 2000}\n"


def test_a_huge_line_is_not_kept() -> None:
    found = NumberedLines(1, 10)
    for _ in range(64):
        found.feed(b"x" * (1 << 20))
    found.finish()
    assert len(found.text()) < 3000
    assert "67,108,864 bytes" in found.text()


def test_text_beyond_its_room_waits_for_the_next_window() -> None:
    found = NumberedLines(1, 2000, text_characters=100)
    found.feed(b"x" * 60 + b"\n" + b"y" * 60 + b"\n" + b"z\n")
    found.finish()
    assert found.more_from == 3
    assert found.total == 3
