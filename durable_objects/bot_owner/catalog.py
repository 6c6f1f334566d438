"""Bots and threads: what an owner has, and its few settings.

A deleted bot or thread is marked and disappears from every answer; its id then reads as one that
never was.
"""

import json
from typing import Literal

from contracts.api import BotChange, BotCreate, ModelChoice, ThreadCreate
from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.records import Bot, ModelSettings, Thread
from contracts.states import REMOTE, WITH_MODELS, Provider
from durable_objects.bot_owner.runs import run_record
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row, Value

TitleBy = Literal["message", "model", "person"]
# The columns of a bot's model; whoever names another provider or address names a key of its own.
MODEL = ("provider", "base_url", "model", "api_key", "effort", "temperature", "recording")


class Catalog:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._sql = context.sql

    def setting(self, name: str, default: str) -> str:
        rows = self._sql.execute("SELECT value FROM settings WHERE name = ?", name)
        return str(rows[0]["value"]) if rows else default

    def set_setting(self, name: str, value: str) -> None:
        self._sql.run("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", name, value)

    def bots(self) -> list[Bot]:
        rows = self._sql.execute("SELECT * FROM bots WHERE deleted = 0 ORDER BY created_ms, id")
        return [_bot(row) for row in rows]

    def bot_row(self, bot_id: str) -> Row:
        rows = self._sql.execute("SELECT * FROM bots WHERE id = ? AND deleted = 0", bot_id)
        if not rows:
            raise because(ErrorCode.NOT_FOUND, "bot_gone")
        return rows[0]

    def has_models(self, bot_id: str) -> bool:
        """Whether a message to this bot may name another model or effort than the bot's."""
        return Provider(self.bot_row(bot_id)["provider"]) in WITH_MODELS

    def new_bot_id(self) -> str:
        return self._context.new_id("bot")

    def create_bot(self, wanted: BotCreate, sealed_key: str | None = None, bot_id: str | None = None) -> Bot:
        """Store a bot. Its key comes sealed for `bot_id`; None where there is none."""
        bot: dict[str, Value] = {
            "id": bot_id or self.new_bot_id(),
            "name": wanted.name,
            "instructions": wanted.instructions,
            "rounds": wanted.rounds,
            **_model_columns(wanted.model, sealed_key, {}),
            "created_ms": self._context.now_ms(),
        }
        self._sql.run(
            f"INSERT INTO bots ({', '.join(bot)}) VALUES ({', '.join('?' * len(bot))})",  # noqa: S608 - our names
            *bot.values(),
        )
        return _bot(self.bot_row(str(bot["id"])))

    def change_bot(self, bot_id: str, change: BotChange, sealed_key: str | None = None) -> Bot:
        """Change what is named. A key comes sealed for the address of `change`; empty, it is removed."""
        row = self.bot_row(bot_id)
        given = change.model_dump(include={"name", "instructions", "rounds"}, exclude_none=True)
        if change.model is not None:
            given |= _model_columns(change.model, sealed_key, row)
        if given:
            columns = ", ".join(f"{name} = ?" for name in given)
            self._sql.run(f"UPDATE bots SET {columns} WHERE id = ?", *given.values(), bot_id)  # noqa: S608 - ours
        return _bot(self.bot_row(bot_id))

    def delete_bot(self, bot_id: str) -> None:
        self.bot_row(bot_id)
        self._sql.run("UPDATE bots SET deleted = 1, api_key = '' WHERE id = ?", bot_id)

    def threads(self) -> list[Thread]:
        rows = self._sql.execute("SELECT * FROM threads WHERE deleted = 0 ORDER BY updated_ms DESC, id DESC")
        runs = self._sql.execute("SELECT * FROM shown_runs")
        run_of = {row["thread_id"]: row for row in runs}
        return [_thread(row, run_of.get(row["id"])) for row in rows]

    def thread(self, thread_id: str) -> Thread:
        rows = self._sql.execute("SELECT * FROM threads WHERE id = ? AND deleted = 0", thread_id)
        if not rows:
            raise because(ErrorCode.NOT_FOUND, "thread_gone")
        runs = self._sql.execute("SELECT * FROM shown_runs WHERE thread_id = ?", thread_id)
        return _thread(rows[0], runs[0] if runs else None)

    def place(self, thread_id: str) -> tuple[str, str]:
        """(bot id, title) of a thread. Raises `not_found`."""
        rows = self._sql.execute("SELECT bot_id, title FROM threads WHERE id = ? AND deleted = 0", thread_id)
        if not rows:
            raise because(ErrorCode.NOT_FOUND, "thread_gone")
        return rows[0]["bot_id"], rows[0]["title"]

    def create_thread(self, wanted: ThreadCreate, routine_id: str | None = None) -> Thread:
        self.bot_row(wanted.bot_id)
        thread_id, now = self._context.new_id("thr"), self._context.now_ms()
        self._sql.run(
            "INSERT INTO threads (id, bot_id, title, created_ms, updated_ms, routine_id)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            thread_id,
            wanted.bot_id,
            wanted.title,
            now,
            now,
            routine_id,
        )
        return self.thread(thread_id)

    def create_branch(self, thread_id: str) -> str:
        """A thread beside another one, as tainted as that; returns its id. Its beginning is to be copied."""
        branch_id, now = self._context.new_id("thr"), self._context.now_ms()
        self._sql.run(
            "INSERT INTO threads (id, bot_id, title, title_by, created_ms, updated_ms, branch_of, tainted_by)"
            " SELECT ?, bot_id, title, title_by, ?, ?, id, tainted_by FROM threads WHERE id = ?",
            branch_id,
            now,
            now,
            thread_id,
        )
        return branch_id

    def name_thread(self, thread_id: str, title: str, *, by: TitleBy) -> bool:
        """Title a thread; False where it is not there, or a model is too late for a person's own title."""
        replaced = "" if by == "person" else " AND (title = '' OR title_by = 'message')"
        rows = self._sql.execute(
            f"UPDATE threads SET title = ?, title_by = ? WHERE id = ? AND deleted = 0{replaced}"  # noqa: S608 - ours
            " RETURNING id",
            title,
            by,
            thread_id,
        )
        return bool(rows)


def _model_columns(wanted: ModelChoice, sealed_key: str | None, kept: Row) -> dict[str, Value]:
    """The columns `MODEL`. What its provider has no use for is not stored, and so cannot come back."""
    columns: dict[str, Value] = dict.fromkeys(MODEL, None) | {"base_url": "", "model": "", "api_key": ""}
    columns["provider"] = wanted.provider
    if wanted.provider == Provider.MANUAL:
        return columns
    if wanted.provider == Provider.SCRIPTED:
        return columns | {"recording": _recording(wanted, kept)}
    if not wanted.model:
        raise because(ErrorCode.INVALID_REQUEST, "model_name_missing")
    if wanted.provider == Provider.ANTHROPIC and (wanted.temperature or 0) > 1:
        raise because(ErrorCode.INVALID_REQUEST, "temperature_wrong")
    columns |= {"model": wanted.model, "effort": wanted.effort, "temperature": wanted.temperature}
    if wanted.provider in REMOTE:
        columns |= {"base_url": wanted.base_url, "api_key": _key(wanted, sealed_key, kept)}
    return columns


def _key(wanted: ModelChoice, sealed_key: str | None, kept: Row) -> str:
    """A key that is left out stays, but for the same provider and address only."""
    if sealed_key is not None:
        return sealed_key
    same = (kept.get("provider"), kept.get("base_url")) == (wanted.provider, wanted.base_url)
    return str(kept["api_key"]) if same else ""


def _recording(wanted: ModelChoice, kept: Row) -> str:
    if wanted.recording is not None:
        return json.dumps([answer.model_dump() for answer in wanted.recording], ensure_ascii=False)
    if not kept.get("recording"):
        raise because(ErrorCode.INVALID_REQUEST, "recording_missing")
    return str(kept["recording"])


def _bot(row: Row) -> Bot:
    model = ModelSettings(
        provider=row["provider"],
        base_url=row["base_url"],
        model=row["model"],
        effort=row["effort"],
        temperature=row["temperature"],
        has_key=bool(row["api_key"]),
    )
    return Bot(
        id=row["id"],
        name=row["name"],
        instructions=row["instructions"],
        rounds=row["rounds"],
        model=model,
        created_ms=row["created_ms"],
    )


def _thread(row: Row, run: Row | None) -> Thread:
    return Thread(
        id=row["id"],
        bot_id=row["bot_id"],
        title=row["title"],
        created_ms=row["created_ms"],
        updated_ms=row["updated_ms"],
        head_seq=row["head_seq"],
        branch_of=row["branch_of"],
        routine_id=row["routine_id"],
        run=run_record(run) if run else None,
    )
