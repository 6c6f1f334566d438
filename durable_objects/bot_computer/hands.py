"""What a person does with the files of a computer that runs: move, remove, put. It is never woken for that.

What was known of the folders for standby may be wrong afterwards, and is forgotten whatever came of it.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from contracts.limits import PATH_CHARACTERS_MAX
from durable_objects.bot_computer import answers
from durable_objects.bot_computer.cloudflare import ComputerdWire
from durable_objects.bot_computer.computer import ComputerCore
from durable_objects.bot_computer.follow import UnreachableError
from durable_objects.bot_computer.listings import Listings

# A folder of very many files takes a while to remove, and a large file to arrive.
HAND_SECONDS = 120.0


class Hands:
    """Each raises what `ComputerCore.hand` does, what the computer says of the path, and UnreachableError."""

    def __init__(self, core: ComputerCore, wire: ComputerdWire, listings: Listings) -> None:
        self._core = core
        self._wire = wire
        self._listings = listings

    async def move(self, fields: Mapping[str, Any]) -> dict[str, str]:
        """{path, to, while_running} → {path}, where it is now."""
        order = {"path": fields["path"], "to": fields["to"]}
        return _placed(await self._done("move", order, fields))

    async def remove(self, fields: Mapping[str, Any]) -> dict[str, str]:
        """{path, while_running} → {}."""
        await self._done("remove", {"path": fields["path"]}, fields)
        return {}

    async def put(self, path: str, body: Any, *, while_running: bool) -> dict[str, str]:
        """The bytes of a stream as a file, under a free name → {path}. Raises TimeoutError."""
        target = f"/files/content?path={quote(path, safe='')}&exclusive=1"
        async with self._core.hand(while_running=while_running), asyncio.timeout(HAND_SECONDS):
            try:
                return _placed(await self._wire.fetch_json("PUT", target, body))
            finally:
                self._listings.drop(path)

    async def _done(self, what: str, order: dict[str, str], fields: Mapping[str, Any]) -> dict[str, Any]:
        async with self._core.hand(while_running=fields["while_running"] is True):
            try:
                async with asyncio.timeout(HAND_SECONDS):
                    return await self._wire.fetch_json("POST", f"/files/{what}", json.dumps(order))
            except TimeoutError as error:
                raise UnreachableError("it did not move or remove a file in time") from error
            finally:
                for path in order.values():
                    self._listings.drop(path)


def _placed(answer: Mapping[str, Any]) -> dict[str, str]:
    return {"path": answers.text(answer, "path")[:PATH_CHARACTERS_MAX]}
