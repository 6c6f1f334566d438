"""An invitation to a workspace lets one new person come where nobody comes uninvited, by whatever way."""

import pytest

from api.sign_in import account, passkey
from api.sign_in.settings import Oidc
from contracts.errors import BerthError, ErrorCode
from contracts.limits import INVITATION_DAYS
from contracts.people import Role
from tests.identity.authenticator import Authenticator
from tests.identity.pretender import CLIENT, Pretender
from tests.unit.workers.api.sign_in.desk import PLACE, Desk

HERE = "owner_" + "0" * 26


def code_of(desk: Desk, owner_id: str = HERE) -> str:
    return desk.invitations(owner_id).make(Role.MEMBER, "person_owner").code


async def come(desk: Desk, code: str, name: str = "Ada") -> str:
    key = Authenticator(PLACE.origin, PLACE.rp_id)
    options = await passkey.sign_up_options(desk.office(), name, code)
    return (await passkey.sign_up(desk.office(), key.create(options), "Phone")).person_id


async def refused(desk: Desk, code: str) -> None:
    with pytest.raises(BerthError) as caught:
        await come(desk, code)
    assert caught.value.code == ErrorCode.FORBIDDEN


async def test_one_new_person_comes_by_a_passkey_and_no_operator(desk: Desk) -> None:
    code = code_of(desk)
    person_id = await come(desk, f" {code}\n")
    assert desk.directory.person(person_id) is not None
    known = desk.directory.person(person_id)
    assert known is not None
    assert not known.operator
    await refused(desk, code)


async def test_two_who_began_at_once_do_not_both_come(desk: Desk) -> None:
    code = code_of(desk)
    keys = [Authenticator(PLACE.origin, PLACE.rp_id) for _ in range(2)]
    begun = [await passkey.sign_up_options(desk.office(), "Ada", code) for _ in keys]
    answers = [key.create(options) for key, options in zip(keys, begun, strict=True)]
    first = await passkey.sign_up(desk.office(), answers[0], "Phone")
    with pytest.raises(BerthError) as caught:
        await passkey.sign_up(desk.office(), answers[1], "Phone")
    assert caught.value.code == ErrorCode.FORBIDDEN
    # An answer may be lost on its way.
    assert (await passkey.sign_up(desk.office(), answers[0], "Phone")).person_id == first.person_id


async def test_what_was_used_taken_back_ended_or_made_up_lets_nobody_in(desk: Desk) -> None:
    invitations = desk.invitations(HERE)
    used, taken = invitations.make(Role.MEMBER, "person_owner"), invitations.make(Role.MEMBER, "person_owner")
    invitations.use(used.id, "person_x")
    invitations.take_back(taken.id)
    ended = code_of(desk)
    desk.later_ms += INVITATION_DAYS * 86_400_000 + 1
    elsewhere = code_of(desk).replace("owner_0", "owner_1")
    for code in (used.code, taken.code, ended, elsewhere, f"berth_i_{HERE}_x", f"{HERE}:{'0' * 64}"):
        await refused(desk, code)


async def test_by_a_provider_too_and_who_is_here_uses_up_none(desk: Desk, provider: Pretender) -> None:
    desk.set(ways=("oidc",), oidc=Oidc(provider.url, CLIENT, "", "Test ID"))

    async def enter(code: str) -> str:
        start = await account.begin(desk.office(), "/", code)
        known, _ = await account.finish(desk.office(), provider.come_back(start.url), start.login)
        return known.person_id

    with pytest.raises(BerthError):
        await enter("")
    code, other = code_of(desk), code_of(desk)
    assert await enter(code) == await enter(other)
    desk.set(ways=("passkey",))
    await refused(desk, code)
    await come(desk, other)
