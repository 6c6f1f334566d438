"""Owners are told of ended sessions, and none keeps the others or the person waiting."""

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from durable_objects.shared import streams
from durable_objects.shared.streams import close_streams


class Owners:
    """A namespace of objects, each of which answers in its way."""

    def __init__(self, told: list[tuple[str, str, list[str]]]) -> None:
        self._told = told

    def getByName(self, owner_id: str) -> Any:  # noqa: N802 - as the platform has it
        return Stub(owner_id, self._told.append)


class Stub:
    def __init__(self, owner_id: str, note: Callable[[tuple[str, str, list[str]]], None]) -> None:
        self._owner_id = owner_id
        self._note = note

    async def signed_out(self, person_id: str, credential_ids: str) -> None:
        self._note((self._owner_id, person_id, json.loads(credential_ids)))
        if self._owner_id == "dead":
            raise ConnectionError
        if self._owner_id == "hangs":
            await asyncio.Event().wait()


async def test_each_is_told_and_none_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(streams, "SIGNED_OUT_SECONDS", 0.01)
    told: list[tuple[str, str, list[str]]] = []
    with caplog.at_level(logging.WARNING):
        await close_streams(Owners(told), ["hangs", "dead", "well"], "person", ["s1", "s2"])
    assert told == [(one, "person", ["s1", "s2"]) for one in ("hangs", "dead", "well")]
    assert [record.args for record in caplog.records] == [("TimeoutError",), ("ConnectionError",)]
