"""Long texts of a model's calls, kept whole until their call has ended.

A row of a Durable Object holds 2 MB and a file that is written may have 5 MB, so a text lies in pieces, and
never more than one of them is in memory. The thread and the journal have its beginning; after the call the
text is in the computer.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.limits import CALL_TEXT_CHARACTERS
from durable_objects.bot_owner.plan import ToolCall
from durable_objects.shared.long_text import LongText
from durable_objects.shared.sql import Sql

TEXTS = {
    "computer__write_file": ("content",),
    "computer__edit_file": ("oldText", "newText"),
}


def shortened(tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, LongText]]:
    """The arguments with the texts of files cut to their beginning, and those texts whole."""
    texts = {name: _text(arguments.get(name)) for name in TEXTS.get(tool, ())}
    long = {name: text for name, text in texts.items() if text.characters > CALL_TEXT_CHARACTERS}
    return {**arguments, **{name: _beginning(text) for name, text in long.items()}}, long


def _text(value: Any) -> LongText:
    return value if isinstance(value, LongText) else LongText([value] if isinstance(value, str) else [])


def _beginning(text: LongText) -> str:
    return f"{text.beginning(CALL_TEXT_CHARACTERS)}\n[… the text has {text.characters:,} characters …]"


class CallTexts:
    """The rows behind them; changes belong inside a `record.write`."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def keep(self, call_id: str, texts: Mapping[str, LongText]) -> None:
        for name, text in texts.items():
            for number, piece in enumerate(text):
                self._sql.run(
                    "INSERT INTO call_texts (call_id, name, start, text) VALUES (?, ?, ?, ?)",
                    call_id,
                    name,
                    number,
                    piece,
                )

    def of(self, call: ToolCall, name: str) -> Iterator[str]:
        """An argument of the call as the model gave it, in pieces."""
        number = -1
        while rows := self._sql.execute(
            "SELECT start, text FROM call_texts WHERE call_id = ? AND name = ? AND start > ?"
            " ORDER BY start LIMIT 1",
            call.id,
            name,
            number,
        ):
            number = rows[0]["start"]
            yield rows[0]["text"]
        if number < 0:
            yield call.arguments[name]

    def forget(self, call_id: str) -> None:
        self._sql.run("DELETE FROM call_texts WHERE call_id = ?", call_id)

    def forget_run(self, run_id: str) -> None:
        """A run that has ended makes none of its calls any more."""
        self._sql.run(
            "DELETE FROM call_texts WHERE call_id IN (SELECT call_id FROM steps WHERE run_id = ?)", run_id
        )
