"""A person for tests of cores, and the record that it tells."""

from contracts.audit import AuditEntry
from durable_objects.person.person import Person
from durable_objects.shared.audit_desk import RecordError
from durable_objects.shared.context import Context

WHO = "person_" + "0" * 26


class Told:
    """What the record was told, however often; it can be down, or hear and not answer."""

    def __init__(self) -> None:
        self.entries: list[AuditEntry] = []
        self.rings: list[int] = []
        self.is_down = False
        self.loses_answers = False

    async def tell(self, entry: AuditEntry) -> None:
        if self.is_down:
            raise RecordError("it is down")
        self.entries.append(entry)
        if self.loses_answers:
            raise RecordError("nobody heard that it heard")


def person_at(context: Context, told: Told | None = None, *, person_id: str = WHO) -> Person:
    """The object as it is built after each start."""
    told = told or Told()
    return Person(context, person_id, told.tell, told.rings.append)
