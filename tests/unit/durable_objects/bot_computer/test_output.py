"""The excerpt a model sees: exact at the limit, never over it, and true about what was cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.limits import OUTPUT_CHARACTERS, OUTPUT_HEAD_CHARACTERS
from durable_objects.bot_computer.output import Excerpt, OutputWindow, valid_text

LOG = "/workspace/.berth/logs/c.log"


def window(*pieces: str) -> OutputWindow:
    made = OutputWindow()
    for piece in pieces:
        made.add(piece)
    return made


def test_output_at_the_limit_is_whole() -> None:
    text = "x" * OUTPUT_CHARACTERS
    assert window(text).excerpt(LOG).text == text


def test_output_one_past_the_limit_is_cut_and_says_so() -> None:
    excerpt = window("x" * (OUTPUT_CHARACTERS + 1)).excerpt(LOG)
    assert len(excerpt.text) <= OUTPUT_CHARACTERS
    assert f"{excerpt.cut_characters} characters" in excerpt.text
    assert LOG in excerpt.text


def test_head_and_tail_are_the_first_quarter_and_the_end() -> None:
    text = "".join(f"{n}\n" for n in range(20_000))
    excerpt = window(text).excerpt(LOG)
    assert excerpt.text.startswith(text[:OUTPUT_HEAD_CHARACTERS])
    assert excerpt.text.endswith("\n19998\n19999\n")
    head, middle, tail = excerpt.text.partition("\n[… ")
    assert middle
    tail = tail.partition("…]\n")[2]
    assert len(head) + len(tail) + excerpt.cut_characters == len(text)
    assert excerpt.cut_lines == 20_000 - head.count("\n") - tail.count("\n")


def test_what_was_never_read_counts_as_cut_and_nobody_has_counted_its_lines() -> None:
    made = window("a\n" * OUTPUT_CHARACTERS)
    made.left_out = 5_000_000
    made.add("\nleft out\n" + "z\n" * OUTPUT_CHARACTERS)
    excerpt = made.excerpt(LOG)
    head, _, rest = excerpt.text.partition("\n[… ")
    middle, _, tail = rest.partition(" …]\n")
    assert middle == f"{excerpt.cut_characters} characters cut here; the log is {LOG}"
    assert excerpt.cut_characters == made.characters + 5_000_000 - len(head) - len(tail)
    assert excerpt.cut_lines is None
    assert len(excerpt.text) <= OUTPUT_CHARACTERS


def test_what_was_never_read_is_missing_also_where_the_rest_fits() -> None:
    made = window("left out")
    made.left_out = 7
    assert made.excerpt(LOG) == Excerpt("left out", 7, None)


@given(st.lists(st.text(max_size=3_000), max_size=30))
def test_pieces_make_no_difference(pieces: list[str]) -> None:
    assert window(*pieces).excerpt(LOG) == window("".join(pieces)).excerpt(LOG)


@pytest.mark.parametrize("piece", ["y", "y" * 999, "y" * 100_000])
def test_memory_stays_flat(piece: str) -> None:
    made = OutputWindow()
    for _ in range(2_000_000 // len(piece)):
        made.add(piece)
    held = len(made._head) + sum(map(len, made._tail))
    assert held <= 3 * OUTPUT_CHARACTERS
    assert len(made._tail) <= 257


def test_lone_surrogates_become_text_that_can_be_stored() -> None:
    assert valid_text("ok \ud800 ≤").encode() == "ok ? ≤".encode()
