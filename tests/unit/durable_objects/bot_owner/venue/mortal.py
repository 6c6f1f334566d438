"""An owner's object that dies at a statement of its database, as an approval goes through it."""

from collections.abc import Callable
from typing import TypeVar

from contracts.errors import BerthError
from contracts.trading import Intent
from durable_objects.shared.sql import Row, SqliteSql, Value
from tests.unit.durable_objects.bot_owner.venue.trading import TradingRig

T = TypeVar("T")


class Death(BaseException):
    pass


class MortalSql:
    """Dies at the statement that is told; what was not committed by then is gone."""

    def __init__(self) -> None:
        self.sql = SqliteSql()
        self.left: int | None = None

    def _count(self) -> None:
        if self.left is not None:
            if self.left == 0:
                raise Death
            self.left -= 1

    def run(self, query: str, *values: Value) -> None:
        self._count()
        self.sql.run(query, *values)

    def execute(self, query: str, *values: Value) -> list[Row]:
        self._count()
        return self.sql.execute(query, *values)

    def transaction(self, work: Callable[[], T]) -> T:
        return self.sql.transaction(work)


async def died_deciding(rig: TradingRig, sql: MortalSql, intent: Intent, at: int) -> bool:
    """Approve, dying at the statement of that number, and go on; returns whether it came to that."""
    sql.left = at
    died = False
    try:
        await rig.decide(intent, 1)
    except Death:
        died = True
    sql.left = None
    rig.reborn()
    await rig.go_on()
    # The person sees no answer and clicks again.
    try:
        await rig.decide(intent, 1)
    except BerthError:
        await rig.go_on()
    await rig.owner.desk.sweep()
    return died
