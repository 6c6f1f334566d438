"""What Access vouched for is kept for a minute, and for no other token."""

import time

import pytest

from api.sign_in import account
from api.sign_in.access import KEPT_MAX, Answers
from api.sign_in.settings import Access
from contracts.errors import BerthError
from contracts.limits import ACCESS_KEPT_SECONDS
from durable_objects.platform.directory import hashed
from tests.identity.pretender import CLIENT, Pretender
from tests.unit.workers.api.sign_in.desk import Desk


@pytest.fixture
def access(desk: Desk, provider: Pretender) -> Desk:
    desk.set(ways=("access",), access=Access(provider.url, CLIENT), sign_up_open=True)
    return desk


async def come(desk: Desk, token: str) -> str:
    office = desk.office()
    return (await account.admit(office, await account.vouched_by_access(office, token), "")).person_id


async def test_a_token_is_checked_once_a_minute(
    access: Desk, provider: Pretender, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, token = Answers(), provider.id_token()
    assert await answers.of(access.office(), token) is None
    person_id = await come(access, token)
    found = await answers.of(access.office(), token)
    assert found is not None
    assert found.person_id == person_id
    # Kept: nobody is asked any more, whatever becomes of the settings behind it.
    monkeypatch.setattr(access.directory, "person", lambda _person_id: None)
    access.later_ms = (ACCESS_KEPT_SECONDS - 5) * 1000
    assert await answers.of(access.office(), token) == found
    access.later_ms = ACCESS_KEPT_SECONDS * 1000
    assert await answers.of(access.office(), token) is None


async def test_it_is_kept_no_longer_than_the_token_holds(
    access: Desk, provider: Pretender, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.claims["exp"] = int(time.time()) + 20
    answers, token = Answers(), provider.id_token()
    await come(access, token)
    known = await answers.of(access.office(), token)
    assert known
    assert known.until_ms == provider.claims["exp"] * 1000
    monkeypatch.setattr(access.directory, "person", lambda _person_id: None)
    access.later_ms = 21_000
    assert await answers.of(access.office(), token) is None


async def test_a_token_that_does_not_hold_is_not_helped_by_one_that_does(
    access: Desk, provider: Pretender
) -> None:
    answers, token = Answers(), provider.id_token()
    await come(access, token)
    await answers.of(access.office(), token)
    with pytest.raises(BerthError):
        await answers.of(access.office(), f"{token[:-4]}AAAA")


async def test_so_many_are_kept_and_not_one_more(access: Desk, provider: Pretender) -> None:
    answers, token = Answers(), provider.id_token()
    await come(access, token)
    found = await answers.of(access.office(), token)
    assert found
    kept = next(iter(answers._kept.values()))
    for number in range(KEPT_MAX - 1):
        answers._kept[str(number)] = kept
    provider.claims["sid"] = "another token of the same person"
    other = await answers.of(access.office(), provider.id_token())
    assert other
    assert other.person_id == found.person_id
    assert len(answers._kept) == KEPT_MAX
    assert hashed(token) not in answers._kept
