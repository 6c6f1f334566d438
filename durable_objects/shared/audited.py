"""How a table says which operations go into the record: under which name, and with which facts.

Facts are ids, names of settings and words of our own lists: that something was changed, never into what.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from contracts.audit import Detail

Fields = Mapping[str, Any]
Facts = Callable[[Fields, Any], Mapping[str, Detail]]
"""(what was asked, what came of it) → the entry's details"""


@dataclass(frozen=True)
class Audited:
    kind: str
    facts: Facts = lambda _fields, _result: {}


def asked(name: str) -> Facts:
    """The id that the operation was asked with."""
    return lambda fields, _result: {name: str(fields["id"])}


def made(name: str) -> Facts:
    """The id of what it made."""
    return lambda _fields, result: {name: str(result.id)}
