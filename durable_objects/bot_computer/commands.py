"""The commands of one computer: slots, states, results. A command's id is chosen by its caller.

The same id again never starts a second command: it finds the first, running or ended. A row is
written before the machine is touched and gets its result once.
"""

from typing import Any

from contracts.allowance import Account
from contracts.errors import ErrorCode
from contracts.limits import COMMANDS_AT_ONCE, ROUTINE_COMMANDS_AT_ONCE
from contracts.reasons import because
from contracts.records import CommandResult, RunningCommand
from contracts.states import CommandState, Origin
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

COMMAND_SHOWN = 200
RESULTS_KEPT = 1_000
# Behind a command's own time, until it counts as lost.
GRACE_SECONDS = 30
UNFINISHED = (CommandState.ACCEPTED, CommandState.RUNNING)


class CommandBook:
    """`_open` mirrors the rows that are not finished; this object is the table's only writer."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql
        rows = self._sql.execute(
            "SELECT * FROM commands WHERE state IN (?, ?) ORDER BY accepted_ms, id", *UNFINISHED
        )
        self._open: dict[str, Row] = {row["id"]: row for row in rows}

    def unfinished(self) -> list[Row]:
        """Rows of the commands that were accepted or run, oldest first."""
        return list(self._open.values())

    def find(self, command_id: str) -> Row | None:
        """The row of a command that is not finished."""
        return self._open.get(command_id)

    def accept(self, command_id: str, command: str, timeout_s: int, origin: Origin, account: Account) -> None:
        """Take a slot for a command, once. Raises `computer_busy` with what is running."""
        if command_id in self._open:
            return
        self._check_slots(origin)
        row: Row = {
            "id": command_id,
            "state": CommandState.ACCEPTED,
            "origin": origin,
            "thread_id": account.thread_id,
            "account": account.model_dump_json(),
            "command": command,
            "timeout_s": timeout_s,
            "generation": 0,
            "accepted_ms": self._context.now_ms(),
            "started_ms": None,
            "stop_asked": 0,
        }
        self._sql.run(
            f"INSERT INTO commands ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",  # noqa: S608 - our names
            *row.values(),
        )
        self._open[command_id] = row

    def _check_slots(self, origin: Origin) -> None:
        running = self.unfinished()
        routines = sum(row["origin"] == Origin.ROUTINE for row in running)
        if len(running) < COMMANDS_AT_ONCE and not (
            origin == Origin.ROUTINE and routines >= ROUTINE_COMMANDS_AT_ONCE
        ):
            return
        raise because(
            ErrorCode.COMPUTER_BUSY,
            "commands_many",
            retry_after_s=5,
            details={"running": [shown(row).model_dump() for row in running]},
            count=len(running),
        )

    def start(self, command_id: str, generation: int) -> Row:
        """Note that a machine is about to run it, and return its row; the first start's time stays."""
        row = self._open.get(command_id)
        if row is None:
            raise because(ErrorCode.NOT_FOUND, "command_gone")
        row |= {
            "state": CommandState.RUNNING,
            "generation": generation,
            "started_ms": row["started_ms"] or self._context.now_ms(),
        }
        self._sql.run(
            "UPDATE commands SET state = ?, generation = ?, started_ms = ? WHERE id = ?",
            row["state"],
            generation,
            row["started_ms"],
            command_id,
        )
        return row

    def ask_stop(self, command_id: str) -> bool:
        """Note that a command is to end; False where it is not there, or over."""
        row = self._open.get(command_id)
        if row is None:
            return False
        if not row["stop_asked"]:
            row["stop_asked"] = 1
            self._sql.run("UPDATE commands SET stop_asked = 1 WHERE id = ?", command_id)
        return True

    def finish(self, result: CommandResult) -> CommandResult:
        """Store a result; the first one stays."""
        if self._open.pop(result.id, None) is None:
            return self.result(result.id) or result
        self._sql.run(
            "UPDATE commands SET state = ?, ended_ms = ?, result = ?, command = substr(command, 1, 200)"
            " WHERE id = ?",
            result.state,
            self._context.now_ms(),
            result.model_dump_json(),
            result.id,
        )
        return result

    def withdraw(self, command_id: str) -> None:
        """Forget a command that did not begin, so that its id may be tried again."""
        if self._open.pop(command_id, None):
            self._sql.run("DELETE FROM commands WHERE id = ?", command_id)

    def result(self, command_id: str) -> CommandResult | None:
        """How a command ended, where it has."""
        rows = self._sql.execute(
            "SELECT result FROM commands WHERE id = ? AND result IS NOT NULL", command_id
        )
        return CommandResult.model_validate_json(rows[0]["result"]) if rows else None

    def forget_old(self) -> None:
        """Drop the oldest results over the number that is kept."""
        self._sql.run(
            "DELETE FROM commands WHERE result IS NOT NULL AND id IN"
            " (SELECT id FROM commands ORDER BY accepted_ms DESC, id DESC LIMIT -1 OFFSET ?)",
            RESULTS_KEPT,
        )


def shown(row: Row) -> RunningCommand:
    return RunningCommand(
        id=row["id"],
        command=row["command"][:COMMAND_SHOWN],
        thread_id=row["thread_id"],
        origin=row["origin"],
        since_ms=row["started_ms"] or row["accepted_ms"],
    )


def stopped_before_it_began(row: Row) -> CommandResult:
    return CommandResult(id=row["id"], state=CommandState.STOPPED, duration_ms=0, output="")


def lost(row: Row, now_ms: int, output: str = "", receipts: list[Any] | None = None) -> CommandResult:
    """What is known of a command whose machine is gone: that its end is not known."""
    longest_ms = (row["timeout_s"] + GRACE_SECONDS) * 1000
    return CommandResult(
        id=row["id"],
        state=CommandState.LOST,
        # No command lasts longer, whatever the clock did meanwhile.
        duration_ms=min(max(0, now_ms - (row["started_ms"] or row["accepted_ms"])), longest_ms),
        output=output,
        egress=receipts or [],
    )
