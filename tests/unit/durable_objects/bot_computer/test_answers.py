"""What computerd says of files is checked once, and cut to what is promised."""

import json
from typing import Any

import pytest

from contracts.limits import DIFF_CHARACTERS, ENTRIES_A_PAGE, PICTURE_BYTES_MAX
from durable_objects.bot_computer.answers import changed, listing, picture, read
from durable_objects.bot_computer.follow import UnreachableError

DIFF = {"text": "-a\n+b\n", "added": 1, "removed": 1, "cut": False}


def test_a_change_is_read() -> None:
    change, diff = changed({"path": "f", "size": 3, "diff": DIFF})
    assert (change.path, change.size, change.added, change.removed) == ("f", 3, 1, 1)
    assert (change.created, change.compared, change.cut, diff) == (False, True, False, "-a\n+b\n")


def test_a_new_file_and_one_that_was_no_text_have_no_diff() -> None:
    assert changed({"path": "f", "size": 3, "created": True})[0].created
    change, diff = changed({"path": "f", "size": 3, "diff": None})
    assert (change.created, change.compared, diff) == (False, False, "")


def test_more_than_is_promised_is_cut() -> None:
    change, diff = changed({"path": "p" * 9_999, "size": 3, "diff": {**DIFF, "text": "\ud800" * 99_999}})
    assert (len(change.path), len(diff)) == (4_096, DIFF_CHARACTERS)
    assert "\ud800" not in diff


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"path": 1, "size": 3},
        {"path": "f", "size": "3"},
        {"path": "f", "size": True},
        {"path": "f", "size": -1},
        {"path": "f", "size": 2**60},
        {"path": "f", "size": 3, "diff": {"text": "x"}},
        {"path": "f", "size": 3, "diff": {**DIFF, "text": None}},
    ],
)
def test_nonsense_is_refused(answer: dict[str, Any]) -> None:
    with pytest.raises(UnreachableError):
        changed(answer)


TEXT = {"kind": "text", "text": "     1\ta\n", "more_from_line": None, "encoding": "utf-8", "size": 2}


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, "     1\ta\n"),
        ({"more_from_line": 2}, "     1\ta\n(more from line 2)"),
        ({"encoding": "gb18030"}, "     1\ta\n(the file's encoding is gb18030)"),
        (
            {"kind": "document", "media_type": "application/pdf", "size": 1234},
            "     1\ta\n(the text of application/pdf, 1,234 bytes)",
        ),
    ],
)
def test_what_was_read_is_told(more: dict[str, Any], told: str) -> None:
    assert read({**TEXT, **more}) == told


def test_what_is_no_text_is_described() -> None:
    binary = {"kind": "binary", "media_type": "application/zip", "size": 1234, "sha256": "0" * 64}
    assert read(binary) == f"This is no text: application/zip, 1,234 bytes, SHA-256 {'0' * 64}."
    assert read({**binary, "sha256": None, "note": "broken"}).endswith("1,234 bytes. broken")


@pytest.mark.parametrize(
    "answer", [{}, {"kind": "text"}, {**TEXT, "more_from_line": "2"}, {"kind": "binary"}]
)
def test_an_answer_about_reading_that_is_none_is_refused(answer: dict[str, Any]) -> None:
    with pytest.raises(UnreachableError):
        read(answer)


FACTS = {"media_type": "image/jpeg", "shown_width": 3, "shown_height": 2, "width": 30, "height": 20}
ABOUT = {"kind": "picture", "media_type": "image/png", "size": 1234}


def test_a_picture_is_told_with_its_sizes() -> None:
    shown, told = picture(ABOUT, json.dumps(FACTS), PICTURE_BYTES_MAX)
    assert (shown.media_type, shown.width, shown.height, shown.size) == (
        "image/jpeg",
        3,
        2,
        PICTURE_BYTES_MAX,
    )
    assert told == "A picture: image/png, 30 x 20 pixels, 1,234 bytes; shown at 3 x 2."


@pytest.mark.parametrize(
    ("said", "size"),
    [
        ("", 9),
        ("[]", 9),
        ("{}", 9),
        (json.dumps({**FACTS, "media_type": "image/svg+xml"}), 9),
        (json.dumps({**FACTS, "width": "30"}), 9),
        (json.dumps(FACTS), PICTURE_BYTES_MAX + 1),
    ],
)
def test_what_is_no_picture_is_refused(said: str, size: int) -> None:
    with pytest.raises(UnreachableError):
        picture(ABOUT, said, size)


ENTRY = {"name": "a", "kind": "file", "size": 3, "modified_ms": 5}


def test_a_folder_is_read_up_to_a_whole_page() -> None:
    answer = {"path": "f", "total": 9, "cut": True, "entries": [ENTRY] * ENTRIES_A_PAGE}
    found = listing(answer, 7)
    assert (found.path, found.total, found.cut, found.at_ms, found.live) == ("f", 9, True, 7, True)
    assert len(found.entries) == ENTRIES_A_PAGE
    with pytest.raises(UnreachableError):
        listing({**answer, "entries": [ENTRY] * (ENTRIES_A_PAGE + 1)}, 7)


@pytest.mark.parametrize(
    ("name", "told"),
    [("图 👩‍👩‍👧 مرحبا", "图 👩‍👩‍👧 مرحبا"), ("na\udcefve?", "na\ufffdve?"), ("n" * 999, "n" * 765)],
)
def test_a_name_is_told_as_it_is_and_what_is_no_character_is_marked(name: str, told: str) -> None:
    (entry,) = listing({"path": "f", "total": 1, "entries": [{**ENTRY, "name": name}]}, 7).entries
    assert entry.name == told


def test_a_time_that_is_none_is_put_right() -> None:
    times = [-5, 2**60, "x"]
    entries = [{**ENTRY, "modified_ms": time} for time in times]
    found = listing({"path": "f", "total": 3, "entries": entries}, 7)
    assert [entry.modified_ms for entry in found.entries] == [0, 2**52, 0]


@pytest.mark.parametrize(
    "entry", [None, {}, {**ENTRY, "kind": "door"}, {**ENTRY, "size": -1}, {**ENTRY, "name": 1}]
)
def test_an_entry_that_is_none_is_refused(entry: object) -> None:
    with pytest.raises(UnreachableError):
        listing({"path": "f", "total": 1, "entries": [entry]}, 7)


def test_an_impostor_cannot_fill_a_row() -> None:
    assert len(read({**TEXT, "text": "x" * 9_000_000})) < 500_000
    hostile = read({**TEXT, "text": "\x01" * 9_000_000})
    assert len(json.dumps(hostile)) < 2_000_000
