"""Who tries too often to get in is told so; who is in already goes on."""

from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest

from contracts.limits import SIGN_IN_ATTEMPTS_MAX
from local.stack import LocalStack
from tests.integration.chat.person import Person
from tests.integration.chat.test_signed_in import Browser


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """A stack of its own: on one's own machine all attempts are of one address."""
    with LocalStack(tmp_path_factory.mktemp("tried")) as running:
        yield running


@pytest.fixture
async def browser(tried: LocalStack) -> AsyncIterator[Browser]:
    async with aiohttp.ClientSession(base_url=tried.url, cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Browser(tried, session, "tried")


async def test_too_many_attempts_of_an_address_are_refused_for_a_minute(
    browser: Browser, tried: LocalStack
) -> None:
    await browser.sign_in()
    said = []
    # The counter begins anew with each minute of the clock, so the tries may fall into two.
    for _ in range(2 * SIGN_IN_ATTEMPTS_MAX + 1):
        answer = await browser.ask("POST", "/api/sign-in/local", None, json={"token": "wrong"})
        said.append(answer["code"])
        if answer["code"] == "too_many_attempts":
            break
    assert set(said[:-1]) == {"unauthenticated"}
    assert (said[-1], answer["status"], answer["retry_after_s"]) == ("too_many_attempts", 429, 60)
    assert len(said) >= SIGN_IN_ATTEMPTS_MAX
    # The right token too: an address is refused, not a guess.
    assert (await browser.ask("POST", "/api/sign-in/local", None, json={"token": tried.token}))[
        "status"
    ] == 429
    await browser.ask("GET", "/api/threads")
    async with Person.at(tried) as person:
        await person.get("/api/threads")
