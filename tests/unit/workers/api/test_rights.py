"""Every route has a rule, and what has none is no route."""

from http import HTTPStatus

import pytest

from api.rights import OF_OWNER, OF_PERSON, NoRouteError, rule_of
from contracts.people import Right


def missing(method: str, path: str) -> HTTPStatus:
    with pytest.raises(NoRouteError) as caught:
        rule_of(method, path)
    return caught.value.status


@pytest.mark.parametrize("route", [*OF_OWNER, *OF_PERSON])
def test_each_route_finds_its_own_rule(route: str) -> None:
    method, path = route.split(" ")
    found = rule_of(method, path.replace("{", "x").replace("}", ""))
    assert found.right == {**OF_OWNER, **OF_PERSON}[route]
    assert found.of == ("owner" if route in OF_OWNER else "person")


def test_a_name_comes_before_what_is_left_open() -> None:
    assert rule_of("POST", "/api/routines/times").right == Right.CHAT
    assert rule_of("GET", "/api/routines/times").right == Right.READ
    assert rule_of("PUT", "/api/routines/times").right == Right.MANAGE


def test_looking_at_the_head_of_an_answer_needs_what_reading_it_needs() -> None:
    assert rule_of("HEAD", "/api/artifacts/art_1/content").right == Right.READ


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api",
        "/api/",
        "/api/nothing",
        "/api/bots/",
        "/api//bots",
        "/api/threads/",
        "/api/threads//events",
        "/API/bots",
        "/api/%62ots",
        "/api/threads/x%2Fevents",
        "/api/threads/x/events/y",
        "api/bots/x/y",
        "/api/{}",
    ],
)
def test_what_is_no_route_is_not_found(path: str) -> None:
    assert missing("GET", path) == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "TRACE", "get", ""])
def test_another_method_of_a_route_is_none(method: str) -> None:
    assert missing(method, "/api/bots") == HTTPStatus.METHOD_NOT_ALLOWED


def test_only_a_decision_needs_the_right_to_approve() -> None:
    routes = [route for route, right in {**OF_OWNER, **OF_PERSON}.items() if right == Right.APPROVE]
    assert routes == ["POST /api/approvals/{intent_id}/decision"]
