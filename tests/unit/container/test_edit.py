"""One exact replacement: where it goes, what stays, what is said when it fits nowhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from computerd import edit, encoding
from computerd.errors import ManyMatches, NoMatch


def edited(text: str, old: str, new: str) -> str:
    return edit.find(text, old, new).applied_to(text)


@pytest.mark.parametrize("new", ["$& $1 $$ $` $' \\1 \\g<0>", "", "[a-z]+", "\\", "\\n", "数"])
def test_the_new_text_lands_as_it_is(new: str) -> None:
    assert edited('log("done");', "done", new) == f'log("{new}");'


@pytest.mark.parametrize("old", ["a.b", "(x", "[1]", "^", "$", "a|b", "\\d", "*"])
def test_the_old_text_is_no_pattern(old: str) -> None:
    assert edited(f"axb 1 {old} ab", old, "!") == "axb 1 ! ab"


@pytest.mark.parametrize(
    ("text", "old", "new", "right"),
    [
        ("a = 1\r\nb = 2\r\nc = 3\r\n", "b = 2", "b = 22", "a = 1\r\nb = 22\r\nc = 3\r\n"),
        ("x\ny\r\nz\rdata\rmore\n", "y", "Y", "x\nY\r\nz\rdata\rmore\n"),
        ("no newline at end", "end", "END", "no newline at END"),
        ("a\r\nb\r\nc\r\n", "a\nb", "a\nB\nb2", "a\r\nB\r\nb2\r\nc\r\n"),
        ("a\r\nb\r\nc", "c", "c\nd\n", "a\r\nb\r\nc\r\nd\r\n"),
        ("a\nb\r\nc\nd\r\n", "a\nb\nc", "a\nB\nc", "a\nB\r\nc\nd\r\n"),
        ("a\r\nb\nc\r\nd", "a\nb\nc", "a\nc", "a\r\nc\r\nd"),
        ("a\nb\n", "a", "x\ny", "x\ny\nb\n"),
        ("a\nb\n", "a\r\nb", "x\r\ny", "x\r\ny\n"),
        ("one\r\n", "one", "1\r\n2", "1\r\n2\r\n"),
    ],
)
def test_line_ends_outside_of_what_changes_stay(text: str, old: str, new: str, right: str) -> None:
    assert edited(text, old, new) == right


def test_a_literal_match_comes_before_one_with_other_line_ends() -> None:
    assert edited("a\r\nb\r\na\nb\n", "a\nb", "X") == "a\r\nb\r\nX\n"


def test_several_places_are_named_and_those_that_overlap_count() -> None:
    with pytest.raises(ManyMatches) as caught:
        edit.find("x\nx\n\nx", "x", "y")
    assert caught.value.details == {
        "reason": "edit_places",
        "places": "1, 2, 4",
        "count": 3,
        "lines": [1, 2, 4],
    }
    with pytest.raises(ManyMatches):
        edit.find("aaa", "aa", "b")


def test_very_many_places_are_not_all_looked_for() -> None:
    with pytest.raises(ManyMatches) as caught:
        edit.find("x" * 5_000_000, "x", "y")
    assert "more than 1000" in caught.value.message


@pytest.mark.parametrize(
    ("text", "old", "line", "why"),
    [
        ("a\n\tb = 1\nc", "    b = 1", 2, "only blanks differ"),
        ("a\nresult = compute(alpha, beta)\n", "result = compute(alpha, gamma)", 2, "it differs"),
        ("first\nsecond line here\n", "other\nsecond line here", 2, "not the lines around it"),
    ],
)
def test_a_near_miss_says_what_differs(text: str, old: str, line: int, why: str) -> None:
    with pytest.raises(NoMatch) as caught:
        edit.find(text, old, "x")
    assert caught.value.details["line"] == line
    assert why in caught.value.message


def test_nothing_like_it_is_said_plainly() -> None:
    with pytest.raises(NoMatch) as caught:
        edit.find("alpha\n", "zzz", "x")
    assert caught.value.details == {"reason": "edit_none", "count": 0}
    with pytest.raises(NoMatch):
        edit.find("alpha\n", "\n\n\n", "x")


@given(
    st.binary(max_size=200), st.binary(max_size=200), st.text(min_size=1, max_size=20), st.text(max_size=20)
)
def test_an_edit_changes_nothing_but_its_span(head: bytes, tail: bytes, old: str, new: str) -> None:
    data = head + old.encode("utf-8", "replace") + tail
    text = encoding.UTF8.decode(data)
    wanted = old.encode("utf-8", "replace").decode()
    try:
        span = edit.find(text, wanted, new)
    except (ManyMatches, NoMatch):
        return
    after = span.applied_to(text).encode("utf-8", "surrogateescape" if _clean(new) else "surrogatepass")
    start = len(encoding.UTF8.encode(text[: span.start]))
    end = len(encoding.UTF8.encode(text[: span.end]))
    assert after.startswith(data[:start])
    assert after.endswith(data[end:])
    assert len(after) == len(data) - (end - start) + len(span.new.encode("utf-8", "surrogatepass"))
    if "\n" not in new:
        assert span.new == new


def _clean(text: str) -> bool:
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in text)
