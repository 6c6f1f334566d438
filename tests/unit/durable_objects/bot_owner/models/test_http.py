"""Server-sent events out of bytes that are cut anywhere and never end."""

import json
from collections.abc import AsyncGenerator

import pytest

from durable_objects.bot_owner.models import http
from durable_objects.bot_owner.models.http import event_data
from durable_objects.bot_owner.models.protocol import ModelError
from durable_objects.shared.json_pieces import JsonPieces

EVENTS = "event: x\ndata: 二 🙂\n\n: ping\ndata:\ndata:b\r\nretry: 5\n\ndata: last".encode()


async def chunked(content: bytes, size: int) -> AsyncGenerator[bytes, None]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def data(content: bytes, size: int = 7) -> list[str]:
    found = [text async for text in event_data(chunked(content, size))]
    assert all(isinstance(text, str) for text in found)
    return list(map(str, found))


@pytest.mark.parametrize("size", [1, 2, 3, 1_000])
async def test_data_are_found_wherever_the_bytes_are_cut(size: int) -> None:
    assert await data(EVENTS, size) == ["二 🙂", "b", "last"]


async def test_bytes_that_are_no_text_become_marks() -> None:
    assert await data(b"data: a\xffb\xe4\xba") == ["a�b�"]


async def test_a_line_may_be_as_long_as_the_limit_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "ANSWER_LINE_CHARACTERS_MAX", 1_000)
    assert await data(b"data: " + b"x" * 994 + b"\n") == ["x" * 994]
    with pytest.raises(ModelError, match="without an end"):
        await data(b"data: " + b"x" * 995 + b"\n", 1)


@pytest.mark.parametrize("size", [1_000, 70_001])
async def test_a_line_that_is_long_is_json_that_was_never_put_together(size: int) -> None:
    long = json.dumps({"a": "二🙂" * 50_000, "b": 1}, ensure_ascii=False).encode()
    content = b"event: x\r\ndata: " + long + b"\r\n\r\nid: " + long + b"\ndata: last\n"
    first, last = [one async for one in event_data(chunked(content, size))]
    assert isinstance(first, JsonPieces)
    value = first.value()
    assert (str(value["a"]), value["b"], last) == ("二🙂" * 50_000, 1, "last")


async def test_who_stops_reading_closes_the_body() -> None:
    closed = []

    async def endless() -> AsyncGenerator[bytes, None]:
        try:
            while True:
                yield b"data: a\n"
        finally:
            closed.append(True)

    found = event_data(endless())
    assert await anext(found) == "a"
    await found.aclose()
    assert closed == [True]
