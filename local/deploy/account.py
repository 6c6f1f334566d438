"""What Cloudflare's API says of an account, and the little that wrangler does not do.

Every answer is checked for what is read of it: a shape that does not fit is an error with a sentence, and so
is an address that does not answer. A question that was not answered is asked again a few times; what
changes something is not, and is looked at instead. The token is held by the client and is in no error.
Source: the public reference of Cloudflare's API (v4), and what wrangler itself asks.
"""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import httpx

from local.launcher.errors import LauncherError

BASE_URL = "https://api.cloudflare.com/client/v4"
SECONDS = 30
NOT_FOUND = 404
REFUSED = frozenset({401, 403})
TOO_MANY = 429
ERRORS_OF_THEIRS = 500
TRIES = 4
# Between one try and the next, twice as long each time; at most so long where Cloudflare names a time.
PAUSE_SECONDS = 2
PAUSE_SECONDS_MAX = 60


class AccountError(LauncherError):
    """Cloudflare refused, did not answer, or answered what cannot be."""


@dataclass(frozen=True)
class Worker:
    """A Worker that is there."""

    migration: str
    """The tag of the newest Durable Object migration that it has been through; may be empty."""
    secrets: frozenset[str]


@dataclass(frozen=True)
class Version:
    id: str
    number: int
    created: str
    message: str
    migration: str


class Account:
    """Use as a context manager."""

    def __init__(
        self,
        token: str,
        account_id: str,
        base_url: str = BASE_URL,
        rest: Callable[[float], None] = time.sleep,
    ) -> None:
        self._http = httpx.Client(
            base_url=base_url,
            headers={"authorization": f"Bearer {token}"},
            timeout=SECONDS,
            follow_redirects=False,
        )
        self.id = account_id
        self._rest = rest

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._http.close()

    def worker(self, name: str) -> Worker | None:
        found = self._ask("GET", f"/accounts/{self.id}/workers/services/{name}", absent=True)
        if found is None:
            return None
        script = _of(_of(found, "default_environment", dict), "script", dict)
        secrets = self._ask("GET", f"/accounts/{self.id}/workers/scripts/{name}/secrets")
        tag = script.get("migration_tag") or ""
        return Worker(str(tag), frozenset(_of(secret, "name", str) for secret in _list(secrets)))

    def bucket(self, name: str) -> bool:
        return self._ask("GET", f"/accounts/{self.id}/r2/buckets/{name}", absent=True) is not None

    def create_bucket(self, name: str) -> None:
        """It is there afterwards, also where the answer was lost or somebody else was quicker."""
        try:
            self._ask("POST", f"/accounts/{self.id}/r2/buckets", {"name": name})
        except AccountRefusedError:
            raise
        except AccountError:
            if not self.bucket(name):
                raise

    def subdomain(self) -> str:
        """The account's host below workers.dev; empty where none was chosen yet."""
        found = self._ask("GET", f"/accounts/{self.id}/workers/subdomain", absent=True)
        return _of(found, "subdomain", str) if found else ""

    def has_zone_of(self, host: str) -> bool:
        """Whether a zone of the account holds the host."""
        labels = host.split(".")
        names = [".".join(labels[start:]) for start in range(len(labels) - 1)]
        return any(
            _list(self._ask("GET", "/zones", params={"name": name, "account.id": self.id})) for name in names
        )

    def may_run_containers(self) -> bool:
        """Whether the account's plan has containers: the paid plan of Workers has."""
        try:
            self._ask("GET", f"/accounts/{self.id}/containers/me")
        except AccountRefusedError:
            return False
        return True

    def versions(self, name: str) -> list[Version]:
        """The newest versions of a Worker, newest first."""
        found = self._ask("GET", f"/accounts/{self.id}/workers/scripts/{name}/versions")
        return [self._version(name, _of(item, "id", str)) for item in _list(_of(found, "items", list))]

    def running(self, name: str) -> str:
        """The id of the version that answers now; with several, the one that most requests go to."""
        found = self._ask("GET", f"/accounts/{self.id}/workers/scripts/{name}/deployments")
        deployments = _list(_of(found, "deployments", list))
        if not deployments:
            raise AccountError(f"{name} has never been deployed")
        newest = max(deployments, key=lambda deployment: str(_of(deployment, "created_on", str)))
        shares = _list(_of(newest, "versions", list))
        if not shares:
            raise AccountError("Cloudflare's answer has no version that runs")
        most = max(shares, key=lambda share: float(_of(share, "percentage", (int, float))))
        return str(_of(most, "version_id", str))

    def _version(self, name: str, version_id: str) -> Version:
        found = self._ask("GET", f"/accounts/{self.id}/workers/scripts/{name}/versions/{version_id}")
        notes = found.get("annotations") if isinstance(found, dict) else None
        notes = notes if isinstance(notes, dict) else {}
        runtime = _of(_of(found, "resources", dict), "script_runtime", dict)
        return Version(
            id=version_id,
            number=_of(found, "number", int),
            created=str(_of(found, "metadata", dict).get("created_on", "")),
            message=str(notes.get("workers/message", "")),
            migration=str(runtime.get("migration_tag") or ""),
        )

    def _ask(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        params: Mapping[str, str] | None = None,
        absent: bool = False,
    ) -> Any:
        """The `result` of an answer; None for what is not there, where `absent` says that it may be so."""
        answer = self._answered(method, path, body, params)
        if absent and answer.status_code == NOT_FOUND:
            return None
        told = _json(answer)
        if answer.status_code in REFUSED:
            raise AccountRefusedError(f"the token may not do this: {method} {path} ({_reason(told)})")
        if not answer.is_success or told.get("success") is not True:
            raise AccountError(f"Cloudflare refused {method} {path}: {_reason(told) or answer.status_code}")
        return told.get("result")

    def _answered(
        self, method: str, path: str, body: Mapping[str, Any] | None, params: Mapping[str, str] | None
    ) -> httpx.Response:
        """The answer of a few tries; one only where asking twice could do something twice."""
        tries = TRIES if method == "GET" else 1
        for more in reversed(range(tries)):
            pause = float(PAUSE_SECONDS * 2 ** (tries - 1 - more))
            try:
                answer = self._http.request(method, path, json=body, params=params)
            except httpx.HTTPError as error:
                if not more:
                    raise AccountError(
                        f"Cloudflare did not answer ({type(error).__name__}): try again"
                    ) from error
            else:
                passing = answer.status_code == TOO_MANY or answer.status_code >= ERRORS_OF_THEIRS
                if not more or not passing:
                    return answer
                pause = _named_pause(answer, pause)
            self._rest(pause)
        raise AssertionError("the last try has returned or raised")


class AccountRefusedError(AccountError):
    """The token does not allow it, or the plan does not have it."""


def connect(environment: Mapping[str, str] = os.environ) -> Account:
    """The account that the environment's token is for. Raises AccountError with what to set."""
    token = environment.get("CLOUDFLARE_API_TOKEN", "")
    if not token:
        raise AccountError("there is no CLOUDFLARE_API_TOKEN: docs/deploy.md says how to make one")
    base_url = environment.get("CLOUDFLARE_API_BASE_URL", BASE_URL)
    with Account(token, "", base_url) as asking:
        accounts = _list(asking._ask("GET", "/accounts", params={"per_page": "50"}))  # noqa: SLF001 - its own module
    names = {_of(account, "id", str): str(account.get("name", "")) for account in accounts}
    chosen = environment.get("CLOUDFLARE_ACCOUNT_ID", "")
    if chosen and chosen not in names:
        raise AccountError("the token is for another account than CLOUDFLARE_ACCOUNT_ID names")
    if not chosen and len(names) != 1:
        listed = ", ".join(f"{account_id} ({name})" for account_id, name in names.items())
        raise AccountError(
            f"set CLOUDFLARE_ACCOUNT_ID to one of: {listed}" if names else "the token is for no account"
        )
    return Account(token, chosen or next(iter(names)), base_url)


def _named_pause(answer: httpx.Response, otherwise: float) -> float:
    """Seconds, as the answer says them."""
    named = answer.headers.get("retry-after", "")
    return min(float(named), PAUSE_SECONDS_MAX) if named.isascii() and named.isdigit() else otherwise


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        told = answer.json()
    except ValueError as error:
        raise AccountError(f"Cloudflare answered {answer.status_code} without JSON: try again") from error
    if not isinstance(told, dict):
        raise AccountError("Cloudflare answered what is no answer of its API")
    return told


def _reason(told: Mapping[str, Any]) -> str:
    errors = told.get("errors")
    if not isinstance(errors, list):
        return ""
    return "; ".join(str(error.get("message", "")) for error in errors if isinstance(error, dict))[:300]


def _list(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise AccountError("Cloudflare's answer has no list where there should be one")
    return found


def _of(found: Any, name: str, kind: type | tuple[type, ...]) -> Any:
    value = found.get(name) if isinstance(found, dict) else None
    if not isinstance(value, kind):
        raise AccountError(f"Cloudflare's answer has no {name}")
    return value
