"""A thread as a file for its person, piece by piece: Markdown to read, or JSON with every event.

Nothing of a thread is trusted to be Markdown: what was said, called and answered stands in fences that are
longer than any run of backticks in it, and what is not fenced is Berth's own. An export ends with a line that
says so; one that lacks it broke off. What is past `EXPORT_BYTES_MAX` is left out, and that line says it.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Literal

from contracts.errors import ErrorCode
from contracts.limits import EXPORT_BYTES_MAX
from contracts.reasons import because
from contracts.records import Thread
from contracts.states import Locale, RunState
from durable_objects.bot_owner.branches import BRANCHED
from durable_objects.bot_owner.envelope import visible
from durable_objects.bot_owner.record import event_text
from durable_objects.shared.sql import Row

Kind = Literal["markdown", "json"]
MEDIA_TYPES: Mapping[str, str] = {"markdown": "text/markdown; charset=utf-8", "json": "application/json"}
ENDINGS: Mapping[str, str] = {"markdown": "md", "json": "json"}

_WORDS: Mapping[str, Mapping[str, str]] = {
    Locale.ENGLISH: {
        "you": "You",
        "attached": "Attached",
        "call": "Call",
        "result": "Result",
        "failed": "Failed",
        "exported": "Exported",
        "order": "Order",
        "stopped": "The run was stopped.",
        "run_failed": "The run failed",
        "end": "End of the export.",
        "cut": "The export ends here: the thread is longer than an export may be.",
    },
    Locale.SIMPLIFIED_CHINESE: {
        "you": "你",
        "attached": "附件",
        "call": "调用",
        "result": "结果",
        "failed": "失败",
        "exported": "导出的文件",
        "order": "订单",
        "stopped": "运行已停止。",
        "run_failed": "运行失败",
        "end": "导出完毕。",
        "cut": "导出到此为止：对话超过了导出的上限。",  # noqa: RUF001 - Chinese punctuation is meant
    },
    Locale.TRADITIONAL_CHINESE: {
        "you": "你",
        "attached": "附件",
        "call": "呼叫",
        "result": "結果",
        "failed": "失敗",
        "exported": "匯出的檔案",
        "order": "訂單",
        "stopped": "執行已停止。",
        "run_failed": "執行失敗",
        "end": "匯出完畢。",
        "cut": "匯出到此為止：對話超過了匯出的上限。",  # noqa: RUF001 - Chinese punctuation is meant
    },
}
_TICKS = re.compile(r"`+")


def fenced(text: str, language: str = "") -> str:
    """The text as a block that it cannot end by itself."""
    ticks = "`" * max(3, 1 + max((len(run) for run in _TICKS.findall(text)), default=0))
    shown = visible(text)
    return f"{ticks}{language}\n{shown}{'' if shown.endswith(chr(10)) else chr(10)}{ticks}\n"


def pieces(
    kind: Kind, thread: Thread, bot: str, locale: str, rows: Iterable[Row], limit: int = EXPORT_BYTES_MAX
) -> Iterator[str]:
    """The export as texts, in order; `rows` are the thread's events, and few are in memory at once.

    At most `limit` bytes of events, and what stands around them. Raises `not_found` where `rows` end before
    the thread does: it was removed meanwhile, and what there is of it is not to look whole.
    """
    size, cut, first, seq = 0, False, True, 0
    yield _json_head(thread, bot) if kind == "json" else f"# {thread.id}\n\n{fenced(thread.title)}\n"
    for row in rows:
        piece = event_text(row) if kind == "json" else _told(row, bot, _WORDS[locale])
        size += len(piece.encode("utf-8", "replace"))
        if size > limit:
            cut = True
            break
        if piece:
            yield piece if kind == "markdown" else ("" if first else ",\n") + piece
            first = False
        seq = row["seq"]
    if seq < thread.head_seq and not cut:
        raise because(ErrorCode.NOT_FOUND, "thread_deleted_meanwhile")
    if kind == "json":
        yield f'\n],"complete":{json.dumps(not cut)}}}\n'
    else:
        yield f"---\n\n{_WORDS[locale]['cut' if cut else 'end']}\n"


def _json_head(thread: Thread, bot: str) -> str:
    about = {"format": "berth.thread", "version": 1, "bot": bot, "thread": thread.model_dump(mode="json")}
    return json.dumps(about, ensure_ascii=False)[:-1] + ',"events":[\n'


def _told(row: Row, bot: str, words: Mapping[str, str]) -> str:
    tell = _TELLERS.get(row["type"])
    return tell(json.loads(row["data"]), bot, words) if tell else ""


def _message(data: dict[str, Any], bot: str, words: Mapping[str, str]) -> str:
    who = words["you"] if data["role"] == "user" else _name(bot)
    parts = [f"## {who}, {_time(data['created_ms'])}\n"]
    if data["text"]:
        parts.append(fenced(data["text"], "markdown"))
    parts += [f"- {words['attached']}: {_name(one['name'])}\n" for one in data["uploads"]]
    return "\n".join(parts) + "\n"


def _started(data: dict[str, Any], _bot: str, words: Mapping[str, str]) -> str:
    arguments = json.dumps(data["arguments"], ensure_ascii=False, indent=1)
    return f"### {words['call']}: {_name(data['tool'])}\n\n{fenced(arguments, 'json')}\n"


def _finished(data: dict[str, Any], _bot: str, words: Mapping[str, str]) -> str:
    text = data["text"] or ((data.get("error") or {}).get("message") or "")
    head = words["result"] if data["ok"] else words["failed"]
    return f"#### {head}\n\n{fenced(text, 'text')}\n" if text or not data["ok"] else ""


def _run(data: dict[str, Any], _bot: str, words: Mapping[str, str]) -> str:
    """How a run ended, where nothing else in the thread says it."""
    if data["state"] == RunState.FAILED:
        why = (data.get("error") or {}).get("message") or data.get("reason") or ""
        return f"### {words['run_failed']}\n\n{fenced(why, 'text')}\n"
    stopped = data["state"] == RunState.STOPPED and data.get("reason") != BRANCHED
    return f"- {words['stopped']}\n\n" if stopped else ""


def _artifact(data: dict[str, Any], _bot: str, words: Mapping[str, str]) -> str:
    return f"- {words['exported']}: {_name(data['name'])}, {data['size']} B, SHA-256 `{data['sha256']}`\n\n"


def _intent(data: dict[str, Any], _bot: str, words: Mapping[str, str]) -> str:
    return f"### {words['order']}\n\n{fenced(json.dumps(data, ensure_ascii=False, indent=1), 'json')}\n"


_TELLERS: Mapping[str, Callable[[dict[str, Any], str, Mapping[str, str]], str]] = {
    "message.created": _message,
    "tool.started": _started,
    "tool.finished": _finished,
    "run.status": _run,
    "artifact.created": _artifact,
    "approval.decided": _intent,
    "intent.updated": _intent,
}


def _name(text: str) -> str:
    """A name on one line, as code: it can hold no mark of its own."""
    line = visible(" ".join(text.split())).replace("`", "'")
    return f"`{line}`" if line else "``"


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
