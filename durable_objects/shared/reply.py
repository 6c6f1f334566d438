"""How objects answer each other: JSON text that holds either a result or an error of the list.

An exception that crosses Workers RPC loses its type and fields; this text keeps them, on
Cloudflare and on the local platform alike. Text also crosses the border between JavaScript and
Python without any conversion, and the API hands a result on as it is.
"""

import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel

from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because

log = logging.getLogger(__name__)

BEGIN = '{"result":'
END = "}"


class JsonText(str):
    """A result that is JSON text already."""

    __slots__ = ()


async def sealed(work: Callable[[], Awaitable[Any]]) -> str:
    """Do the work and return its reply; an unexpected exception is logged and named `internal`."""
    try:
        result = await work()
    except BerthError as error:
        return json.dumps({"error": error.as_dict()})
    except Exception:
        # The border of the object: whatever was not foreseen becomes one fixed sentence, so that no
        # internal text leaves, and the traceback goes to the log.
        log.exception("a call to a durable object failed")
        unforeseen = because(ErrorCode.INTERNAL, "our_side")
        return json.dumps({"error": unforeseen.as_dict()})
    return f"{BEGIN}{_as_json(result)}{END}"


def _as_json(result: Any) -> str:
    if isinstance(result, JsonText):
        return result
    return result.model_dump_json() if isinstance(result, BaseModel) else json.dumps(result)


def opened_text(reply: str) -> str:
    """Return the result of a reply as the JSON text it is, or raise its error."""
    if reply.startswith(BEGIN):
        return reply[len(BEGIN) : -len(END)]
    raise BerthError.from_dict(json.loads(reply)["error"])


def opened(reply: str) -> Any:
    """Return the result of a reply or raise its error."""
    return json.loads(opened_text(reply))
