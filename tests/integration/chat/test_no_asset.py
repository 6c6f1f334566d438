"""Addresses that are neither a file nor a route: the page for who opens one, nothing for the rest."""

from typing import Any

import aiohttp
import pytest

from local.stack import LocalStack

OPENS = {"accept": "text/html,*/*", "sec-fetch-mode": "navigate"}
LOADS = {"accept": "*/*", "sec-fetch-mode": "cors"}
OLD = {"accept": "text/html,*/*"}


async def asked(stack: LocalStack, path: str, method: str = "GET", **headers: str) -> tuple[Any, str]:
    async with (
        aiohttp.ClientSession() as client,
        client.request(method, f"{stack.url}{path}", headers=headers) as answer,
    ):
        return answer, await answer.text()


@pytest.mark.parametrize("path", ["/assets/gone-0a1b2c.js", "/assets/", "/gone.png", "/t/thr_x/more.js"])
async def test_a_part_that_is_gone_is_not_the_page_and_nobody_keeps_that(
    stack: LocalStack, path: str
) -> None:
    answer, text = await asked(stack, path, **LOADS)
    assert (answer.status, answer.headers["cache-control"]) == (404, "no-store")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<html" not in text


@pytest.mark.parametrize("path", ["/t/thr_x", "/settings/usage", "/nothing", "/api"])
@pytest.mark.parametrize("headers", [OPENS, OLD])
async def test_who_opens_an_address_gets_the_page(
    stack: LocalStack, path: str, headers: dict[str, str]
) -> None:
    answer, text = await asked(stack, path, **headers)
    assert answer.status == 200
    assert "<html" in text
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "immutable" not in answer.headers["cache-control"]


async def test_a_part_that_is_there_is_kept_for_good(stack: LocalStack) -> None:
    _, page = await asked(stack, "/", **OPENS)
    part = page.split('src="', 1)[1].split('"', 1)[0]
    answer, text = await asked(stack, part, **LOADS)
    assert (answer.status, "immutable" in answer.headers["cache-control"]) == (200, True)
    assert len(text) > 1000


@pytest.mark.parametrize("path", ["/", "/t/thr_x", "/assets/gone.js", "/healthz"])
async def test_nothing_is_written_there(stack: LocalStack, path: str) -> None:
    answer, _ = await asked(stack, path, "POST", **OPENS)
    assert answer.status in {404, 405}
