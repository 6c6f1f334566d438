"""The texts of an archive, written from what the owner has; keys and secrets are in no source of them."""

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any

from contracts.states import Locale
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.export import pieces
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.shared.reply import JsonText
from durable_objects.shared.sql import Row, Sql

ROWS_AT_ONCE = 200
TABLES: Mapping[str, tuple[str, str, str, str]] = {
    "members": ("members", "person_id, name, role, joined_ms", "joined_ms, person_id", ""),
    "firings": ("firings", "*", "id", ""),
    "ledger": ("ledger", "*", "n", ""),
    "orders": ("intents", "record", "n", "record"),
}
"""What is a table as it is: its name, columns, order, and the column of JSON that stands for a row."""
Perform = Callable[[str, Mapping[str, Any]], Awaitable[Any]]
"""An operation of `operations.py` by name, as its owner."""
Ask = Callable[[], Awaitable[list[str]]]
"""What somebody else keeps of this owner, as pieces of text; raises BerthError."""


class Documents:
    def __init__(
        self,
        sql: Sql,
        catalog: Catalog,
        record: ThreadRecord,
        *,
        perform: Perform,
        egress: Ask,
        audit: Ask,
        person: Ask,
    ) -> None:
        self._sql = sql
        self._catalog = catalog
        self._record = record
        self._perform = perform
        self._others: Mapping[str, Ask] = {"egress": egress, "record": audit, "person": person}

    async def text(self, kind: str, subject: str) -> Iterable[str]:
        """The pieces of a text, in order. Raises BerthError, `not_found` for a thread that is gone."""
        match kind:
            case "operation":
                return [_as_json(await self._perform(subject, {}))]
            case "markdown" | "json":
                thread = self._catalog.thread(subject)
                bot = str(self._catalog.bot_row(thread.bot_id)["name"])
                locale = self._catalog.setting("locale", Locale.ENGLISH)
                rows = self._record.all(subject, until=thread.head_seq)
                return pieces(kind, thread, bot, locale, rows)
            case _ if kind in TABLES:
                return self._lines(*TABLES[kind])
            case _:
                return await self._others[kind]()

    def _lines(self, table: str, columns: str, order: str, column: str) -> Iterator[str]:
        """A table as lines of JSON, few of them in memory at once; a `column` of JSON stands for its row."""
        place = 0
        while rows := self._sql.execute(
            f"SELECT {columns} FROM {table} ORDER BY {order} LIMIT ? OFFSET ?",  # noqa: S608 - our words
            ROWS_AT_ONCE,
            place,
        ):
            yield "".join(f"{_line(row, column)}\n" for row in rows)
            place += len(rows)


def _line(row: Row, column: str) -> str:
    return str(row[column]) if column else json.dumps(row, ensure_ascii=False)


def _as_json(result: Any) -> str:
    if isinstance(result, JsonText):
        return result
    told = result.model_dump(mode="json") if hasattr(result, "model_dump") else result
    return json.dumps(told, ensure_ascii=False, indent=1)
