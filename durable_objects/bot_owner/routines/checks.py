"""Whether a routine's run starts: looks that cost next to nothing and never touch the computer.

What a look has to remember for the next one (on which side a price was, what a value was) is its memory, by
the check's place. What an address answers decides and is shown to nobody else: no model ever reads it.
"""

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from contracts.routines import Check, HttpCheck, PriceCheck, WindowCheck
from durable_objects.bot_owner.routines.schedule import zone_of
from durable_objects.bot_owner.venue.protocol import Venue
from durable_objects.bot_owner.venue.reading import market_of

Get = Callable[[str], Awaitable[bytes]]
"""The body of a URL's answer, of bounded size and time. Raises BerthError where there is none."""
Memory = dict[str, Any]

SHOWN = 80
STEP = re.compile(r"""\.([A-Za-z_][\w-]*)|\[([0-9]{1,6})\]|\['([^'\\]*)'\]|\["([^"\\]*)"\]""")
# The cheapest first: what is asked of others is asked only where it still matters.
ORDER = {"window": 0, "price": 1, "http": 2}


@dataclass(frozen=True)
class Look:
    """`note` says in a word what did not hold."""

    holds: bool
    note: str = ""
    memory: Memory = field(default_factory=dict)


async def look(
    checks: Sequence[Check], memory: Mapping[str, Any], *, zone: str, now_ms: int, venue: Venue, get: Get
) -> Look:
    """Make the checks until one does not hold. Raises BerthError where one cannot be made."""
    kept: Memory = dict(memory)
    for place, check in sorted(enumerate(checks), key=lambda one: ORDER[one[1].kind]):
        before = kept.get(str(place))
        holds: bool
        after: bool | str | None
        match check:
            case WindowCheck():
                holds, after = in_window(check, zone, now_ms), None
            case PriceCheck():
                mid = (await market_of(venue, check.symbol)).mid
                holds, after = crossed(check, mid, before)
            case HttpCheck():
                holds, after = compared(check, value_of(await get(check.url), check.path), before)
        if after is not None:
            kept[str(place)] = after
        if not holds:
            return Look(False, check.kind, kept)
    return Look(True, "", kept)


def check_checks(checks: Sequence[Check]) -> None:
    """Raises `invalid_request` for what can be seen to be wrong before any look."""
    for check in checks:
        if isinstance(check, HttpCheck):
            steps(check.path)
            if check.compare in {"above", "below"}:
                _number(check.value)


def in_window(check: WindowCheck, zone: str, now_ms: int) -> bool:
    there = datetime.fromtimestamp(now_ms / 1000, zone_of(zone))
    clock = there.strftime("%H:%M")
    if check.first < check.end:
        return there.weekday() in check.days and check.first <= clock < check.end
    if clock >= check.first:
        return there.weekday() in check.days
    return clock < check.end and (there.date() - timedelta(days=1)).weekday() in check.days


def crossed(check: PriceCheck, mid: Decimal, before: Any) -> tuple[bool, bool]:
    """(whether it has crossed since the look before, whether it is there). The first look only remembers."""
    price = Decimal(check.price)
    there = mid >= price if check.crosses == "above" else mid <= price
    return there and before is False, there


def compared(check: HttpCheck, value: Any, before: Any) -> tuple[bool, str | None]:
    """(whether it holds, what to remember)"""
    match check.compare:
        case "changed":
            mark = hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
            return before is not None and before != mark, mark
        case "equals":
            return _same(value, check.value), None
        case "differs":
            return not _same(value, check.value), None
        case "above":
            return _number(value) > _number(check.value), None
        case "below":
            return _number(value) < _number(check.value), None


def value_of(body: bytes, path: str) -> Any:
    """The one value that a path names. Raises BerthError where the body is no JSON or has no such value."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise because(ErrorCode.INVALID_REQUEST, "check_no_json") from error
    for step in steps(path):
        try:
            # A text has characters at its places, which are no values of JSON.
            inside: Any = () if isinstance(value, str) else value
            value = inside[step]
        except (KeyError, IndexError, TypeError) as error:
            raise because(ErrorCode.INVALID_REQUEST, "check_nothing_at", path=f"{path[:SHOWN]!a}") from error
    return value


def steps(path: str) -> list[str | int]:
    """The steps of a JSON path that names one value. Raises `invalid_request`."""
    found: list[str | int] = []
    end = 1
    while path.startswith("$") and end < len(path) and (step := STEP.match(path, end)):
        name, index, single, double = step.groups()
        found.append(int(index) if index is not None else name or single or double or "")
        end = step.end()
    if not path.startswith("$") or end < len(path):
        raise because(ErrorCode.INVALID_REQUEST, "json_path_wrong", path=f"{path[:SHOWN]!a}")
    return found


def _same(value: Any, wanted: str) -> bool:
    if isinstance(value, str):
        return value == wanted
    if isinstance(value, bool) or value is None:
        return json.dumps(value) == wanted
    try:
        return _number(value) == _number(wanted)
    except BerthError:
        return False


def _number(value: Any) -> Decimal:
    try:
        number = Decimal(str(value)) if isinstance(value, str | int | float) else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    if isinstance(value, bool) or not number.is_finite():
        raise because(ErrorCode.INVALID_REQUEST, "check_no_number", value=f"{str(value)[:SHOWN]!a}")
    return number
