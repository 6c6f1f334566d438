"""Which bytes count as the chart."""

import hashlib
import struct
import zlib

import pytest

from local.demo.chart import PNG, check_chart
from local.demo.errors import ChartError
from local.demo.facts import Artifact

SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><circle cx="1" cy="1" r="1"/></svg>'


def recorded(content: bytes, *, size: int | None = None, sha256: str = "") -> Artifact:
    digest = sha256 or hashlib.sha256(content).hexdigest()
    return Artifact("art_1", "chart", "image/png", len(content) if size is None else size, digest)


def chunk(kind: bytes, data: bytes = b"", *, check: int | None = None) -> bytes:
    found = zlib.crc32(kind + data) if check is None else check
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", found)


HEADER = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
PIXELS = chunk(b"IDAT", zlib.compress(b"\0\0"))
END = chunk(b"IEND")


@pytest.mark.parametrize(
    ("content", "kind"),
    [(SVG, "SVG"), (b"<!DOCTYPE svg>" + SVG[21:], "SVG"), (PNG + HEADER + PIXELS + END, "PNG")],
    ids=["svg", "svg with doctype", "png"],
)
def test_whole_image_is_named_by_its_kind(content: bytes, kind: str) -> None:
    assert check_chart(content, recorded(content)) == kind


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "neither PNG nor valid SVG"),
        (b"hello", "neither PNG nor valid SVG"),
        (SVG[:-1], "neither PNG nor valid SVG"),
        (b"<html><body/></html>", "not SVG"),
        (b'<svg xmlns="http://www.w3.org/2000/svg"><title>nothing</title></svg>', "draws nothing"),
        (b'<!DOCTYPE svg [<!ENTITY a "b">]>' + SVG[21:], "declares entities"),
        (PNG, "not whole"),
        (PNG + HEADER + PIXELS, "not whole"),
        (PNG + HEADER + END, "not whole"),
        (PNG + PIXELS + END, "not whole"),
        (PNG + HEADER + PIXELS + END[:-1], "not whole"),
        (PNG + HEADER + PIXELS[:3], "not whole"),
        (PNG + HEADER + chunk(b"IDAT", b"x", check=1) + END, "damaged"),
    ],
)
def test_anything_else_is_refused(content: bytes, says: str) -> None:
    with pytest.raises(ChartError, match=says):
        check_chart(content, recorded(content))


def test_other_bytes_than_the_recorded_ones_are_refused() -> None:
    with pytest.raises(ChartError, match="digests differ"):
        check_chart(SVG, recorded(SVG, sha256="0" * 64))
    with pytest.raises(ChartError, match="its record says 7"):
        check_chart(SVG, recorded(SVG, size=7))
