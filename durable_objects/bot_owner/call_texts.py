"""Long texts of a model's calls, kept whole until their call has ended.

A row of a Durable Object holds 2 MB and a file that is written may have 5 MB, so a text lies in pieces. The
thread and the journal have its beginning; after the call the text is in the computer.
"""

from typing import Any

from contracts.limits import CALL_TEXT_CHARACTERS
from durable_objects.shared.sql import Sql

# Four bytes a character at most.
PIECE_CHARACTERS = 400_000
TEXTS = {
    "computer__write_file": ("content",),
    "computer__edit_file": ("oldText", "newText"),
}


def shortened(tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """The arguments with the texts of files cut to their beginning, and those texts whole."""
    long = {
        name: text
        for name in TEXTS.get(tool, ())
        if isinstance(text := arguments.get(name), str) and len(text) > CALL_TEXT_CHARACTERS
    }
    return {**arguments, **{name: _beginning(text) for name, text in long.items()}}, long


def _beginning(text: str) -> str:
    return f"{text[:CALL_TEXT_CHARACTERS]}\n[… the text has {len(text):,} characters …]"


class CallTexts:
    """The rows behind them; changes belong inside a `record.write`."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def keep(self, call_id: str, texts: dict[str, str]) -> None:
        for name, text in texts.items():
            for start in range(0, len(text), PIECE_CHARACTERS):
                self._sql.run(
                    "INSERT INTO call_texts (call_id, name, start, text) VALUES (?, ?, ?, ?)",
                    call_id,
                    name,
                    start,
                    text[start : start + PIECE_CHARACTERS],
                )

    def of(self, call_id: str) -> dict[str, str]:
        pieces: dict[str, list[str]] = {}
        rows = self._sql.execute(
            "SELECT name, text FROM call_texts WHERE call_id = ? ORDER BY name, start", call_id
        )
        for row in rows:
            pieces.setdefault(row["name"], []).append(row["text"])
        return {name: "".join(parts) for name, parts in pieces.items()}

    def forget(self, call_id: str) -> None:
        self._sql.run("DELETE FROM call_texts WHERE call_id = ?", call_id)

    def forget_run(self, run_id: str) -> None:
        """A run that has ended makes none of its calls any more."""
        self._sql.run(
            "DELETE FROM call_texts WHERE call_id IN (SELECT call_id FROM steps WHERE run_id = ?)", run_id
        )
