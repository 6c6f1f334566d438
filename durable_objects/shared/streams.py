"""Telling owners that sessions or tokens of a person have ended, so that what is watched by them ends too."""

import asyncio
import json
import logging
from collections.abc import Iterable, Sequence
from typing import Any

from contracts.limits import SIGNED_OUT_SECONDS

log = logging.getLogger(__name__)


async def close_streams(
    owners: Any, owner_ids: Iterable[str], person_id: str, credential_ids: Sequence[str]
) -> None:
    """`owners` is the namespace of BotOwner. They have ended, whatever comes of this: it raises nothing.

    An owner that hangs is not waited for: while it does, it has nothing to send either.
    """
    names = json.dumps(list(credential_ids))

    async def tell(owner_id: str) -> None:
        async with asyncio.timeout(SIGNED_OUT_SECONDS):
            await owners.getByName(owner_id).signed_out(person_id, names)

    told = await asyncio.gather(*(tell(one) for one in owner_ids), return_exceptions=True)
    for error in told:
        if isinstance(error, Exception):
            log.warning("streams of an ended session go on: %s", type(error).__name__)
