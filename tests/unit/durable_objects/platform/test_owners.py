"""The list of owners as operators see it."""

import pytest

from contracts.audit import OWNER_DELETED, AuditEntry
from contracts.errors import ErrorCode
from contracts.limits import OPERATOR_OWNERS_A_PAGE
from contracts.operators import ExemptRequest, OwnerReport
from contracts.states import ComputerState, RunState
from durable_objects.platform.audit import Audit
from durable_objects.platform.owners import Owners
from durable_objects.platform.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import SqliteSql, migrate
from tests.unit.durable_objects.conftest import Clock

REPORT = OwnerReport(
    at_ms=1, bots=2, runs={RunState.DONE: 3}, errors={ErrorCode.COMPUTER_BUSY: 1}, running_ms=500
)


@pytest.fixture
def owners(context: Context) -> Owners:
    Audit(context)
    return Owners(context)


def entry(kind: str, owner: str = "o1", at_ms: int = 1, reason: str | None = None) -> AuditEntry:
    return AuditEntry(id="x", owner_id=owner, kind=kind, at_ms=at_ms, details={"reason": reason})


def ids(owners: Owners, shown: str = "all", find: str = "") -> list[str]:
    return [one.owner_id for one in owners.page(shown, "", find).items]  # type: ignore[arg-type]


def test_the_state_is_the_newest_one_whatever_comes_first(owners: Owners) -> None:
    owners.recorded(entry("computer_standby", at_ms=9, reason="start_failed"))
    owners.recorded(entry("computer_starting", at_ms=8))
    found = owners.one("o1")
    assert found is not None
    assert (found.state, found.state_ms, found.reason) == (ComputerState.STANDBY, 9, "start_failed")
    assert owners.one("o2") is None


def test_the_last_seen_comes_first_and_pages_follow_each_other(owners: Owners, clock: Clock) -> None:
    names = [f"o{number:03}" for number in range(OPERATOR_OWNERS_A_PAGE + 1)]
    for name in names:
        clock.ms += name.endswith("0")
        owners.recorded(entry("settings_changed", name))
    first = owners.page("all", "", "")
    assert len(first.items) == OPERATOR_OWNERS_A_PAGE
    assert first.next
    rest = owners.page("all", first.next, "")
    assert rest.next is None
    assert [one.owner_id for one in (*first.items, *rest.items)] == names[::-1]
    assert ids(owners, find="o01") == [f"o01{n}" for n in range(9, -1, -1)]
    assert ids(owners, find="%") == []


def test_what_is_shown_can_be_chosen(owners: Owners, sql: SqliteSql) -> None:
    owners.recorded(entry("computer_running", "awake"))
    owners.recorded(entry("computer_standby", "asleep"))
    owners.recorded(entry(OWNER_DELETED, "gone"))
    sql.run("INSERT INTO bans VALUES ('asleep', 'abuse', 5)")
    owners.exempt("awake", ExemptRequest(reason="ours"))
    assert ids(owners, "awake") == ids(owners, "exempt") == ["awake"]
    assert ids(owners, "banned") == ["asleep"]
    assert ids(owners, "deleted") == ["gone"]
    asleep, awake = owners.one("asleep"), owners.one("awake")
    assert asleep and asleep.ban and awake and awake.exempt
    assert (asleep.ban.reason, awake.exempt.reason) == ("abuse", "ours")
    owners.exempt("awake", None)
    assert not owners.is_exempt("awake")


def test_sums_are_over_what_was_told_last(owners: Owners) -> None:
    owners.reported("o1", REPORT.model_copy(update={"running_ms": 1}))
    owners.reported("o1", REPORT)
    owners.reported("o2", REPORT)
    owners.recorded(entry("computer_running", "o2"))
    assert owners.sums() == {
        "owners": 2,
        "deleted": 0,
        "banned": 0,
        "running_ms": 1000,
        "computers": {"running": 1},
        "runs": {"done": 6},
        "errors": {"computer_busy": 2},
    }


def test_after_a_deletion_only_times_are_left(owners: Owners, sql: SqliteSql) -> None:
    owners.reported("o1", REPORT)
    owners.recorded(entry(OWNER_DELETED, at_ms=7))
    found = owners.one("o1")
    assert found is not None
    assert (found.deleted_ms, found.report) == (7, None)
    assert owners.sums()["running_ms"] == 0
    # Who comes back is there again.
    owners.reported("o1", REPORT)
    back = owners.one("o1")
    assert back is not None
    assert (back.deleted_ms, back.report) == (None, REPORT)


def test_owners_of_an_older_version_are_in_the_list(context: Context, sql: SqliteSql) -> None:
    older = 5
    migrate(sql, SCHEMA[:older])
    for owner, kind, at_ms in (("o1", "computer_running", 1), ("o1", "computer_standby", 2), ("o2", "x", 3)):
        sql.run(
            "INSERT INTO audit (id, owner_id, kind, at_ms, details)"
            """ VALUES (?, ?, ?, ?, '{"reason":"reset"}')""",
            f"{owner}{at_ms}",
            owner,
            kind,
            at_ms,
        )
    Audit(context)
    one, two = Owners(context).one("o1"), Owners(context).one("o2")
    assert one and two
    assert (one.state, one.state_ms, one.reason, one.first_ms, one.seen_ms) == ("standby", 2, "reset", 1, 2)
    assert (two.state, two.seen_ms) == (None, 3)
