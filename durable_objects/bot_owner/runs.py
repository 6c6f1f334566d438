"""Runs and their journal: what is under way in a thread, step by step.

Each step is written down as `started` before it is done and as `done` with its result, in one
transaction with the events that show it. What comes next is read from it by `plan.py`.

Runs of a thread follow each other: the first that has not ended is the one at work, the others are
queued behind it. Of several threads, `RUNS_AT_ONCE` are at work, some of them for routines.
"""

import json
from collections.abc import Callable, Iterator
from typing import Literal

from contracts.errors import BerthError, ErrorCode, Problem
from contracts.limits import ROUTINE_RUNS_AT_ONCE, RUNS_AT_ONCE
from contracts.reasons import because
from contracts.records import OwnerQuestion, Run, Usage
from contracts.states import RUN_ENDED, Effort, Origin, RunState
from durable_objects.bot_owner.call_texts import CallTexts
from durable_objects.bot_owner.plan import AskModel, Prompt, ToolCall
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row
from telemetry.counters import count

StepState = Literal["started", "done"]


def run_record(row: Row) -> Run:
    return Run(
        id=row["id"],
        thread_id=row["thread_id"],
        state=RunState(row["state"]),
        routine_id=row["routine_id"],
        tainted=bool(row["tainted"]),
        taint=json.loads(row["taint"]),
        question=OwnerQuestion.model_validate_json(row["question"]) if row["question"] else None,
        rounds=row["rounds"],
        usage=Usage.model_validate_json(row["usage"]) if row["usage"] else None,
        error=Problem.model_validate_json(row["error"]) if row["error"] else None,
        reason=row["reason"],
        created_ms=row["created_ms"],
        updated_ms=row["updated_ms"],
    )


class RunJournal:
    """The rows behind `plan`. Every method that changes something belongs inside a `record.write`."""

    def __init__(self, context: Context, record: ThreadRecord) -> None:
        self._context = context
        self._sql = context.sql
        self._record = record
        self._texts = CallTexts(context.sql)
        self.ended: Callable[[Row], None] = lambda _run: None
        """Told of each run that ends, inside the write that ends it."""

    def text_of(self, call: ToolCall, name: str) -> Iterator[str]:
        """An argument of the call as the model gave it, in pieces."""
        return self._texts.of(call, name)

    def find(self, run_id: str) -> Row | None:
        rows = self._sql.execute("SELECT * FROM runs WHERE id = ?", run_id)
        return rows[0] if rows else None

    def row(self, run_id: str) -> Row:
        row = self.find(run_id)
        if row is None:
            raise because(ErrorCode.NOT_FOUND, "run_gone")
        return row

    def of_message(self, client_id: str) -> str | None:
        """The id of the run that a message was for, by its client's id."""
        rows = self._sql.execute("SELECT run_id FROM sent WHERE client_id = ?", client_id)
        return str(rows[0]["run_id"]) if rows else None

    def active(self, thread_id: str) -> Row | None:
        """The run that a thread is at: the first of those that have not ended."""
        rows = self.unfinished(thread_id)
        return rows[0] if rows else None

    def unfinished(self, thread_id: str) -> list[Row]:
        """The runs of a thread that have not ended, in their order."""
        return self._sql.execute(
            "SELECT * FROM unfinished_runs WHERE thread_id = ? ORDER BY created_ms, id", thread_id
        )

    def due(self) -> list[str]:
        """Ids of the runs that somebody has to drive now.

        Those under way go on, and the threads that have waited longest since their last run come next.
        """
        rows = self._sql.execute(
            "SELECT id, origin FROM runs AS run WHERE state IN (?, ?) AND NOT EXISTS ("
            " SELECT 1 FROM unfinished_runs WHERE thread_id = run.thread_id"
            "  AND (created_ms, id) < (run.created_ms, run.id))"
            " ORDER BY state = ?, (SELECT MAX(updated_ms) FROM runs WHERE thread_id = run.thread_id"
            "  AND id <> run.id), created_ms, id",
            RunState.QUEUED,
            RunState.RUNNING,
            RunState.QUEUED,
        )
        routines = [row["id"] for row in rows if row["origin"] == Origin.ROUTINE]
        kept_back = set(routines[ROUTINE_RUNS_AT_ONCE:])
        return [row["id"] for row in rows if row["id"] not in kept_back][:RUNS_AT_ONCE]

    def create(
        self,
        thread_id: str,
        bot_id: str,
        *,
        routine_id: str | None = None,
        rounds: int | None = None,
        model: str | None = None,
        effort: Effort | None = None,
    ) -> Row:
        """A new run, queued behind those of its thread. It is shown when it begins, or where it must wait.

        `model` and `effort` are those of its message, where they are not the bot's.
        """
        now = self._context.now_ms()
        row: Row = {
            "id": self._context.new_id("run"),
            "thread_id": thread_id,
            "bot_id": bot_id,
            "state": RunState.QUEUED,
            "origin": Origin.ROUTINE if routine_id else Origin.CHAT,
            "routine_id": routine_id,
            "tainted": 0,
            "taint": "[]",
            "used_tools": 0,
            "verified": 0,
            "question": None,
            "rounds": 0,
            "round_limit": rounds or self._rounds(bot_id),
            "stop_asked": 0,
            "until_ms": None,
            "over": None,
            "model": model,
            "effort": effort,
            "usage": None,
            "error": None,
            "reason": None,
            "created_ms": self._behind_all(thread_id, now),
            "updated_ms": now,
        }
        self._sql.run(
            f"INSERT INTO runs ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})",  # noqa: S608 - our names
            *row.values(),
        )
        return row

    def _behind_all(self, thread_id: str, now: int) -> int:
        """The time, or later: two in one millisecond, or after a clock went back, keep their order by it."""
        newest = self._sql.execute("SELECT MAX(created_ms) AS ms FROM runs WHERE thread_id = ?", thread_id)
        return max(now, (newest[0]["ms"] or 0) + 1)

    def _rounds(self, bot_id: str) -> int:
        rows = self._sql.execute("SELECT rounds FROM bots WHERE id = ?", bot_id)
        return int(rows[0]["rounds"])

    def show(self, row: Row) -> None:
        self._record.append(row["thread_id"], "run.status", run_record(row))

    def reached(self, run: Row, *, model: str | None = None, effort: Effort | None = None) -> Row:
        """A new message reached the run: it has new rounds, and one that waits for input goes on.

        A model or an effort that the message names holds from the next answer on.
        """
        self._sql.run(
            "UPDATE runs SET round_limit = ?, verified = 0, model = COALESCE(?, model),"
            " effort = COALESCE(?, effort) WHERE id = ?",
            run["rounds"] + self._rounds(run["bot_id"]),
            model,
            effort,
            run["id"],
        )
        waits = run["state"] == RunState.WAITING_INPUT
        return self.move(run["id"], RunState.QUEUED) if waits else self.row(run["id"])

    def move(
        self,
        run_id: str,
        state: RunState,
        *,
        reason: str | None = None,
        error: BerthError | None = None,
        question: OwnerQuestion | None = None,
    ) -> Row:
        """Set the run's state and show it in the thread. A run that has ended stays as it is."""
        rows = self._sql.execute(
            "UPDATE runs SET state = ?, reason = ?, error = ?, question = ?, updated_ms = ?,"
            # Who goes on after waiting for a person has its minutes anew.
            " until_ms = CASE WHEN state LIKE 'waiting%' THEN NULL ELSE until_ms END"
            " WHERE id IN (SELECT id FROM unfinished_runs WHERE id = ?) RETURNING *",
            state,
            reason,
            json.dumps(error.as_dict()) if error else None,
            question.model_dump_json() if question else None,
            self._context.now_ms(),
            run_id,
        )
        if not rows:
            return self.row(run_id)
        if state in RUN_ENDED:
            self._texts.forget_run(run_id)
            count("runs", state=state, origin=rows[0]["origin"], code=error.code if error else None)
            self.ended(rows[0])
        if self._record.kept(rows[0]["thread_id"]):
            self.show(rows[0])
        return rows[0]

    def ask_stop(self, run_id: str) -> Row:
        self._sql.run("UPDATE runs SET stop_asked = 1 WHERE id = ?", run_id)
        return self.row(run_id)

    def now(self, run_id: str) -> tuple[Row, int]:
        """The run's row, and the seq of the newest message to it."""
        rows = self._sql.execute(
            "SELECT *, (SELECT MAX(seq) FROM sent WHERE run_id = runs.id) AS newest_seq"
            " FROM runs WHERE id = ?",
            run_id,
        )
        return rows[0], int(rows[0].pop("newest_seq") or 0)

    def last_round(self, run_id: str) -> list[Row]:
        """The steps of the run's newest round. Who drives the run keeps them: nobody else changes them."""
        return self._sql.execute(
            "SELECT * FROM steps WHERE run_id = ?1"
            " AND round = (SELECT MAX(round) FROM steps WHERE run_id = ?1) ORDER BY n",
            run_id,
        )

    def start_answer(self, run: Row, step: AskModel, seen_seq: int) -> list[Row]:
        """Write down that a model is asked; returns the steps of the round, which begins with this one."""
        answer: Row = {
            "run_id": run["id"],
            "round": step.round,
            "n": 0,
            "state": "started",
            "attempt": step.attempt,
            "after_seq": step.after_seq,
            "seen_seq": seen_seq,
            "prompt": step.prompt or "",
            "said": 0,
        }
        self._insert_step(answer)
        now = self._context.now_ms()
        running = run | {"state": RunState.RUNNING, "rounds": step.round, "updated_ms": now, "reason": None}
        self._sql.run(
            "UPDATE runs SET state = ?, rounds = ?, reason = NULL, verified = MAX(verified, ?),"
            " updated_ms = ? WHERE id = ?",
            RunState.RUNNING,
            step.round,
            int(step.prompt is Prompt.VERIFY),
            now,
            run["id"],
        )
        if run["state"] == RunState.QUEUED:
            self.show(running)
        return [answer]

    def _insert_step(self, step: Row) -> None:
        self._sql.run(
            f"INSERT OR REPLACE INTO steps ({', '.join(step)})"  # noqa: S608 - our names
            f" VALUES ({', '.join('?' * len(step))})",
            *step.values(),
        )

    def kept(self, key: tuple[str, int]) -> str:
        """What the answer of (run id, round) left for its provider to see again, see `models/kept.py`."""
        rows = self._sql.execute("SELECT kept FROM steps WHERE run_id = ? AND round = ? AND n = 0", *key)
        return str(rows[0]["kept"] or "") if rows else ""

    def kept_size(self, key: tuple[str, int]) -> int:
        """How many bytes that has, without reading it."""
        rows = self._sql.execute(
            "SELECT LENGTH(CAST(kept AS BLOB)) AS size FROM steps WHERE run_id = ? AND round = ? AND n = 0",
            *key,
        )
        return int(rows[0]["size"] or 0) if rows else 0

    def spend(self, run_id: str, usage: Usage | None) -> None:
        """Add the tokens of an answer, where its provider said them, to those of its run."""
        if usage is None:
            return
        rows = self._sql.execute("SELECT usage FROM runs WHERE id = ?", run_id)
        before = Usage.model_validate_json(rows[0]["usage"] or "{}")
        sums = {name: value + getattr(usage, name) for name, value in before.model_dump().items()}
        self._sql.run("UPDATE runs SET usage = ? WHERE id = ?", json.dumps(sums), run_id)

    def finish_answer(
        self, steps: list[Row], said: int, calls: list[ToolCall], usage: Usage | None = None, kept: str = ""
    ) -> None:
        """The answer is complete, with `said` characters; its calls become the round's further steps."""
        answer = steps[0]
        self.spend(answer["run_id"], usage)
        self._sql.run(
            "UPDATE steps SET state = 'done', said = ?, usage = ?, kept = ?"
            " WHERE run_id = ? AND round = ? AND n = 0",
            said,
            usage.model_dump_json() if usage else None,
            kept or None,
            answer["run_id"],
            answer["round"],
        )
        answer |= {"state": "done", "said": said}
        for n, call in enumerate(calls, start=1):
            step: Row = {
                "run_id": answer["run_id"],
                "round": answer["round"],
                "n": n,
                "state": "planned",
                "call_id": call.id,
                "tool": call.tool,
                "arguments": json.dumps(call.arguments, ensure_ascii=False),
            }
            self._insert_step(step)
            self._texts.keep(call.id, call.whole)
            steps.append(step)

    def set_call(self, steps: list[Row], call_id: str, state: StepState) -> None:
        self._sql.run("UPDATE steps SET state = ? WHERE call_id = ?", state, call_id)
        if state == "done":
            self._texts.forget(call_id)
        for step in steps[1:]:
            if step["call_id"] == call_id:
                step["state"] = state

    def call(self, step: Row) -> ToolCall:
        """The call of a step as it is shown."""
        return ToolCall(step["call_id"], step["tool"], json.loads(step["arguments"]))

    def note_tools(self, run_id: str) -> None:
        """The run has used a tool: what it claims in the end can be looked at."""
        self._sql.run("UPDATE runs SET used_tools = 1 WHERE id = ?", run_id)

    def threads_at_work(self) -> list[str]:
        """Threads of runs with a call under way."""
        rows = self._sql.execute(
            "SELECT DISTINCT runs.thread_id FROM steps JOIN runs ON runs.id = steps.run_id"
            " WHERE steps.n > 0 AND steps.state = 'started'"
        )
        return [row["thread_id"] for row in rows]

    def last_thread_with_calls(self) -> list[str]:
        """The thread whose run used a tool last, if any did."""
        rows = self._sql.execute(
            "SELECT thread_id FROM runs WHERE used_tools = 1 ORDER BY updated_ms DESC, id DESC LIMIT 1"
        )
        return [row["thread_id"] for row in rows]

    def call_of(self, call_id: str) -> Row:
        """The step row of a tool call with its run's state."""
        rows = self._sql.execute(
            "SELECT steps.*, runs.thread_id FROM steps JOIN runs ON runs.id = steps.run_id WHERE call_id = ?",
            call_id,
        )
        if not rows:
            raise because(ErrorCode.NOT_FOUND, "command_gone")
        return rows[0]
