"""The ways in of one person: what counts once, what is the last, and how many there may be."""

import os

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import PASSKEYS_MAX, RECOVERY_CODES
from contracts.sign_in import WaysIn
from durable_objects.person.ways import WAYS_TABLES, Challenge, KeyMaterial, Ways, new_recovery_codes
from durable_objects.shared.context import Context
from durable_objects.shared.once import CLOCK_MS
from durable_objects.shared.sql import SqliteSql, migrate
from tests.unit.durable_objects.conftest import Clock


@pytest.fixture
def ways(context: Context) -> Ways:
    migrate(context.sql, (WAYS_TABLES,))
    return Ways(context)


def challenge(clock: Clock, value: str) -> Challenge:
    return Challenge(value, clock.ms + 1_000)


def add(ways: Ways, clock: Clock, name: str) -> None:
    ways.add(challenge(clock, f"add {name}"), KeyMaterial(name, "key", 0), name)


def shown(ways: Ways) -> WaysIn:
    return ways.shown("p", "Ada", operator=False)


def code_of(caught: "pytest.ExceptionInfo[BerthError]") -> ErrorCode:
    return caught.value.code


def test_the_last_way_in_stays(ways: Ways, clock: Clock) -> None:
    add(ways, clock, "a")
    with pytest.raises(BerthError) as caught:
        ways.remove("a")
    assert code_of(caught) == ErrorCode.LAST_WAY_IN
    add(ways, clock, "b")
    ways.remove("a")
    assert [one.id for one in shown(ways).passkeys] == ["b"]


def test_a_recovery_code_is_another_way_in_until_it_is_used_up(ways: Ways, clock: Clock) -> None:
    add(ways, clock, "a")
    assert ways.keep_recovery_codes(["r", "s"]) == []
    ways.recover("r")
    ways.recover("s")
    with pytest.raises(BerthError):
        ways.remove("a")
    ways.keep_recovery_codes(["t"])
    ways.remove("a")


def test_an_account_elsewhere_is_another_way_in(ways: Ways, clock: Clock) -> None:
    add(ways, clock, "a")
    ways.came_by("https://id.example", "hash", "Ada")
    ways.remove("a")
    assert shown(ways).accounts[0].used_ms == clock.ms


def test_there_are_so_many_passkeys_and_not_one_more(ways: Ways, clock: Clock) -> None:
    for number in range(PASSKEYS_MAX):
        add(ways, clock, str(number))
    with pytest.raises(BerthError, match=str(PASSKEYS_MAX)):
        add(ways, clock, "one more")
    # What was added already is only told again.
    add(ways, clock, "0")
    assert len(shown(ways).passkeys) == PASSKEYS_MAX


def test_a_passkey_of_somebody_else_is_not_found_nor_renamed_nor_removed(ways: Ways) -> None:
    for work in (lambda: ways.rename("x", "y"), lambda: ways.remove("x"), lambda: ways.one("x")):
        with pytest.raises(BerthError) as caught:
            work()
        assert code_of(caught) == ErrorCode.NOT_FOUND
    with pytest.raises(BerthError) as caught:
        ways.material("x")
    assert code_of(caught) == ErrorCode.UNAUTHENTICATED


def test_of_two_sign_ins_with_one_counter_the_first_counts(ways: Ways, clock: Clock) -> None:
    ways.add(challenge(clock, "add"), KeyMaterial("a", "key", 3), "a")
    ways.use(challenge(clock, "1"), "a", 4, backed_up=True)
    with pytest.raises(BerthError):
        ways.use(challenge(clock, "2"), "a", 4, backed_up=True)
    # What was refused has used up nothing: the challenge is as good as before.
    ways.use(challenge(clock, "2"), "a", 5, backed_up=False)
    shown = ways.one("a")
    assert (shown.backed_up, shown.used_ms) == (False, clock.ms)


def test_a_challenge_is_remembered_for_longer_than_it_is_good(
    ways: Ways, clock: Clock, sql: SqliteSql
) -> None:
    add(ways, clock, "a")
    once = challenge(clock, "once")
    ways.use(once, "a", 0, backed_up=False)
    clock.ms = once.until_ms + CLOCK_MS
    with pytest.raises(BerthError):
        ways.use(once, "a", 0, backed_up=False)
    clock.pass_seconds(1)
    ways.use(challenge(clock, "later"), "a", 0, backed_up=False)
    assert len(sql.execute("SELECT * FROM spent")) == 1


def test_new_codes_take_the_place_of_those_before(ways: Ways) -> None:
    ways.keep_recovery_codes(["a", "b"])
    ways.recover("a")
    assert ways.keep_recovery_codes(["c"]) == ["b"]
    with pytest.raises(BerthError):
        ways.recover("b")
    ways.recover("c")


def test_codes_are_of_eighty_bits_and_none_twice() -> None:
    codes = new_recovery_codes(os.urandom)
    assert len(set(codes)) == RECOVERY_CODES
    assert all(len(code.replace("-", "")) == 16 for code in codes)
