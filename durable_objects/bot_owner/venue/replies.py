"""What the venue answered to an action, line by line. A shape we do not know is an outcome we do not know."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from durable_objects.bot_owner.venue.numbers import number
from durable_objects.bot_owner.venue.protocol import Reply, Unsure
from durable_objects.shared.json_text import loads


@dataclass(frozen=True)
class LineReply:
    state: Literal["resting", "filled", "cancelled", "rejected", "unknown"]
    filled: str = "0"
    average: str = ""
    error: str = ""


# Of what the venue says, for people.
WORDS_MAX = 500
UNKNOWN = LineReply("unknown")
# Sent twice: the first one has landed, so this answer says nothing about it.
DUPLICATE = "Invalid nonce: duplicate nonce"


def read(reply: Reply, lines: int, kind: Literal["place", "cancel"]) -> Sequence[LineReply]:
    """One reply a line, in order. Raises Unsure where the answer does not tell."""
    if 400 <= reply.status < 500 and reply.status != 408:
        return [LineReply("rejected", error=f"HTTP {reply.status}")] * lines
    if reply.status != 200:
        raise Unsure(f"HTTP {reply.status}")
    try:
        body = loads(reply.text)
    except ValueError as error:
        raise Unsure("the answer is not JSON") from error
    match body:
        case {"status": "err", "response": str(words)} if not words.startswith(DUPLICATE):
            return [LineReply("rejected", error=words[:WORDS_MAX])] * lines
        case {"status": "ok", "response": {"data": {"statuses": [{"error": str(words)}]}}}:
            # Checked before the orders one by one: a single error stands for all of them.
            return [LineReply("rejected", error=words[:WORDS_MAX])] * lines
        case {"status": "ok", "response": {"data": {"statuses": list(statuses)}}} if len(statuses) == lines:
            return [_line(status, kind) for status in statuses]
        case _:
            raise Unsure("the answer has no known shape")


def _line(status: Any, kind: Literal["place", "cancel"]) -> LineReply:
    match kind, status:
        case _, {"error": str(words)}:
            return LineReply("rejected", error=words[:WORDS_MAX])
        case "cancel", "success":
            return LineReply("cancelled")
        case "place", {"resting": {"oid": int()}} | "waitingForFill" | "waitingForTrigger":
            return LineReply("resting")
        case "place", {"filled": {"totalSz": str(size), "avgPx": str(price)}}:
            return LineReply("filled", size, price) if _numbers(size, price) else UNKNOWN
        case _:
            return UNKNOWN


def fences(reply: Reply) -> bool:
    """Whether a noop has taken its nonce, so that no other action with it can take effect any more."""
    try:
        body = loads(reply.text) if reply.status == 200 else None
    except ValueError:
        return False
    return (
        isinstance(body, dict) and body.get("status") == "ok" and body.get("response") == {"type": "default"}
    )


def _numbers(*texts: str) -> bool:
    try:
        return all(number(text) > 0 for text in texts)
    except ValueError:
        return False
