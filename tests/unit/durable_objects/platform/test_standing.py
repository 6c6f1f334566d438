"""Bans and the breaker: each holds for whom it should, survives, and is in the record."""

import pytest

from contracts.api import BanRequest, BreakerRequest
from contracts.audit import Actor
from contracts.operators import ExemptRequest
from contracts.people import Via
from contracts.records import EgressStanding
from durable_objects.platform.audit import Audit
from durable_objects.platform.owners import Owners
from durable_objects.platform.standing import PLATFORM, Standing
from durable_objects.shared.context import Context


@pytest.fixture
def standing(context: Context) -> Standing:
    return Standing(context, Audit(context), Owners(context))


def kinds(context: Context, owner_id: str) -> list[str]:
    return [entry.kind for entry in Audit(context).newest(owner_id).items]


def test_a_ban_is_one_owners(standing: Standing, context: Context) -> None:
    standing.ban("o1", BanRequest(reason="abuse"))
    banned = Standing(context, Audit(context), Owners(context)).of("o1").ban
    assert banned is not None
    assert banned.reason == "abuse"
    assert standing.of("o2") == EgressStanding()
    standing.lift("o1")
    standing.lift("o1")
    assert standing.of("o1") == EgressStanding()
    assert kinds(context, "o1") == ["computer_ban_lifted", "computer_banned"]
    assert kinds(context, "o2") == []


def test_the_breaker_is_everyones(standing: Standing, context: Context) -> None:
    standing.trip(BreakerRequest(reason="attack", exempt=["ok.invalid"]))
    for owner_id in ("o1", "o2"):
        breaker = Standing(context, Audit(context), Owners(context)).of(owner_id).breaker
        assert breaker is not None
        assert (breaker.reason, breaker.exempt) == ("attack", ["ok.invalid"])
    standing.reset()
    assert standing.of("o1") == EgressStanding()
    assert kinds(context, PLATFORM) == ["egress_breaker_reset", "egress_breaker_tripped"]


def test_a_computer_is_told_the_newest_until_it_has_heard_it(standing: Standing, context: Context) -> None:
    standing.ban("o1", BanRequest(reason="one"))
    standing.ban("o2", BanRequest(reason="other"))
    (first, other) = standing.news()
    assert (first.owner_id, first.ban and first.ban.reason) == ("o1", "one")
    standing.lift("o1")
    standing.heard(first)
    (still, newest) = Standing(context, Audit(context), Owners(context)).news()
    assert still == other
    assert (newest.owner_id, newest.ban) == ("o1", None)
    assert newest.n > first.n
    standing.heard(newest)
    standing.heard(other)
    assert standing.news() == []
    standing.ban("o1", BanRequest(reason="again"))
    assert standing.news()[0].n > newest.n


def test_the_breaker_does_not_hold_for_who_is_exempt_but_a_ban_does(
    standing: Standing, context: Context
) -> None:
    operator = Actor(person_id="person_1", via=Via.SESSION)
    standing.exempt("o1", ExemptRequest(reason="ours"), operator)
    standing.trip(BreakerRequest(reason="attack"))
    standing.ban("o1", BanRequest(reason="abuse"))
    assert standing.of("o1").breaker is None
    assert standing.of("o1").ban is not None
    assert standing.of("o2").breaker is not None
    standing.exempt("o1", None)
    assert standing.of("o1").breaker is not None
    (ended, _, begun) = Audit(context).newest("o1").items
    assert (begun.kind, begun.details, begun.actor) == ("owner_exempted", {"reason": "ours"}, operator)
    assert (ended.kind, ended.actor) == ("owner_exemption_ended", None)
