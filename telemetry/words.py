"""What may stand in a log line, a span or a counter beside our own sentences: numbers and plain words.

A word is an id, a name of our own lists, or a host. It has no spaces and is short, so that no sentence, path
of a file or command gets through whole by mistake; an exception is told by its type, its code and where it
was raised, never by its text, for that may quote anything.
"""

import re
from traceback import extract_tb
from typing import Any

WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:{}-]{0,79}")
FRAMES = 12


class Ours(str):
    """A text that stands in our sources as it is, such as a route. Never make one of what somebody sent."""

    __slots__ = ()


def word(value: object) -> str | int | float | bool | None:
    """The value where it is one that may be told, else `?`."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, BaseException):
        return told(value)
    if isinstance(value, Ours):
        return value
    text = str(value)
    return text if WORD.fullmatch(text) else "?"


def told(error: BaseException) -> str:
    """`BerthError(computer_busy) at power.py:88`, and what it came from."""
    parts = [_named(error)]
    cause = error.__cause__ or error.__context__
    while cause is not None and len(parts) < FRAMES:
        parts.append(_named(cause))
        cause = cause.__cause__ or cause.__context__
    return " from ".join(parts)


def _named(error: BaseException) -> str:
    """A code of our list, or what JavaScript calls the kind of its error."""
    kind = getattr(error, "code", None) or getattr(error, "name", None)
    inner = f"({kind})" if isinstance(kind, str) and WORD.fullmatch(kind) else ""
    frames = extract_tb(error.__traceback__, limit=-1)
    where = f" at {_file(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{inner}{where}"


def stack(error: BaseException) -> list[str]:
    """Where it went through, without the text of any line."""
    frames = extract_tb(error.__traceback__)[-FRAMES:]
    return [f"{_file(frame.filename)}:{frame.lineno} {frame.name}" for frame in frames]


def _file(name: str) -> str:
    parts = name.replace("\\", "/").split("/")
    return "/".join(parts[-2:])


def words(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: word(value) for name, value in fields.items()}
