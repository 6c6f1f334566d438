"""Parts of an owner and a computer on CPython's SQLite, with a clock and chance that tests turn."""

import itertools
from collections.abc import Iterator

import pytest

from durable_objects.shared.context import Context
from durable_objects.shared.sql import SqliteSql


class Clock:
    """Milliseconds that pass when a test says so."""

    def __init__(self, now_ms: int = 1_800_000_000_000) -> None:
        self.ms = now_ms

    def __call__(self) -> int:
        return self.ms

    def pass_seconds(self, seconds: float) -> None:
        self.ms += int(seconds * 1000)


def counted() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sql() -> Iterator[SqliteSql]:
    database = SqliteSql()
    yield database
    database.close()


@pytest.fixture
def context(sql: SqliteSql, clock: Clock) -> Context:
    numbers = counted()
    return Context(sql=sql, now_ms=clock, entropy=lambda n: next(numbers).to_bytes(n, "big"))
