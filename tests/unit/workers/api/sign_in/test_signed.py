"""What is given out and comes back: unchanged, for its purpose, in time, or not at all."""

from hypothesis import given
from hypothesis import strategies as st

from api.sign_in.signed import decoded, encoded, read, sign

KEY, OTHER = b"k" * 32, b"o" * 32
FIELDS = {"person_id": "p", "name": "Ada 艾达"}


def test_it_comes_back_as_it_was_until_its_end() -> None:
    text = sign(KEY, "a", FIELDS, 1_000, b"1")
    found = read(KEY, "a", text, 999)
    assert found is not None
    assert (found.fields, found.until_ms, found.text) == (FIELDS, 1_000, text)
    assert read(KEY, "a", text, 1_000) is None


def test_another_key_or_purpose_reads_nothing() -> None:
    text = sign(KEY, "a", FIELDS, 1_000, b"1")
    assert read(OTHER, "a", text, 0) is None
    assert read(KEY, "b", text, 0) is None
    # A purpose is no beginning of another one.
    assert read(KEY, "", sign(KEY, "a", {}, 1, b""), 0) is None


def test_each_is_unlike_all_others() -> None:
    assert sign(KEY, "a", FIELDS, 1, b"1") != sign(KEY, "a", FIELDS, 1, b"2")


@given(st.integers(0, 10_000), st.characters(codec="utf-8"))
def test_whatever_is_changed_reads_nothing(at: int, other: str) -> None:
    text = sign(KEY, "a", FIELDS, 1_000, b"1")
    at %= len(text)
    changed = text[:at] + other + text[at + 1 :]
    assert changed == text or read(KEY, "a", changed, 0) is None


@given(st.text(max_size=200))
def test_any_text_reads_nothing(text: str) -> None:
    assert read(KEY, "a", text, 0) is None


@given(st.binary(max_size=100))
def test_there_is_one_way_to_write_bytes(data: bytes) -> None:
    assert decoded(encoded(data)) == data
