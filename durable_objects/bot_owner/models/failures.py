"""What a provider's refusal means: told apart by its status, its type or code, and its sentence.

Too long a conversation, too many requests, a wrong key and everything else lead to different things, so
they have codes of their own. Asking again is of use for what passes by itself.
"""

import re
from collections.abc import Mapping
from contextlib import aclosing
from email.utils import parsedate_to_datetime
from typing import Any

from contracts.errors import ErrorCode
from contracts.reasons import Why
from durable_objects.bot_owner.models.http import HttpAnswer
from durable_objects.bot_owner.models.protocol import ModelError
from durable_objects.shared.json_text import loads

RETRY_STATUS = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
RETRY_AFTER_S = 1.0
BODY_BYTES = 20_000
SENTENCE_CHARACTERS = 500
# Inside a stream there is no status: the errors that the providers document, as the status they stand for.
STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
# Waiting does not fill an account.
FOR_GOOD = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})
TOO_LONG = frozenset({"context_length_exceeded", "request_too_large"})
TOO_LONG_SENTENCE = re.compile(
    r"context[ _-]?(length|window|size)|maximum context|(prompt|input) is too long|too many (input )?tokens",
    re.IGNORECASE,
)


async def refusal(reply: HttpAnswer, now_ms: int) -> ModelError:
    """Read the start of an error's body and say what it means; the rest is not read."""
    text = b""
    async with aclosing(reply.body) as body:
        async for chunk in body:
            text += chunk
            if len(text) > BODY_BYTES:
                break
    try:
        error = error_of(loads(text))
    except ValueError:
        error = {}
    return failure(reply.status, error, _retry_after(reply.headers, now_ms))


def error_of(found: Any) -> Mapping[str, Any]:
    """The error inside a provider's JSON, as an object with `message` and perhaps `type` and `code`."""
    if not isinstance(found, dict):
        return {}
    error = found.get("error")
    if isinstance(error, str):
        return {"message": error}
    errors = found.get("errors")
    if isinstance(errors, list) and errors and isinstance(errors[0], dict):
        return errors[0]
    return error if isinstance(error, dict) else found


def failure(status: int | None, error: Mapping[str, Any], retry_after_s: float | None = None) -> ModelError:
    """The error for people and for the loop. Without a `status` it is read from the error's own words."""
    words = [str(error[name]) for name in ("code", "type") if error.get(name)]
    meant = status or next((STATUS_OF[word] for word in words if word in STATUS_OF), 500)
    sentence = str(error.get("message") or "").encode("utf-8", "replace").decode()[:SENTENCE_CHARACTERS]
    if status:
        reason = "model_answered_with" if sentence else "model_answered"
    else:
        reason = "model_stopped_with" if sentence else "model_stopped"
    facts: dict[str, str | int] = {"sentence": sentence} if sentence else {}
    if status:
        facts["status"] = status
    why = Why(reason, **facts)
    if (
        TOO_LONG.intersection(words)
        or meant == 413
        or (meant in (400, 422) and TOO_LONG_SENTENCE.search(sentence))
    ):
        return ModelError(why, code=ErrorCode.MODEL_CONTEXT_FULL)
    if meant in (401, 403):
        return ModelError(why, code=ErrorCode.MODEL_KEY_REFUSED)
    code = ErrorCode.MODEL_THROTTLED if meant == 429 else ErrorCode.MODEL_UNAVAILABLE
    if meant not in RETRY_STATUS or FOR_GOOD.intersection(words):
        return ModelError(why, code=code)
    told = retry_after_s is not None
    wait = retry_after_s if told else RETRY_AFTER_S
    return ModelError(why, code=code, retry_after_s=wait, told=told)


def _retry_after(headers: Mapping[str, str], now_ms: int) -> float | None:
    """Seconds: from milliseconds, seconds or a date; None where it names no time that can be waited for."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    return max(date.timestamp() - now_ms / 1000, 0.0)
