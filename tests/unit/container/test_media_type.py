"""The first bytes decide, and a name only between kinds of text."""

import pytest

from computerd.media_type import is_text, sniff


@pytest.mark.parametrize(
    ("name", "head", "media_type"),
    [
        ("chart.png", b"\x89PNG\r\n\x1a\n...", "image/png"),
        ("chart.svg", b"<svg xmlns='x'>", "image/svg+xml"),
        ("chart.txt", b"<?xml version='1.0'?>\n<svg>", "image/svg+xml"),
        ("photo", b"\xff\xd8\xff\xe0", "image/jpeg"),
        ("a.webp", b"RIFF1234WEBPVP8 ", "image/webp"),
        ("report.pdf", b"%PDF-1.7", "application/pdf"),
        ("book.xlsx", b"PK\x03\x04", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ("book.zip", b"PK\x03\x04", "application/zip"),
        ("data.csv", b"a,b\n1,2\n", "text/csv"),
        ("data.csv", b"a\0b", "application/octet-stream"),
        ("page.html", b"<!doctype html>", "text/html"),
        ("picture.png", b"<script>", "text/plain"),
        ("notes", "naïve ≤".encode(), "text/plain"),
        ("notes", b"\xff\xfe\xfd", "application/octet-stream"),
        ("empty", b"", "text/plain"),
    ],
)
def test_sniff(name: str, head: bytes, media_type: str) -> None:
    assert sniff(name, head) == media_type


def test_a_cut_character_at_the_end_is_still_text() -> None:
    assert is_text("abc≤".encode()[:-1])
