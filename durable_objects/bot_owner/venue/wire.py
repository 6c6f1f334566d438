"""The border to the exchange: JSON by POST, one try, with limits of time and size.

A redirect is an answer like any other and is not followed: what was signed is for this address.
"""

import asyncio
import logging
from contextlib import aclosing
from typing import Any

import js
from pyodide.ffi import JsException

from contracts.limits import VENUE_ANSWER_BYTES_MAX
from durable_objects.bot_owner.venue.protocol import Reply, Unsure
from durable_objects.shared.js import chunks, js_object

log = logging.getLogger(__name__)


class Wire:
    """The `Post` of `exchange.py`, to one address."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def __call__(self, path: str, body: str, seconds: float) -> Reply:
        """Raises Unsure where no whole answer came, whatever of the request arrived."""
        stop = js.AbortController.new()
        headers = {"content-type": "application/json"}
        options = {"method": "POST", "headers": headers, "body": body, "redirect": "manual"}
        asked = js_object(options)
        asked.signal = stop.signal
        try:
            async with asyncio.timeout(seconds):
                response = await js.fetch(f"{self._address}{path}", asked)
                return Reply(int(response.status), await _text(response.body))
        except JsException as error:
            log.warning("the venue could not be reached: %s", error)
            raise Unsure("the venue could not be reached") from error
        except UnicodeDecodeError as error:
            raise Unsure("the venue's answer is no text") from error
        except TimeoutError as error:
            raise Unsure(f"the venue did not answer within {seconds:g} s") from error
        finally:
            # Of what was read to its end nothing is left to stop.
            stop.abort()


async def _text(body: Any) -> str:
    if not body:
        return ""
    read = bytearray()
    async with aclosing(chunks(body)) as found:
        async for chunk in found:
            read += chunk
            if len(read) > VENUE_ANSWER_BYTES_MAX:
                raise Unsure(f"the venue's answer has more than {VENUE_ANSWER_BYTES_MAX} bytes")
    return read.decode()
