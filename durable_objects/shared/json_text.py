"""Reading JSON that somebody else wrote: nesting is bounded before anything parses it.

Python in the Worker runs on WebAssembly's stack, and a parser that descends too far there does not
raise: it ends the interpreter, for everybody. So depth is counted first, flatly.
"""

import json
import re
from typing import Any

DEPTH_MAX = 100
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def too_deep(text: str) -> bool:
    """Whether the text nests arrays and objects deeper than we read."""
    if text.count("[") + text.count("{") <= DEPTH_MAX:
        return False
    depth = 0
    for token in _TOKEN.finditer(text):
        first = token[0][0]
        if first in "[{":
            depth += 1
            if depth > DEPTH_MAX:
                return True
        elif first in "]}":
            depth -= 1
    return False


def loads(text: str | bytes) -> Any:
    """`json.loads` for text from outside. Raises ValueError where it is not JSON, or nests too deep."""
    decoded = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    if too_deep(decoded):
        raise ValueError(f"nested deeper than {DEPTH_MAX}")
    return json.loads(decoded)
