"""What a provider's refusal means, and how long it wants to be left alone."""

import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import pytest

from contracts.errors import ErrorCode
from contracts.limits import RETRY_AFTER_SECONDS_MAX
from durable_objects.bot_owner.models.failures import BODY_BYTES, SENTENCE_CHARACTERS, failure, refusal
from durable_objects.bot_owner.models.http import HttpAnswer
from durable_objects.bot_owner.models.protocol import ModelError
from tests.unit.durable_objects.bot_owner.models.wired import NOW_MS


async def refused(
    body: bytes, status: int = 429, headers: Mapping[str, str] | None = None, times: int = 1
) -> tuple[ModelError, int]:
    """The error, and how many times the body was read on."""
    read = 0

    async def chunks() -> AsyncGenerator[bytes, None]:
        nonlocal read
        for _ in range(times):
            read += 1
            yield body

    return await refusal(HttpAnswer(status, headers or {}, chunks()), NOW_MS), read


@pytest.mark.parametrize(
    ("headers", "seconds", "told"),
    [
        ({}, 1.0, False),
        ({"retry-after": "7"}, 7.0, True),
        ({"retry-after": "0"}, 0.0, True),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25, True),
        ({"retry-after": "Mon, 21 Sep 2026 14:13:50 GMT"}, 30.0, True),
        ({"retry-after": "Mon, 21 Sep 2020 14:13:50 GMT"}, 0.0, True),
        ({"retry-after": "soon"}, 1.0, False),
        ({"retry-after": "-3"}, 1.0, False),
        ({"retry-after": "inf"}, 1.0, False),
        ({"retry-after": "nan"}, 1.0, False),
        ({"retry-after": "9" * 400}, 1.0, False),
    ],
)
async def test_when_to_ask_again(headers: Mapping[str, str], seconds: float, told: bool) -> None:
    error, _ = await refused(b"{}", headers=headers)
    assert (error.retry_after_s, error.told) == (seconds, told)


def test_the_test_has_the_right_date() -> None:
    assert NOW_MS // 1000 == 1_790_000_000


async def test_who_wants_to_be_left_alone_for_longer_than_the_limit_is() -> None:
    for seconds, may_retry in ((RETRY_AFTER_SECONDS_MAX, True), (RETRY_AFTER_SECONDS_MAX + 1, False)):
        error, _ = await refused(b"{}", headers={"retry-after": str(seconds)})
        assert (error.may_retry, error.retry_after_s) == (may_retry, seconds)


def test_pauses_double_up_to_the_limit_unless_the_time_was_told() -> None:
    own = ModelError("model_broke", retry_after_s=1)
    assert [own.pause_s(attempt) for attempt in (1, 2, 3, 10)] == [1, 2, 4, RETRY_AFTER_SECONDS_MAX]
    told = ModelError("model_broke", retry_after_s=7, told=True)
    assert [told.pause_s(attempt) for attempt in (1, 2, 3)] == [7, 7, 7]


async def test_a_body_without_end_is_not_read_to_its_end_nor_shown() -> None:
    error, read = await refused(b"x" * 10_000, status=500, times=50)
    assert read == BODY_BYTES // 10_000 + 1
    assert str(error) == "The model's server answered 500."


async def test_a_sentence_is_cut() -> None:
    error, _ = await refused(json.dumps({"error": {"message": "y" * 9_000}}).encode())
    assert str(error).count("y") == SENTENCE_CHARACTERS


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b'{"error": "plain"}', "plain"),
        (b'{"message": "at the top", "internalCode": 3040}', "at the top"),
        (b'{"errors": [{"message": "first", "code": 7009}]}', "first"),
        (b'{"error": {"message": "half \\ud800"}}', "half ?"),
    ],
)
async def test_the_sentence_is_found_where_providers_put_it(body: bytes, sentence: str) -> None:
    error, _ = await refused(body)
    assert str(error).endswith(f": {sentence}")


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"null", b'{"error": 5}', b'{"errors": [5]}', b"\xff"]
)
async def test_a_body_of_another_shape_says_nothing(body: bytes) -> None:
    error, _ = await refused(body, status=400)
    assert str(error) == "The model's server answered 400."


@pytest.mark.parametrize(
    ("error", "code", "again"),
    [
        ({"type": "overloaded_error"}, ErrorCode.MODEL_UNAVAILABLE, True),
        ({"type": "rate_limit_error"}, ErrorCode.MODEL_THROTTLED, True),
        ({"code": "rate_limit_exceeded", "type": "error"}, ErrorCode.MODEL_THROTTLED, True),
        ({"code": "context_length_exceeded"}, ErrorCode.MODEL_CONTEXT_FULL, False),
        ({"type": "invalid_request_error"}, ErrorCode.MODEL_UNAVAILABLE, False),
        ({"type": "authentication_error"}, ErrorCode.MODEL_KEY_REFUSED, False),
        ({}, ErrorCode.MODEL_UNAVAILABLE, True),
    ],
)
def test_inside_a_stream_the_kind_says_what_the_status_would(
    error: dict[str, Any], code: ErrorCode, again: bool
) -> None:
    found = failure(None, error)
    assert (found.code, found.may_retry) == (code, again)
