"""What the Worker asks of the directory, as a table of named operations."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from contracts.sign_in import InvitationList
from durable_objects.platform.directory import Arrival, Directory, Identity, Known
from durable_objects.shared.audited import Audited, asked, made

Fields = Mapping[str, Any]
Operation = Callable[[Fields], Any]


AUDITED: Mapping[str, Audited] = {
    "invite": Audited("invitation_made", made("invitation_id")),
    "take_back": Audited("invitation_taken_back", asked("invitation_id")),
}
"""Which go into the record, of the `actor` among their fields."""


def directory_operations(directory: Directory) -> dict[str, Operation]:
    return _arrivals(directory) | _invitations(directory)


def _arrivals(directory: Directory) -> dict[str, Operation]:
    return {
        "sign_in_key": lambda _fields: {"key": directory.key()},
        "spend": lambda fields: {"first": directory.spend(fields["value"], fields["until_ms"])},
        "by_identity": lambda fields: _known(directory.of(Identity(**fields["identity"]))),
        "by_recovery": lambda fields: _known(directory.by_recovery(fields["code"])),
        "person": lambda fields: _known(directory.person(fields["person_id"])),
        "awaits_first": lambda fields: {"first": directory.awaits_first(fields["setup_code"])},
        "may_come": lambda fields: directory.may_come(_arrival(fields)),
        "admit": lambda fields: _known(directory.admit(_arrival(fields))),
        "forget": lambda fields: directory.forget(fields["person_id"]),
        "add_recovery": lambda fields: directory.add_recovery(fields["person_id"], fields["codes"]),
        "forget_recovery": lambda fields: directory.forget_recovery(fields["person_id"], fields["codes"]),
    }


def _invitations(directory: Directory) -> dict[str, Operation]:
    return {
        "invite": lambda fields: directory.invite(fields["by_id"]),
        "invitations": lambda _fields: InvitationList(items=directory.invitations()),
        "take_back": lambda fields: directory.take_back(fields["id"]),
    }


def _arrival(fields: Fields) -> Arrival:
    identity = fields.get("identity")
    return Arrival(**{**fields, "identity": Identity(**identity) if identity else None})


def _known(known: Known | None) -> dict[str, Any] | None:
    return asdict(known) if known else None
