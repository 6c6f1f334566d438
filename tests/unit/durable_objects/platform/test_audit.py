"""The operators' record: once, append-only, and who is awake."""

import pytest

from contracts.records import REMOVED_BY_AGE, AuditEntry, Retained
from durable_objects.platform.audit import PAGE, Audit
from durable_objects.shared.context import Context


@pytest.fixture
def audit(context: Context) -> Audit:
    return Audit(context)


def entry(number: int, owner: str = "o1", kind: str = "computer_running") -> AuditEntry:
    return AuditEntry(id=f"{owner}:{number}", owner_id=owner, kind=kind, at_ms=number, details={"n": number})


def test_an_entry_is_kept_once(audit: Audit) -> None:
    audit.add(entry(1))
    audit.add(entry(1, kind="computer_standby"))
    assert [(kept.id, kept.kind) for kept in audit.newest("o1")] == [("o1:1", "computer_running")]


def test_the_newest_come_first_and_one_owner_sees_its_own(audit: Audit) -> None:
    for number in range(PAGE + 5):
        audit.add(entry(number))
    audit.add(entry(1, owner="o2"))
    newest = audit.newest("o1")
    assert len(newest) == PAGE
    assert newest[0].details == {"n": PAGE + 4}
    assert [kept.owner_id for kept in audit.newest("o2")] == ["o2"]


def test_what_was_removed_by_age_is_summed_over_all_owners(audit: Audit) -> None:
    assert audit.removed_by_age() == Retained()
    for number, owner in enumerate(("o1", "o1", "o2")):
        removed = Retained(results=2, pictures=number).model_dump()
        audit.add(AuditEntry(id=str(number), owner_id=owner, kind=REMOVED_BY_AGE, at_ms=1, details=removed))
    audit.add(entry(9))
    assert audit.removed_by_age() == Retained(results=6, pictures=3)


def test_who_is_awake_is_who_was_last_heard_of_as_that(audit: Audit) -> None:
    audit.add(entry(1, "asleep"))
    audit.add(entry(2, "asleep", "computer_standby"))
    audit.add(entry(1, "awake", "computer_standby"))
    audit.add(entry(2, "awake", "computer_starting"))
    audit.add(entry(3, "awake", "something_else"))
    assert audit.awake() == ["awake"]
