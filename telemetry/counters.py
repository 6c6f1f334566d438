"""What is counted, in one table: the name of a counter, and the labels that tell its kinds apart.

A label's value is a word of a list or a route of ours. What is not, is counted as `other`: a counter with the
names of things would hold content, and would be as many counters as there are things.
"""

import logging
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from re import Pattern

log = logging.getLogger(__name__)

CODE = re.compile(r"[a-z_]{1,40}")
ROUTE = re.compile(r"(GET|HEAD|POST|PUT|PATCH|DELETE) /[a-z_./{}-]{0,100}|none")
STATUS = re.compile(r"[1-5]xx")

COUNTERS: Mapping[str, Mapping[str, Pattern[str]]] = {
    # Answers of the Worker, and why where one was refused or failed.
    "requests": {"route": ROUTE, "status": STATUS, "code": CODE},
    # Runs that ended.
    "runs": {"state": CODE, "origin": CODE, "code": CODE},
    # Calls of tools that ended.
    "calls": {"tool": CODE, "outcome": CODE},
    # Answers of models.
    "model_answers": {"outcome": CODE},
    # Starts of computers, from what, and how they went.
    "starts": {"source": CODE, "outcome": CODE},
    # Requests of computers to the outside.
    "egress": {"outcome": CODE},
    # Spans that were not sent, because there were too many or nobody took them.
    "spans_lost": {},
}
KEPT = 1_000


@dataclass(frozen=True)
class Point:
    name: str
    labels: tuple[str, ...]
    """In the table's order."""
    value: float


waiting: deque[Point] = deque(maxlen=KEPT)
"""Of this whole process; what nobody takes makes room for what is newer."""


def count(name: str, value: float = 1, **labels: object) -> None:
    """Count something of the table. A label that is not given is empty."""
    known = COUNTERS[name]
    if extra := labels.keys() - known.keys():
        raise ValueError(f"the counter {name} has no label {min(extra)}")
    values = tuple(_value(labels.get(label), form) for label, form in known.items())
    waiting.append(Point(name, values, value))


def _value(value: object, form: Pattern[str]) -> str:
    text = "" if value is None else str(value)
    return text if not text or form.fullmatch(text) else "other"


def take() -> list[Point]:
    points = list(waiting)
    waiting.clear()
    return points


def hand_on(points: Iterable[Point], write: Callable[[Point], None]) -> None:
    """Each to `write`. Where that raises the rest is lost, and nothing else: what was counted is done."""
    try:
        for point in points:
            write(point)
    except Exception:
        # Whatever the platform has against it: a counter is no reason to fail what it counts.
        log.exception("counters are lost")
