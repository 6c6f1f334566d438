"""A deployment of people: passkeys, a real OpenID provider, and its first person."""

from collections.abc import Iterator

import pytest

from local.stack import LocalStack
from tests.identity.real_provider import real_provider
from tests.integration.sign_in.guest import Guest

SETUP_CODE = "a setup code of many characters"


@pytest.fixture(scope="session")
def provider() -> Iterator[str]:
    with real_provider() as url:
        yield url


@pytest.fixture(scope="session")
def deployment(provider: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    settings = {
        "BERTH_SIGN_IN": "passkey oidc",
        "BERTH_SETUP_CODE": SETUP_CODE,
        "BERTH_OIDC_ISSUER": provider,
        "BERTH_OIDC_CLIENT_ID": "berth-test",
        "BERTH_OIDC_NAME": "Test ID",
    }
    with LocalStack(tmp_path_factory.mktemp("people"), vars=settings) as running:
        yield running


@pytest.fixture(scope="session")
def operator(deployment: LocalStack) -> Iterator[Guest]:
    """The first person. Whoever has the setup code later comes too late."""
    with Guest(deployment.url) as guest:
        guest.sign_up("Ada", SETUP_CODE)
        yield guest


@pytest.fixture
def guest(deployment: LocalStack, operator: Guest) -> Iterator[Guest]:
    """Somebody who is not in yet, in a deployment that has its operator."""
    assert operator.person_id
    with Guest(deployment.url) as made:
        yield made
