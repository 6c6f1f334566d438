"""The border to model providers: fetch and the binding of Workers AI, streamed and with time limits.

Silence and the whole answer have limits of their own: a server that sends `ping`s for ever is not silent.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import js
from pyodide.ffi import JsException

from contracts.limits import MODEL_ANSWER_SECONDS, MODEL_SILENCE_SECONDS
from contracts.reasons import Why
from durable_objects.bot_owner.models.failures import RETRY_AFTER_S
from durable_objects.bot_owner.models.http import KEPT_HEADERS, HttpAnswer
from durable_objects.bot_owner.models.protocol import ModelError
from durable_objects.shared.js import chunks, js_object
from durable_objects.shared.silence import silence_limit


@dataclass(frozen=True)
class Patience:
    """How long a provider may be silent, and how long an answer may take in all, in seconds."""

    silence_s: float = MODEL_SILENCE_SECONDS
    answer_s: float = MODEL_ANSWER_SECONDS


class Transport:
    """The `Post` of the providers, and the `Ai` of Workers AI where the binding is there."""

    def __init__(self, patience: Patience, ai: Any = None) -> None:
        self._patience = patience
        self._ai = ai

    async def post(self, url: str, headers: Mapping[str, str], body: str) -> HttpAnswer:
        """A redirect is an answer like any other and is not followed: the key was given for this address."""
        stop = js.AbortController.new()
        options = {"method": "POST", "headers": dict(headers), "body": body, "redirect": "manual"}
        asked = js_object(options)
        asked.signal = stop.signal
        return await self._answer(js.fetch(url, asked), stop)

    async def run(self, model: str, body: str, headers: Mapping[str, str]) -> HttpAnswer:
        options = js_object({"returnRawResponse": True, "extraHeaders": dict(headers)})
        return await self._answer(self._ai.run(model, js.JSON.parse(body), options), None)

    async def _answer(self, asked: Awaitable[Any], stop: Any) -> HttpAnswer:
        end = asyncio.get_running_loop().time() + self._patience.answer_s
        try:
            async with asyncio.timeout(self._patience.silence_s):
                response = await asked
        except JsException as error:
            raise ModelError("model_unreached", retry_after_s=RETRY_AFTER_S) from error
        except (TimeoutError, asyncio.CancelledError) as error:
            # Nobody waits for it any more.
            if stop:
                stop.abort()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise self._silent() from error
        kept = {name: value for name in KEPT_HEADERS if (value := response.headers.get(name))}
        return HttpAnswer(int(response.status), kept, self._body(response.body, end))

    async def _body(self, stream: Any, end: float) -> AsyncGenerator[bytes, None]:
        if not stream:
            return
        now, patience = asyncio.get_running_loop().time, self._patience.silence_s
        try:
            async with silence_limit(patience, until=end) as heard, aclosing(chunks(stream)) as found:
                async for chunk in found:
                    yield chunk
                    # What the reader did with it is not silence of the server.
                    heard()
        except JsException as error:
            raise ModelError("model_broke", retry_after_s=RETRY_AFTER_S) from error
        except TimeoutError as error:
            raise (self._silent() if now() < end else self._endless()) from error

    def _silent(self) -> ModelError:
        return ModelError(Why("model_silent", seconds=f"{self._patience.silence_s:g}"))

    def _endless(self) -> ModelError:
        return ModelError(Why("model_endless", seconds=f"{self._patience.answer_s:g}"))
