"""The record: once, append-only, chained; whoever changes it is found."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from contracts.audit import (
    DETAIL_CHARACTERS_MAX,
    GENESIS,
    OWNER_DELETED,
    Actor,
    AuditCheck,
    AuditEntry,
    Detail,
)
from contracts.people import Via
from contracts.records import REMOVED_BY_AGE, Retained
from durable_objects.platform import audit as audit_module
from durable_objects.platform.audit import PAGE, Audit
from durable_objects.platform.chain import line
from durable_objects.platform.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import SqliteSql, migrate


@pytest.fixture
def audit(context: Context) -> Audit:
    return Audit(context)


def entry(number: int, owner: str = "o1", kind: str = "computer_running") -> AuditEntry:
    return AuditEntry(id=f"{owner}:{number}", owner_id=owner, kind=kind, at_ms=number, details={"n": number})


def fill(audit: Audit) -> None:
    """Ten entries of two owners by turns; `n` is 1 to 10."""
    for number in range(5):
        audit.add(entry(number, "o1"))
        audit.add(entry(number, "o2"))


def unlock(sql: SqliteSql) -> None:
    """What somebody does first who wants to change the record behind Berth's back."""
    sql.run("DROP TRIGGER audit_is_not_removed")
    sql.run("DROP TRIGGER audit_is_not_changed")


def test_an_entry_is_kept_once(audit: Audit) -> None:
    assert audit.add(entry(1))
    assert not audit.add(entry(1, kind="computer_standby"))
    assert [(kept.id, kept.kind) for kept in audit.newest("o1").items] == [("o1:1", "computer_running")]


def test_the_newest_come_first_and_one_owner_sees_its_own(audit: Audit) -> None:
    for number in range(PAGE + 5):
        audit.add(entry(number))
    audit.add(entry(1, owner="o2"))
    newest = audit.newest("o1")
    assert (len(newest.items), newest.more) == (PAGE, True)
    assert newest.items[0].details == {"n": PAGE + 4}
    older = audit.newest("o1", before=newest.items[-1].n)
    assert ([kept.details["n"] for kept in older.items], older.more) == ([4, 3, 2, 1, 0], False)
    assert [kept.owner_id for kept in audit.newest("o2").items] == ["o2"]
    assert [kept.owner_id for kept in audit.newest(None).items][:2] == ["o2", "o1"]
    assert audit.newest(None, kind="unheard_of").items == []


def test_what_was_removed_by_age_is_summed_over_all_owners(audit: Audit) -> None:
    assert audit.removed_by_age() == Retained()
    for number, owner in enumerate(("o1", "o1", "o2")):
        removed = Retained(results=2, pictures=number).model_dump()
        audit.add(AuditEntry(id=str(number), owner_id=owner, kind=REMOVED_BY_AGE, at_ms=1, details=removed))
    audit.add(entry(9))
    assert audit.removed_by_age() == Retained(results=6, pictures=3)


@pytest.mark.parametrize("details", ["no JSON", "[]", "7", '{"results": "many", "pictures": 0.5}'])
def test_what_was_removed_by_age_is_told_beside_an_entry_that_was_made_unreadable(
    audit: Audit, sql: SqliteSql, details: str
) -> None:
    for number in (1, 2):
        removed: dict[str, Detail] = {"results": number, "pictures": 0, "threads": 0}
        about = AuditEntry(id=str(number), owner_id="o", kind=REMOVED_BY_AGE, at_ms=1, details=removed)
        audit.add(about)
    unlock(sql)
    sql.run("UPDATE audit SET details = ? WHERE n = 1", details)
    assert audit.removed_by_age() == Retained(results=2)


def test_who_is_awake_is_who_was_last_heard_of_as_that(audit: Audit) -> None:
    audit.add(entry(1, "asleep"))
    audit.add(entry(2, "asleep", "computer_standby"))
    audit.add(entry(1, "awake", "computer_standby"))
    audit.add(entry(2, "awake", "computer_starting"))
    audit.add(entry(3, "awake", "something_else"))
    assert audit.awake() == ["awake"]


def test_it_is_whole_while_nobody_touches_it(audit: Audit) -> None:
    assert audit.check() == AuditCheck(entries=0, head=GENESIS)
    fill(audit)
    head = audit.head
    assert audit.check() == AuditCheck(entries=10, head=head)
    assert audit.check_owner("o2") == AuditCheck(entries=5, head=audit.newest("o2").items[0].hash)
    audit.add(entry(5))
    assert audit.check(known=head).broken is None


def test_long_records_are_followed_piece_by_piece(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_module, "CHECKED_AT_ONCE", 4)
    fill(audit)
    looked, piece = list[int](), audit.check()
    looked.append(piece.entries)
    while piece.next_after is not None:
        piece = audit.check(piece.next_after)
        looked.append(piece.entries)
    assert (looked, piece.broken) == ([4, 4, 2], None)
    assert audit.check_owner("o1").entries == 5


def swap(sql: SqliteSql) -> None:
    for statement in ("SET n = 99 WHERE n = 4", "SET n = 4 WHERE n = 5", "SET n = 5 WHERE n = 99"):
        sql.run(f"UPDATE audit {statement}")


TAMPERING: dict[str, tuple[Callable[[SqliteSql], object], tuple[int, str]]] = {
    "a word of an entry is changed": (
        lambda sql: sql.run("UPDATE audit SET kind = 'computer_banned' WHERE n = 4"),
        (4, "altered"),
    ),
    "its time is changed": (lambda sql: sql.run("UPDATE audit SET at_ms = 77 WHERE n = 4"), (4, "altered")),
    "somebody else did it": (
        lambda sql: sql.run('UPDATE audit SET actor = \'{"person_id":"p2","via":"session"}\' WHERE n = 4'),
        (4, "altered"),
    ),
    "it becomes another owner's": (
        lambda sql: sql.run("UPDATE audit SET owner_id = 'o1' WHERE n = 4"),
        (4, "altered"),
    ),
    "it cannot be read any more": (
        lambda sql: sql.run("UPDATE audit SET details = '{' WHERE n = 4"),
        (4, "altered"),
    ),
    "the first is removed": (lambda sql: sql.run("DELETE FROM audit WHERE n = 1"), (2, "does_not_follow")),
    "one in the middle is removed": (
        lambda sql: sql.run("DELETE FROM audit WHERE n = 4"),
        (5, "does_not_follow"),
    ),
    "the last are removed": (lambda sql: sql.run("DELETE FROM audit WHERE n > 8"), (8, "cut_off")),
    "all are removed": (lambda sql: sql.run("DELETE FROM audit"), (0, "cut_off")),
    "two change places": (swap, (4, "does_not_follow")),
    "one is slipped in": (
        lambda sql: sql.run(
            "INSERT INTO audit (id, owner_id, kind, at_ms, details, previous, owner_previous, hash)"
            " SELECT 'x', owner_id, kind, at_ms, details, previous, owner_previous, hash"
            " FROM audit WHERE n = 10"
        ),
        (11, "does_not_follow"),
    ),
    "one loses its hash, so that it looks as if it came from an older version": (
        lambda sql: sql.run("UPDATE audit SET kind = 'other', hash = '' WHERE n = 4"),
        (4, "altered"),
    ),
}


@pytest.mark.parametrize(("tamper", "found"), TAMPERING.values(), ids=TAMPERING)
def test_what_somebody_does_to_it_is_found(
    context: Context, sql: SqliteSql, tamper: Callable[[SqliteSql], object], found: tuple[int, str]
) -> None:
    fill(Audit(context))
    unlock(sql)
    tamper(sql)
    broken = Audit(context).check().broken
    assert broken is not None
    assert (broken.n, broken.why) == found


def test_an_owners_part_is_followed_without_the_rest(audit: Audit, sql: SqliteSql) -> None:
    fill(audit)
    unlock(sql)
    sql.run("DELETE FROM audit WHERE n = 4")
    assert audit.check_owner("o1").broken is None
    broken = audit.check_owner("o2").broken
    assert broken is not None
    assert (broken.n, broken.why) == (6, "does_not_follow")


def test_an_end_that_was_cut_is_missing_for_its_owners_too(audit: Audit, sql: SqliteSql) -> None:
    fill(audit)
    noted, other = audit.check_owner("o2").head, audit.check_owner("o1").head
    audit.add(entry(6, "o2"))
    assert audit.check_owner("o2", noted).broken is None
    # A head of somebody else's says nothing of one's own.
    broken = audit.check_owner("o2", other).broken
    assert broken is not None
    assert broken.why == "known_head_is_gone"
    unlock(sql)
    sql.run("DELETE FROM audit WHERE n > 8")
    broken = audit.check_owner("o2").broken
    assert broken is not None
    assert (broken.n, broken.why) == (8, "cut_off")
    sql.run("INSERT OR REPLACE INTO audit_head (one, n, hash) SELECT 1, n, hash FROM audit WHERE n = 8")
    assert audit.check_owner("o2").broken is None
    broken = audit.check_owner("o2", noted).broken
    assert broken is not None
    assert broken.why == "known_head_is_gone"


@pytest.mark.parametrize(
    "broken",
    ["details = '{'", "details = '{\"a\": {}}'", "actor = 'x'", "at_ms = 'x'", "kind = x'ff'"],
)
def test_an_entry_that_cannot_be_read_hides_no_other(audit: Audit, sql: SqliteSql, broken: str) -> None:
    fill(audit)
    unlock(sql)
    sql.run(f"UPDATE audit SET {broken} WHERE n = 4")  # noqa: S608 - our words
    for shown in (audit.newest(None).items[::-1], audit.entries(0, 100)):
        assert [one.n for one in shown] == list(range(1, 11))
        assert shown[3].details == {"unreadable": True}
        assert shown[4].details == {"n": 2}
    told = json.loads(line(audit.entries(3, 1)[0]))
    noted = told.pop("hash")
    text = json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() != noted
    for found in (audit.check().broken, audit.check_owner("o2").broken):
        assert found is not None
        assert (found.n, found.why) == (4, "altered")
    assert audit.check_owner("o1").broken is None


def test_who_forges_the_whole_chain_is_found_by_a_head_that_was_noted(audit: Audit, sql: SqliteSql) -> None:
    fill(audit)
    noted = audit.head
    unlock(sql)
    sql.run("DELETE FROM audit WHERE n > 8")
    sql.run("INSERT OR REPLACE INTO audit_head (one, n, hash) SELECT 1, n, hash FROM audit WHERE n = 8")
    assert audit.check().broken is None
    broken = audit.check(known=noted).broken
    assert broken is not None
    assert broken.why == "known_head_is_gone"


@pytest.mark.parametrize(
    "statement", ["DELETE FROM audit WHERE n = 1", "UPDATE audit SET kind = 'x' WHERE n = 1"]
)
def test_sql_itself_lets_nothing_be_changed(audit: Audit, sql: SqliteSql, statement: str) -> None:
    fill(audit)
    with pytest.raises(Exception, match="the record only grows"):
        sql.run(statement)
    assert audit.check() == AuditCheck(entries=10, head=audit.head)


def test_a_record_from_before_the_chain_is_chained(context: Context, sql: SqliteSql) -> None:
    older = 4
    migrate(sql, SCHEMA[:older])
    old = "INSERT INTO audit (id, owner_id, kind, at_ms, details) VALUES (?, 'o1', 'computer_reset', 1, '{}')"
    for number in range(3):
        sql.run(old, str(number))
    audit = Audit(context)
    audit.add(entry(1))
    # The version before comes back for a while.
    sql.run(old, "late")
    audit = Audit(context)
    audit.add(entry(2))
    assert audit.check() == AuditCheck(entries=6, head=audit.head)
    assert audit.check_owner("o1").broken is None


def test_a_line_can_be_checked_by_anybody(audit: Audit) -> None:
    actor = Actor(person_id="person_1", via=Via.SESSION)
    audit.add(entry(1).model_copy(update={"actor": actor, "details": {"reason": "„weil“", "days": 3}}))
    fields = json.loads(line(audit.entries(0, 10)[0]))
    told = fields.pop("hash")
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest() == told
    assert (fields["actor"], fields["previous"]) == (actor.model_dump(), GENESIS)


def test_details_are_short_facts() -> None:
    AuditEntry(id="1", owner_id="o", kind="k", at_ms=1, details={"reason": "x" * DETAIL_CHARACTERS_MAX})
    for detail in ("x" * (DETAIL_CHARACTERS_MAX + 1), {"nested": 1}, [["x"]], ["x"] * 101):
        with pytest.raises(ValueError, match="details"):
            AuditEntry.model_validate(
                {"id": "1", "owner_id": "o", "kind": "k", "at_ms": 1, "details": {"reason": detail}}
            )


def sha256(fields: dict[str, Any]) -> str:
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def opened(number: int = 1, owner: str = "o1") -> AuditEntry:
    return AuditEntry(
        **{**entry(number, owner, "egress_rule_added").model_dump(), "own": {"host": "private.example"}}
    )


def test_what_is_the_owners_own_is_shown_to_the_owner_alone(audit: Audit) -> None:
    audit.add(entry(0))
    audit.add(opened())
    audit.add(opened(2, "o2"))
    assert "private" not in audit.newest(None).model_dump_json()
    assert "private" not in audit.newest("o1").model_dump_json()
    assert not [shown for shown in audit.entries(0, PAGE) if "private" in line(shown)]
    newest, first = audit.newest_own("o1").items
    assert (newest.own["host"], first.own) == ("private.example", {})
    assert [shown.own.get("host") for shown in audit.entries(0, PAGE, "o1")] == [None, "private.example"]


def test_the_record_has_the_hash_of_what_is_the_owners_own_and_no_more(audit: Audit, sql: SqliteSql) -> None:
    audit.add(opened())
    audit.add(opened(2))
    for told in (audit.entries(0, PAGE), audit.entries(0, PAGE, "o1")):
        for shown in told:
            fields = json.loads(line(shown))
            own = fields.pop("own", None)
            assert sha256({name: value for name, value in fields.items() if name != "hash"}) == shown.hash
            assert own is None or sha256(own) == shown.details["own"]
    # Nobody finds a host by trying: the same one twice has two hashes, and neither is that of it alone.
    hashes = {shown.details["own"] for shown in audit.newest("o1").items}
    assert len(hashes) == 2
    assert sha256({"host": "private.example"}) not in hashes
    assert audit.check() == AuditCheck(entries=2, head=audit.head)
    assert audit.check_owner("o1").broken is None
    sql.run("UPDATE audit_own SET own = replace(own, 'private', 'another') WHERE n = 2")
    broken = audit.check_owner("o1").broken
    assert broken is not None
    assert (broken.n, broken.why) == (2, "altered")


def test_what_is_the_owners_own_goes_with_the_owner_and_the_record_stays_whole(
    audit: Audit, sql: SqliteSql
) -> None:
    audit.add(opened())
    audit.add(opened(1, "o2"))
    audit.add(entry(2, kind=OWNER_DELETED))
    assert [shown.own for shown in audit.newest_own("o1").items] == [{}, {}]
    assert "private" not in str(sql.execute("SELECT * FROM audit"))
    assert audit.newest_own("o2").items[0].own["host"] == "private.example"
    assert audit.check().broken is None
    assert audit.check_owner("o1").broken is None


def test_a_host_in_an_entry_of_an_older_version_is_withheld_from_operators(audit: Audit) -> None:
    old = entry(1, kind="egress_rule_removed")
    audit.add(old.model_copy(update={"details": {"host": "private.example", "until_ms": 5}}))
    for shown in (*audit.newest(None).items, *audit.entries(0, PAGE)):
        assert shown.details == {"until_ms": 5}
    assert audit.newest_own("o1").items[0].details["host"] == "private.example"
    assert audit.check().broken is None
