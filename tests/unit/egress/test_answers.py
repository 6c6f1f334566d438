"""What a program is told, and which headers stay off the wire."""

import json

import pytest

from contracts.errors import BerthError, ErrorCode
from egress.answers import denied, keeps_request_header, keeps_response_header, outgoing_headers, refusal
from egress.policy import Verdict


def test_a_denial_names_its_rule_and_reason() -> None:
    answer = denied(Verdict(False, "default", "no rule allows it", "a.invalid"))
    assert answer.status == 403
    assert answer.headers["x-berth-egress"] == "denied; rule=default"
    assert json.loads(answer.body) == {
        "code": "egress_denied",
        "message": "Denied: no rule allows it.",
        "details": {"rule": "default"},
    }


@pytest.mark.parametrize(("seconds", "told"), [(0.2, "1"), (1.0, "1"), (1.2, "2")])
def test_a_refusal_says_when_to_come_again(seconds: float, told: str) -> None:
    answer = refusal(BerthError(ErrorCode.EGRESS_THROTTLED, "Wait.", retry_after_s=seconds))
    assert (answer.status, answer.headers["retry-after"]) == (429, told)


@pytest.mark.parametrize(
    "name",
    [
        "host", "cookie", "authorization", "x-http-method-override", "x-original-url", "x-forwarded-host",
        "cf-connecting-ip", "sec-fetch-site", "proxy-connection", "upgrade", "connection", "x-berth-egress",
        "x-method-override", "x-http-host-override", "x-host-override", "x-original-host", "x-rewrite-url",
        "x-client-ip", "client-ip", "true-client-ip", "x-cluster-client-ip", "x-originating-ip", "x-method",
        "x-remote-addr", "destination", "base-url", "x-http-destinationurl", "max-forwards", "cookie2",
        "x_forwarded_host", "x_http_method_override", "transfer_encoding", "cdn-loop", "x-forwarded",
    ],
)  # fmt: skip
def test_headers_that_override_or_identify_stay_here(name: str) -> None:
    assert not keeps_request_header(name)


@pytest.mark.parametrize(
    "name",
    ["accept", "user-agent", "range", "if-none-match", "content-type", "x-api-key", "npm-command", "origin"],
)
def test_headers_of_the_request_itself_go_on(name: str) -> None:
    assert keeps_request_header(name)


@pytest.mark.parametrize("name", ["alt-svc", "upgrade", "x-berth-egress"])
def test_what_leads_around_or_speaks_in_our_name_never_comes_in(name: str) -> None:
    assert not keeps_response_header(name)
    assert keeps_response_header("content-encoding")


def test_a_query_is_sent_with_headers_of_ours_alone() -> None:
    pairs = [["content-type", "application/json; charset=utf-7"], ["content-encoding", "gzip"], ["x-a", "b"]]
    assert outgoing_headers(pairs, query=True) == {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",
    }
    assert outgoing_headers(pairs, query=False)["x-a"] == "b"


def test_a_bomb_of_ranges_is_not_passed_on() -> None:
    few, many = "bytes=0-1,5-9", "bytes=" + ",".join(["0-"] * 1000)
    assert outgoing_headers([["range", few]], query=False)["range"] == few
    assert "range" not in outgoing_headers([["range", many]], query=False)
