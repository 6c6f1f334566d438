"""The commands of all threads in one list, newest first: where each stands in its thread's record.

What happened is in the events alone; a row here only says at which `seq` a command began and ended. A branch
shows copies of events, and no command of its own for them.
"""

import json

from contracts.api import CommandPage
from contracts.errors import BerthError, ErrorCode, Problem
from contracts.limits import COMMAND_SHOWN_CHARACTERS
from contracts.reasons import because
from contracts.records import CommandResult, Record, ShownCommand
from durable_objects.shared.sql import Row, Sql

EXEC = "computer__exec"

COMMANDS_SCHEMA: tuple[str, ...] = (
    """CREATE TABLE shown_commands (
        id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, run_id TEXT NOT NULL, started_ms INTEGER NOT NULL,
        started_seq INTEGER NOT NULL, finished_seq INTEGER) WITHOUT ROWID""",
    "CREATE INDEX shown_commands_by_time ON shown_commands (started_ms, id)",
    # Of a command that branches show too, the thread that it ran in comes first.
    """INSERT OR IGNORE INTO shown_commands
        SELECT data ->> '$.tool_call_id', thread_id, data ->> '$.run_id', at_ms, seq, NULL FROM events
        WHERE type = 'tool.started' AND data ->> '$.tool' = 'computer__exec'
        ORDER BY (SELECT branch_of IS NOT NULL FROM threads WHERE id = thread_id)""",
    """UPDATE shown_commands SET finished_seq = ended.seq FROM (
        SELECT data ->> '$.tool_call_id' AS id, thread_id, seq FROM events
        WHERE type = 'tool.finished' AND data ->> '$.tool' = 'computer__exec') AS ended
        WHERE ended.id = shown_commands.id AND ended.thread_id = shown_commands.thread_id""",
)

_SHOWN = """
    SELECT shown.id, shown.thread_id, title, started_ms, start.data AS start, finish.data AS finish,
        NOT EXISTS (SELECT 1 FROM unfinished_runs WHERE id = shown.run_id) AS over
    FROM shown_commands AS shown
    JOIN threads ON threads.id = shown.thread_id AND deleted = 0
    JOIN events AS start ON start.thread_id = shown.thread_id AND start.seq = started_seq
    LEFT JOIN events AS finish ON finish.thread_id = shown.thread_id AND finish.seq = finished_seq
"""
# A command may have 400,000 characters and its output 16,000: a list leaves them where they are.
_SHORT = f"""
    SELECT id, thread_id, title, started_ms, over,
        json_object('arguments', json_object('command',
            substr(start ->> '$.arguments.command', 1, {COMMAND_SHOWN_CHARACTERS}))) AS start,
        CASE WHEN finish IS NOT NULL THEN json_object('finished_ms', finish -> '$.finished_ms',
            'error', finish -> '$.error', 'command', json_replace(finish -> '$.command', '$.output', ''))
        END AS finish
    FROM ({_SHOWN}"""  # noqa: S608 - our names


class CommandHistory:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def note(self, thread_id: str, seq: int, at_ms: int, data: Record) -> None:
        """An event of a call was appended, inside the write that appends it."""
        about = data.model_dump(include={"tool", "tool_call_id", "run_id", "started_ms"})
        if about["tool"] != EXEC:
            return
        if "started_ms" in about:
            self._sql.run(
                "INSERT OR IGNORE INTO shown_commands VALUES (?, ?, ?, ?, ?, NULL)",
                about["tool_call_id"],
                thread_id,
                about["run_id"],
                at_ms,
                seq,
            )
        else:
            self._sql.run(
                "UPDATE shown_commands SET finished_seq = ? WHERE id = ?", seq, about["tool_call_id"]
            )

    def page(self, before: str | None, limit: int) -> CommandPage:
        """The newest commands that began before another. Raises `not_found` where that one is not there."""
        at_ms, before_id = self._place(before) if before else (2**52, "")
        rows = self._sql.execute(
            f"{_SHORT} WHERE (started_ms, shown.id) < (?, ?)"
            " ORDER BY started_ms DESC, shown.id DESC LIMIT ?) ORDER BY started_ms DESC, id DESC",
            at_ms,
            before_id,
            limit + 1,
        )
        return CommandPage(items=[_shown(row) for row in rows[:limit]], more=len(rows) > limit)

    def one(self, command_id: str) -> ShownCommand:
        """A command whole, with what is kept of its output. Raises `not_found`."""
        rows = self._sql.execute(f"{_SHOWN} WHERE shown.id = ?", command_id)
        if not rows:
            raise _missing()
        return _shown(rows[0])

    def _place(self, command_id: str) -> tuple[int, str]:
        rows = self._sql.execute("SELECT started_ms FROM shown_commands WHERE id = ?", command_id)
        if not rows:
            raise _missing()
        return rows[0]["started_ms"], command_id


def _missing() -> BerthError:
    return because(ErrorCode.NOT_FOUND, "command_gone")


def _shown(row: Row) -> ShownCommand:
    command = json.loads(row["start"])["arguments"].get("command")
    finish = json.loads(row["finish"]) if row["finish"] else {}
    result, error = finish.get("command"), finish.get("error")
    return ShownCommand(
        id=row["id"],
        thread_id=row["thread_id"],
        title=row["title"],
        # What a model gave may be no text; such a call was refused.
        command=command if isinstance(command, str) else "",
        started_ms=row["started_ms"],
        finished_ms=finish.get("finished_ms"),
        over=bool(row["over"]),
        result=CommandResult.model_validate(result) if result else None,
        error=Problem.model_validate(error) if error else None,
    )
