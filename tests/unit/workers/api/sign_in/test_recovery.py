"""Recovery codes: the way back in, once each."""

from dataclasses import replace
from typing import Any

import pytest

from api.sign_in import recovery
from api.sign_in.office import Asked
from contracts.errors import BerthError, ErrorCode
from contracts.limits import RECOVERY_CODES
from contracts.reasons import because
from tests.unit.workers.api.sign_in.desk import Desk
from tests.unit.workers.api.sign_in.test_passkey import come, own


async def refused(desk: Desk, code: str) -> None:
    with pytest.raises(BerthError) as caught:
        await recovery.recover(desk.office(), code)
    assert caught.value.code == ErrorCode.UNAUTHENTICATED


async def test_each_code_lets_its_person_in_once(desk: Desk) -> None:
    ada, bob = await come(desk, own()), await come(desk, own(), "Bob")
    codes = await recovery.new_codes(desk.own(ada.person_id), ada.person_id)
    await recovery.new_codes(desk.own(bob.person_id), bob.person_id)
    assert len(set(codes)) == RECOVERY_CODES
    for left, code in enumerate(reversed(codes)):
        assert (await recovery.recover(desk.office(), code)).person_id == ada.person_id
        assert desk.shown(ada.person_id).recovery_codes_left == RECOVERY_CODES - left - 1
        await refused(desk, code)


async def test_a_code_is_read_as_people_write_it(desk: Desk) -> None:
    ada = await come(desk, own())
    first, second, *_ = await recovery.new_codes(desk.own(ada.person_id), ada.person_id)
    await recovery.recover(desk.office(), f"  {first.lower().replace('-', ' ')}\n")
    misread = second.replace("O", "0").replace("I", "1").replace("B", "8")
    await recovery.recover(desk.office(), misread)


async def test_new_codes_are_the_only_ones(desk: Desk) -> None:
    ada = await come(desk, own())
    before = await recovery.new_codes(desk.own(ada.person_id), ada.person_id)
    after = await recovery.new_codes(desk.own(ada.person_id), ada.person_id)
    for code in before:
        await refused(desk, code)
    assert (await recovery.recover(desk.office(), after[0])).person_id == ada.person_id


@pytest.mark.parametrize("done", [False, True], ids=["unheard", "unanswered"])
@pytest.mark.parametrize("dies", ["add_recovery", "keep_recovery_codes", "forget_recovery"])
async def test_whatever_dies_while_codes_are_made_one_set_is_good(desk: Desk, dies: str, done: bool) -> None:
    ada = await come(desk, own())
    before = await recovery.new_codes(desk.own(ada.person_id), ada.person_id)
    office = desk.own(ada.person_id)

    def mortal(ask: Asked) -> Asked:
        async def asked(operation: str, **fields: Any) -> Any:
            if operation != dies or done:
                answer = await ask(operation, **fields)
            if operation == dies:
                raise because(ErrorCode.INTERNAL, "berth_silent")
            return answer

        return asked

    dying = replace(
        office, directory=mortal(office.directory), person=lambda person_id: mortal(office.person(person_id))
    )
    if dies == "forget_recovery":
        after = await recovery.new_codes(dying, ada.person_id)
        await refused(desk, before[0])
        assert (await recovery.recover(desk.office(), after[0])).person_id == ada.person_id
        return
    with pytest.raises(BerthError):
        await recovery.new_codes(dying, ada.person_id)
    if (dies, done) == ("keep_recovery_codes", True):
        # Nobody has seen those that hold now, and their person was told that it did not go well.
        await refused(desk, before[0])
    else:
        assert (await recovery.recover(desk.office(), before[0])).person_id == ada.person_id
    again = await recovery.new_codes(desk.own(ada.person_id), ada.person_id)
    await refused(desk, before[1])
    assert (await recovery.recover(desk.office(), again[0])).person_id == ada.person_id


@pytest.mark.parametrize("code", ["", "-", "AAAA-AAAA-AAAA-AAAA", "é", "0" * 200])
async def test_what_is_no_code_is_refused_like_a_used_one(desk: Desk, code: str) -> None:
    await come(desk, own())
    await refused(desk, code)


async def test_nothing_of_a_code_is_kept(desk: Desk) -> None:
    ada = await come(desk, own())
    codes = await recovery.new_codes(desk.own(ada.person_id), ada.person_id)
    stored = desk.stored()
    assert ada.person_id in stored
    assert not any(code in stored or code.replace("-", "") in stored for code in codes)
