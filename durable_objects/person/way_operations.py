"""What the Worker asks about the ways in of a person, as tables of named operations.

Some are asked before it is known who calls, and are what makes somebody known; the others a person asks for
themselves.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from contracts.people import Caller, Right
from durable_objects.person.ways import Challenge, KeyMaterial, Ways

Fields = Mapping[str, Any]
Asked = Callable[[Fields], Any]
Called = Callable[[Caller, Fields], Any]


def asked_ways(ways: Ways) -> dict[str, Asked]:
    return {
        "passkey_material": lambda fields: asdict(ways.material(fields["id"])),
        "use_passkey": lambda fields: ways.use(
            Challenge(**fields["challenge"]), fields["id"], fields["counter"], backed_up=fields["backed_up"]
        ),
        "recover": lambda fields: ways.recover(fields["code"]),
    }


def first_ways(ways: Ways) -> dict[str, Asked]:
    """By which somebody new comes, with what they are called as `name`."""
    return {
        "add_passkey": lambda fields: _add(ways, fields),
        "came_by": lambda fields: ways.came_by(fields["issuer"], fields["subject"], fields["name"]),
    }


def called_ways(ways: Ways, name: Callable[[], str]) -> dict[str, tuple[Right, Called]]:
    """`name` is what the person is called now."""
    table: dict[str, Called] = {
        "ways_in": lambda who, _: ways.shown(who.person_id, name(), operator=who.operator),
        "add_passkey": lambda _, fields: _add(ways, fields),
        "rename_passkey": lambda _, fields: ways.rename(fields["id"], fields["name"]),
        "remove_passkey": lambda _, fields: ways.remove(fields["id"]),
        "keep_recovery_codes": lambda _, fields: {"replaced": ways.keep_recovery_codes(fields["hashes"])},
    }
    return {operation: (Right.MANAGE, work) for operation, work in table.items()}


def _add(ways: Ways, fields: Fields) -> Any:
    return ways.add(Challenge(**fields["challenge"]), KeyMaterial(**fields["key"]), fields["passkey_name"])
