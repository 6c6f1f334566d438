"""The page of operators: owners as numbers, what is done about them, the record. Nobody else sees it."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.test_accessibility import violations

TABS = ("Overview", "Owners", "Record")


@pytest.fixture
def operator(stack: LocalStack) -> str:
    """The address at which the person at this machine is an operator."""
    return stack.url.replace("127.0.0.1", "localhost")


@pytest.fixture
def owner(stack: LocalStack) -> Iterator[str]:
    """The id of somebody else, with a bot."""
    host = {"host": f"watched.localhost:{stack.url.rsplit(':', 1)[1]}"}
    with httpx.Client(base_url=stack.url, headers={**host, **stack.headers}) as client:
        made = client.post("/api/bots", json={"name": "Not to be read"})
        assert made.status_code == 201
        yield "local-watched"


def tab(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Operator").get_by_role("link", name=name).click()


def at_owner(page: Page, operator: str, owner: str) -> None:
    page.goto(f"{operator}/operator/owners")
    page.get_by_label("Id begins with").fill(owner)
    page.get_by_role("row", name=re.compile(owner)).get_by_role("link", name=owner, exact=True).click()
    expect(page.get_by_role("region", name=owner)).to_be_visible()


def test_an_owner_is_found_banned_exempted_and_granted(visit: Visit, operator: str, owner: str) -> None:
    page = visit(f"{operator}/settings")
    page.get_by_role("navigation", name="Settings").get_by_role("link", name="Operator").click()
    expect(page.get_by_role("region", name="This deployment")).to_contain_text("Owners")
    at_owner(page, operator, owner)
    facts = page.get_by_role("region", name=owner)

    facts.get_by_role("button", name="Ban…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Ban", exact=True)).to_be_disabled()
    dialog.get_by_label("Reason").fill("mining")
    dialog.get_by_role("button", name="Ban", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(facts).to_contain_text("Banned: mining")
    expect(page.get_by_role("region", name="Record")).to_contain_text("computer_banned")
    facts.get_by_role("button", name="End the ban…").click()
    dialog.get_by_role("button", name="End the ban", exact=True).click()
    expect(facts).not_to_contain_text("mining")

    facts.get_by_role("button", name="Exempt from breakers…").click()
    dialog.get_by_label("Reason").fill("ours")
    dialog.get_by_role("button", name="Exempt from breakers", exact=True).click()
    expect(facts).to_contain_text("Exempt from the breakers: ours")
    facts.get_by_role("button", name="End the exemption…").click()
    dialog.get_by_role("button", name="End the exemption", exact=True).click()
    expect(facts).not_to_contain_text("ours")

    facts.get_by_role("button", name="Grant allowance…").click()
    dialog.get_by_label("US dollars").fill("0")
    expect(dialog.get_by_role("alert")).to_be_visible()
    expect(dialog.get_by_role("button", name="Grant allowance", exact=True)).to_be_disabled()
    dialog.get_by_label("US dollars").fill("2.5")
    dialog.get_by_role("button", name="Grant allowance", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("region", name="Record")).to_contain_text("micro: 2500000")
    expect(page.locator("body")).not_to_contain_text("Not to be read")


def test_the_network_is_cut_and_comes_back(visit: Visit, operator: str, owner: str) -> None:
    page = visit(f"{operator}/operator")
    page.get_by_role("button", name="Cut the network").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Reason").fill("an attack")
    dialog.get_by_role("button", name="Cut the network").click()
    expect(page.get_by_text("an attack", exact=True)).to_be_visible()
    page.get_by_role("button", name="Restore the network").click()
    dialog.get_by_role("button", name="Restore the network").click()
    expect(page.get_by_text("an attack", exact=True)).to_have_count(0)


def test_the_chain_of_the_record_is_followed_and_taken_away(
    visit: Visit, operator: str, owner: str, tmp_path: Path
) -> None:
    page = visit(f"{operator}/operator/record")
    expect(page.get_by_role("region", name="Record", exact=True)).to_contain_text("bot_created")
    page.get_by_role("button", name="Check the chain").click()
    expect(page.get_by_role("status").filter(has_text="Whole")).to_contain_text(re.compile(r"[0-9a-f]{64}"))
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all").click()
    download.value.save_as(tmp_path / "record")
    assert "bot_created" in (tmp_path / "record").read_text()


def test_nobody_else_sees_it(visit: Visit, stack: LocalStack, watch: Watch) -> None:
    watch.expected = ("403",)
    page = visit(stack.url.replace("127.0.0.1", "curious.localhost") + "/operator")
    expect(page.get_by_role("group", name=re.compile("."))).to_contain_text("You may not do this here.")
    page.goto(stack.url.replace("127.0.0.1", "curious.localhost") + "/settings")
    expect(page.get_by_role("link", name="General")).to_be_visible()
    expect(page.get_by_role("link", name="Operator")).to_have_count(0)


@pytest.mark.parametrize(
    ("phone", "theme"), [(False, "light"), (False, "dark"), (True, "dark"), (True, "light")]
)
def test_everybody_can_use_each_part(
    visit: Visit, operator: str, owner: str, theme: str, *, phone: bool
) -> None:
    page = visit(f"{operator}/operator", phone=phone, color_scheme=theme)
    for name in TABS:
        tab(page, name)
        expect(page).to_have_title(f"{name} · Operator · Berth")
        expect(page.get_by_text("Loading…")).to_have_count(0)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    at_owner(page, operator, owner)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("locale", "title"), [("zh-CN", "运营"), ("zh-TW", "營運")])
def test_it_speaks_each_language(visit: Visit, operator: str, owner: str, locale: str, title: str) -> None:
    page = visit(f"{operator}/operator", locale=locale)
    expect(page.get_by_role("navigation", name=title)).to_be_visible()
    for link in page.get_by_role("navigation", name=title).get_by_role("link").all():
        link.click()
        expect(page.locator("main")).not_to_contain_text(
            re.compile(r"\b(Owner|Breaker|Reason|Record|Computer)\b")
        )
