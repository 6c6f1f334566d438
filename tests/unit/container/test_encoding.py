"""Encodings are told apart by what the bytes look like, and every byte survives."""

import pytest

from computerd import encoding

CHINESE = "第一行 你好世界\n第二行\n"
TRADITIONAL = "第一行 許功蓋你好\n第二行電腦\n"


@pytest.mark.parametrize(
    ("data", "codec", "mark"),
    [
        (b"", "utf-8", b""),
        (b"plain\n", "utf-8", b""),
        (CHINESE.encode(), "utf-8", b""),
        (b"\xef\xbb\xbfx", "utf-8", b"\xef\xbb\xbf"),
        ("\ufeffx".encode("utf-16-le"), "utf-16-le", b"\xff\xfe"),
        ("\ufeffx".encode("utf-16-be"), "utf-16-be", b"\xfe\xff"),
        ("\ufeffx".encode("utf-32-le"), "utf-32-le", b"\xff\xfe\0\0"),
        (CHINESE.encode("gb18030"), "gb18030", b""),
        (TRADITIONAL.encode("big5"), "big5", b""),
        ("これはテストです\nカナ\n".encode("shift_jis"), "cp932", b""),
        ("na\xefve, gr\xf6\xdfer, \xe9t\xe9\n".encode("latin-1"), "cp1252", b""),
        ("“quoted” €5\n".encode("cp1252"), "cp1252", b""),
    ],
)
def test_an_encoding_is_found(data: bytes, codec: str, mark: bytes) -> None:
    assert encoding.detect(data, whole=True) == (codec, mark)


def test_a_nul_is_no_text() -> None:
    assert encoding.detect(b"ab\0c", whole=True) is None


def test_a_beginning_may_cut_a_character() -> None:
    assert encoding.detect("数".encode() * 3 + "数".encode()[:2], whole=False) == encoding.UTF8
    assert encoding.detect((CHINESE * 9).encode("gb18030")[:51], whole=False) == ("gb18030", b"")


def test_what_is_nothing_else_is_utf_8_with_bad_bytes() -> None:
    assert encoding.detect(b"a\x81\x8d\xffb", whole=True) == encoding.UTF8
