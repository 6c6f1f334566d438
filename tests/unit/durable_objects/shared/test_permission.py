"""Allowed is what the credential can do and the role gives, and who does not belong learns nothing."""

import itertools

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.people import OWNER_RIGHTS, ROLE_RIGHTS, Right, Role
from durable_objects.shared.permission import check, check_credential
from tests.unit.people import caller

OWNER = "owner_1"
OF_AN_OWNER = tuple(right for right in Right if right != Right.OPERATE)


def refused(
    role: Role | None, need: Right, rights: frozenset[Right] = OWNER_RIGHTS, *, operator: bool = False
) -> str:
    with pytest.raises(BerthError) as caught:
        check(caller("p1", OWNER, rights=rights, operator=operator), OWNER, role, need)
    return str(caught.value)


@pytest.mark.parametrize(("role", "need"), list(itertools.product(Role, OF_AN_OWNER)))
def test_a_role_gives_its_rights_and_no_others(role: Role, need: Right) -> None:
    if need in ROLE_RIGHTS[role]:
        check(caller("p1", OWNER), OWNER, role, need)
    else:
        assert refused(role, need).startswith("forbidden")


@pytest.mark.parametrize(("able", "need"), list(itertools.product(OF_AN_OWNER, OF_AN_OWNER)))
def test_a_credential_can_do_no_more_than_it_says_even_for_an_owner(able: Right, need: Right) -> None:
    if able == need:
        check(caller("p1", OWNER, rights=frozenset({able})), OWNER, Role.OWNER, need)
    else:
        assert refused(Role.OWNER, need, frozenset({able})).startswith("forbidden")


def test_who_has_no_role_is_told_the_same_for_everything() -> None:
    told = {refused(None, need, rights) for need in OF_AN_OWNER for rights in (OWNER_RIGHTS, frozenset())}
    assert len(told) == 1
    assert told.pop().startswith("not_found")


def test_a_caller_for_another_owner_is_refused_whatever_the_role_is() -> None:
    with pytest.raises(BerthError) as caught:
        check(caller("p1", "owner_2"), OWNER, Role.OWNER, Right.READ)
    assert caught.value.code == ErrorCode.NOT_FOUND


def test_only_operators_operate_and_no_role_makes_one() -> None:
    check(caller("p1", OWNER, operator=True), OWNER, None, Right.OPERATE)
    for role in (None, *Role):
        assert refused(role, Right.OPERATE, frozenset(Right)).startswith("forbidden")
    with pytest.raises(BerthError):
        check_credential(caller("p1"), Right.OPERATE)


def test_an_operator_has_no_way_into_an_owner() -> None:
    for need in OF_AN_OWNER:
        assert refused(None, need, operator=True).startswith("not_found")
