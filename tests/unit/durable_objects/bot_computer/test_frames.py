"""Frames from a hostile computer: what fits becomes a value, everything else is an error."""

from collections.abc import AsyncGenerator

import pytest

from durable_objects.bot_computer.frames import (
    FRAME_BYTES_MAX,
    Exited,
    FrameError,
    Heartbeat,
    Output,
    lines,
    parse,
)


async def body(*chunks: bytes) -> AsyncGenerator[bytes, None]:
    for chunk in chunks:
        yield chunk


async def test_lines_are_joined_across_chunks_and_an_unfinished_last_one_is_dropped() -> None:
    found = [line async for line in lines(body(b'{"a"', b":1}\n{}\n{}", b"\nrest"))]
    assert found == [b'{"a":1}', b"{}", b"{}"]


async def test_a_line_without_end_is_refused_before_memory_fills() -> None:
    with pytest.raises(FrameError, match="too long"):
        _ = [line async for line in lines(body(b"x" * FRAME_BYTES_MAX, b"x"))]


def test_output_is_read() -> None:
    line = '{"type":"output","stream":"stderr","offset":0,"end":3,"text":"≤"}'.encode()
    assert parse(line) == Output("stderr", 3, "≤")


def test_what_was_left_out_is_read() -> None:
    line = b'{"type":"output","stream":"log","offset":0,"end":9,"text":"gap","left_out":9}'
    assert parse(line) == Output("log", 9, "gap", left_out=9)


def test_heartbeats_are_read() -> None:
    assert parse(b'{"type":"heartbeat"}') == Heartbeat()


def test_an_end_is_read_with_its_fields_apart() -> None:
    line = (
        b'{"type":"exited","exit_code":null,"signal":9,"oom":true,"workspace_full":true,'
        b'"leftovers":2,"duration_ms":5,"output_bytes":7}'
    )
    assert parse(line) == Exited(None, 9, False, False, True, True, 2, 5, 7, None)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b'{"type":"exec"}',
        b"{" * 100_000,
        b'{"type":"output","stream":"stdin","end":1,"text":"x"}',
        b'{"type":"output","stream":"stdout","end":1,"text":5}',
        b'{"type":"output","stream":"stdout","end":-1,"text":"x"}',
        b'{"type":"output","stream":"log","end":1,"text":"x","left_out":-1}',
        b'{"type":"output","stream":"log","end":1,"text":"x","left_out":"1"}',
        b'{"type":"output","stream":"stdout","end":1e400,"text":"x"}',
        b'{"type":"exited","exit_code":"0"}',
        b'{"type":"exited","exit_code":true}',
        b'{"type":"exited","exit_code":256}',
        b'{"type":"exited","exit_code":0,"duration_ms":-5}',
        b'{"type":"exited","exit_code":0,"leftovers":9007199254740993}',
    ],
)
def test_what_is_not_a_frame_is_refused(line: bytes) -> None:
    with pytest.raises(FrameError):
        parse(line)
