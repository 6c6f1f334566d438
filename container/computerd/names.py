"""Names as text for people and models, whatever bytes they are made of, and back.

A byte that is no UTF-8 is told as U+FFFD and its two hexadecimal digits. So that two names never look the
same, a U+FFFD that really is in a name is told as its three bytes. Only bytes that are no ASCII are
understood so: a path cannot hide a `/` or a `..` in it.
"""

from __future__ import annotations

import re

_TOLD = re.compile("\ufffd([89A-F][0-9A-F])")
_REAL = "\ufffd".encode().decode("ascii", "surrogateescape")


def told(name: str) -> str:
    """A name or path of the file system as text that can travel anywhere."""
    if name.isascii():
        return name
    escaped = name.replace("\ufffd", _REAL)
    return "".join(f"\ufffd{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else c for c in escaped)


def meant(path: str) -> str:
    """What a told path stands for; one that was never told is as it was."""
    if "\ufffd" not in path:
        return path
    plain = _TOLD.sub(lambda found: chr(0xDC00 + int(found[1], 16)), path)
    # Bytes that were told one by one may be a character again.
    return plain.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
