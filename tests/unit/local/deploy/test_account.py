"""Cloudflare's API through its stand-in: what is read of it, and what becomes of answers that do not fit."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from local.deploy.account import Account, AccountError, AccountRefusedError, connect
from tests.cloudflare_api.server import ACCOUNT, TOKEN, CloudflareState, WorkerState, served


@pytest.fixture
def state() -> CloudflareState:
    return CloudflareState()


@pytest.fixture
def base_url(state: CloudflareState) -> Iterator[str]:
    with served(state) as url:
        yield url


@pytest.fixture
def rests() -> list[float]:
    """How long it waited, each time."""
    return []


@pytest.fixture
def account(base_url: str, rests: list[float]) -> Iterator[Account]:
    with Account(TOKEN, ACCOUNT, base_url, rests.append) as made:
        yield made


def test_an_empty_account(account: Account) -> None:
    assert account.worker("bot") is None
    assert not account.bucket("bot")
    assert account.subdomain() == "someone"
    assert account.may_run_containers()


def test_a_worker_that_is_there(account: Account, state: CloudflareState) -> None:
    state.workers["bot"] = WorkerState(migration="v1", secrets={"BERTH_VAPID_KEY": "x"})
    found = account.worker("bot")
    assert found is not None
    assert (found.migration, found.secrets) == ("v1", frozenset({"BERTH_VAPID_KEY"}))


def test_a_bucket_is_made(account: Account, state: CloudflareState) -> None:
    account.create_bucket("bot")
    assert state.buckets == {"bot"}
    assert account.bucket("bot")


@pytest.mark.parametrize(
    ("host", "held"),
    [("bot.example.com", True), ("example.com", True), ("a.b.example.com", True), ("bot.example.org", False)],
)
def test_whether_a_zone_holds_a_host(account: Account, host: str, held: bool) -> None:
    assert account.has_zone_of(host) is held


def test_a_plan_without_containers(account: Account, state: CloudflareState) -> None:
    state.containers = False
    assert not account.may_run_containers()


def test_an_account_without_a_host(account: Account, state: CloudflareState) -> None:
    state.subdomain = ""
    assert account.subdomain() == ""


def test_a_refusal_names_what_was_refused_and_no_token(account: Account, state: CloudflareState) -> None:
    state.failing["/workers/services/bot"] = 403
    with pytest.raises(AccountRefusedError, match="the token may not do this: GET /accounts") as caught:
        account.worker("bot")
    assert TOKEN not in str(caught.value)


def test_an_error_of_theirs(account: Account, state: CloudflareState) -> None:
    state.failing["/r2/buckets"] = 500
    with pytest.raises(AccountError, match=r"Cloudflare refused POST .*told to refuse"):
        account.create_bucket("bot")


def test_nobody_answers() -> None:
    with (
        Account(TOKEN, ACCOUNT, "http://127.0.0.1:9", lambda _seconds: None) as account,
        pytest.raises(AccountError, match="did not answer"),
    ):
        account.worker("bot")


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("<html>", "without JSON"),
        ("[]", "no answer of its API"),
        (json.dumps({"success": True, "result": {}}), "no default_environment"),
        (json.dumps({"success": True, "result": {"default_environment": {"script": []}}}), "no script"),
        (json.dumps({"success": False, "result": None}), "Cloudflare refused"),
        (json.dumps({"result": {"default_environment": {"script": {}}}}), "Cloudflare refused"),
    ],
)
def test_an_answer_that_does_not_fit(answer: str, sentence: str) -> None:
    class Liar(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            """Nothing."""

    server = HTTPServer(("127.0.0.1", 0), Liar)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        account = Account(TOKEN, ACCOUNT, f"http://127.0.0.1:{server.server_port}")
        with account, pytest.raises(AccountError, match=sentence):
            account.worker("bot")
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("statuses", [[429], [500, 503], [0, 429, 502]])
def test_a_question_that_fails_for_a_while_is_asked_again(
    account: Account, state: CloudflareState, rests: list[float], statuses: list[int]
) -> None:
    state.workers["bot"] = WorkerState(migration="v1")
    state.passing["/workers/services/bot"] = list(statuses)
    found = account.worker("bot")
    assert found is not None
    assert rests == [2.0, 4.0, 8.0][: len(statuses)]


def test_it_is_not_asked_for_ever(account: Account, state: CloudflareState, rests: list[float]) -> None:
    state.failing["/workers/services/bot"] = 429
    with pytest.raises(AccountError, match="told to refuse"):
        account.worker("bot")
    assert len(rests) == 3


@pytest.mark.parametrize(("named", "waited"), [("7", 7.0), ("86400", 60.0), ("Tue, 1 Dec", 2.0), ("-5", 2.0)])
def test_it_waits_as_long_as_it_is_told_and_not_for_ever(
    account: Account, state: CloudflareState, rests: list[float], named: str, waited: float
) -> None:
    state.passing["/r2/buckets/bot"], state.retry_after = [429], named
    assert not account.bucket("bot")
    assert rests == [waited]


def test_a_refusal_is_not_asked_again(account: Account, state: CloudflareState, rests: list[float]) -> None:
    state.failing["/workers/services/bot"] = 403
    with pytest.raises(AccountRefusedError):
        account.worker("bot")
    assert rests == []


def test_a_bucket_whose_answer_was_lost_is_there_and_asked_for_once(
    account: Account, state: CloudflareState
) -> None:
    state.lost = {"POST /r2/buckets"}
    account.create_bucket("bot")
    assert state.buckets == {"bot"}
    assert [one.split()[0] for one in state.asked] == ["POST", "GET"]


def test_a_bucket_that_somebody_made_meanwhile_is_taken(account: Account, state: CloudflareState) -> None:
    state.buckets.add("bot")
    state.failing["/r2/buckets"] = 409
    account.create_bucket("bot")


@pytest.mark.parametrize(
    ("shares", "sentence"),
    [([], "no version that runs"), (["x"], "no percentage"), ([{"percentage": 100}], "no version_id")],
)
def test_a_deployment_without_its_versions(
    account: Account, state: CloudflareState, shares: list[Any], sentence: str
) -> None:
    state.workers["bot"] = WorkerState(deployments=[{"created_on": "2026", "versions": shares}])
    with pytest.raises(AccountError, match=sentence):
        account.running("bot")


def environment(base_url: str, **more: str) -> dict[str, str]:
    return {"CLOUDFLARE_API_TOKEN": TOKEN, "CLOUDFLARE_API_BASE_URL": base_url, **more}


def test_the_only_account_of_a_token_needs_no_name(base_url: str) -> None:
    with connect(environment(base_url)) as account:
        assert account.id == ACCOUNT


def test_without_a_token_the_page_that_says_how_is_named() -> None:
    with pytest.raises(AccountError, match=r"docs/deploy\.md"):
        connect({})


def test_a_wrong_token(base_url: str) -> None:
    with pytest.raises(AccountRefusedError, match="may not do this"):
        connect({**environment(base_url), "CLOUDFLARE_API_TOKEN": "another"})


def test_of_several_accounts_one_is_named(base_url: str, state: CloudflareState) -> None:
    other = "f" * 32
    state.accounts[other] = "Another's"
    with pytest.raises(AccountError, match=r"set CLOUDFLARE_ACCOUNT_ID to one of: .*Another's"):
        connect(environment(base_url))
    with connect(environment(base_url, CLOUDFLARE_ACCOUNT_ID=other)) as account:
        assert account.id == other
    with pytest.raises(AccountError, match="for another account"):
        connect(environment(base_url, CLOUDFLARE_ACCOUNT_ID="e" * 32))


def test_a_token_for_no_account(base_url: str, state: CloudflareState) -> None:
    state.accounts.clear()
    with pytest.raises(AccountError, match="for no account"):
        connect(environment(base_url))
