"""The frames in which Docker sends a command's output."""

import pytest

from local.engine.execs import STDERR, STDOUT, frame


@pytest.mark.parametrize(
    ("stream", "data", "framed"),
    [
        (STDOUT, b"hi", b"\x01\0\0\0\0\0\0\x02hi"),
        (STDERR, b"", b"\x02\0\0\0\0\0\0\0"),
        (STDOUT, b"x" * 300, b"\x01\0\0\0\0\0\x01\x2c" + b"x" * 300),
    ],
)
def test_a_frame_names_its_stream_and_length(stream: int, data: bytes, framed: bytes) -> None:
    assert frame(stream, data) == framed
