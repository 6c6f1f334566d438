"""One request on its way through a route, and what its query says, checked."""

import json
import re
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from local.engine.engine import Engine
from local.engine.errors import MalformedRequestError
from local.engine.http import Exchange
from local.engine.records import as_mapping, as_texts


@dataclass(frozen=True)
class Call:
    engine: Engine
    exchange: Exchange
    names: tuple[str, ...]

    def query(self, name: str, default: str = "") -> str:
        return self.exchange.request.query.get(name, default)

    async def answer(self, status: int, payload: object = None) -> None:
        await self.exchange.answer(status, payload)


Route = Callable[[Call], Awaitable[None]]


def read_path(call: Call) -> str:
    path = call.query("path")
    if not path.startswith("/"):
        raise MalformedRequestError("path must be absolute")
    return path if path == "/" else path.rstrip("/")


def read_filters(text: str) -> dict[str, tuple[str, ...]]:
    """Read Docker's filters in both their forms: lists, and objects of booleans."""
    try:
        found = as_mapping(json.loads(text or "{}"), "filters")
    except ValueError as error:
        raise MalformedRequestError(f"filters are not JSON: {error}") from error
    listed = {k: list(v) if isinstance(v, dict) else v for k, v in found.items()}
    return {key: as_texts(value, "filters") for key, value in listed.items()}


def read_number(text: str, limit: int) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > limit:
        raise MalformedRequestError(f"not a number up to {limit}: {text[:20]!r}")
    return int(text)


def read_signal(text: str) -> int:
    name = text.upper()
    if name.isdigit() and 0 < int(name) < signal.NSIG:
        return int(name)
    name = name if name.startswith("SIG") else "SIG" + name
    if name in signal.Signals.__members__:
        return int(signal.Signals[name])
    raise MalformedRequestError(f"Invalid signal: {text[:40]}")
