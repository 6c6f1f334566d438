"""Signing in, in a real browser with an authenticator in software: in, back in, and what is kept for it."""

import itertools
import re
from collections.abc import Iterator
from ipaddress import IPv4Address

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.test_accessibility import violations
from tests.browser.test_workspaces import seen
from tests.identity.real_provider import real_provider

SETUP_CODE = "a setup code of many characters"
# What a browser says of every question that is answered with a refusal.
REFUSED = ("status of 401", "status of 403", "status of 409", "status of 422")
# The provider's own pages have no icon, and ask for a typeface elsewhere.
ELSEWHERE = (*REFUSED, "status of 404", "asked somebody else", "ERR_NAME_NOT_RESOLVED")
ADDRESSES = itertools.count(1)
AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture(scope="session")
def people(built: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    assert built
    with real_provider() as provider:
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
def address(people: LocalStack) -> str:
    return people.url.replace("127.0.0.1", "localhost")


@pytest.fixture
def visit(visit: Visit) -> Visit:
    """Each page comes from an address of its own, by which attempts are counted."""

    def open_page(url: str, **options: object) -> Page:
        address = str(IPv4Address(next(ADDRESSES)))
        return visit(url, extra_http_headers={"cf-connecting-ip": address}, **options)

    return open_page


class Key:
    """An authenticator of a page. `verifies`: whether the person's finger is theirs."""

    def __init__(self, page: Page, **options: object) -> None:
        self._wire = page.context.new_cdp_session(page)
        self._wire.send("WebAuthn.enable")
        made = self._wire.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR | options})
        self._id = made["authenticatorId"]

    def verifies(self, *, it: bool) -> None:
        self._wire.send("WebAuthn.setUserVerified", {"authenticatorId": self._id, "isUserVerified": it})

    def passkeys(self) -> list[dict[str, object]]:
        found = self._wire.send("WebAuthn.getCredentials", {"authenticatorId": self._id})
        credentials: list[dict[str, object]] = found["credentials"]
        return credentials

    def empty(self) -> None:
        self._wire.send("WebAuthn.clearCredentials", {"authenticatorId": self._id})


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True)


def inside(page: Page) -> None:
    expect(page.get_by_role("heading", name="A bot with a computer of its own")).to_be_visible()


def sign_up(page: Page, address: str, code: str, name: str) -> None:
    page.goto(f"{address}/sign-up#{code}")
    page.get_by_label("Your name").fill(name)
    button(page, "Create a passkey").click()
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()


def settings(page: Page, address: str) -> Locator:
    page.goto(f"{address}/settings/signIn")
    shown = page.get_by_role("region", name="Sign-in", exact=True)
    expect(shown.get_by_role("group", name="Passkeys")).to_be_visible()
    return shown


@pytest.fixture(scope="session")
def operator(address: str, browser: Browser) -> Iterator[Page]:
    """The first person, in a browser of their own that stays open."""
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    Key(page)
    sign_up(page, address, SETUP_CODE.replace(" ", "%20"), "Ada")
    button(page, "Not now").click()
    inside(page)
    yield page
    context.close()


@pytest.fixture
def invitation(operator: Page, address: str) -> str:
    """The code of a new invitation, as the operator's page shows it."""
    shown = settings(operator, address)
    button(operator, "Invite somebody").click()
    link = shown.get_by_text(re.compile(r"/sign-up#[0-9a-f]+$"))
    return link.inner_text().partition("#")[2]


def test_an_invitation_a_passkey_and_the_way_back_in(
    invitation: str, address: str, visit: Visit, watch: Watch
) -> None:
    watch.expected = REFUSED
    page = visit(address)
    key = Key(page)
    sign_up(page, address, invitation, "Bob")
    # The code is not in the address any more, where it could be seen or sent on.
    assert "#" not in page.url
    assert len(key.passkeys()) == 1
    button(page, "Make recovery codes").click()
    codes = page.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    button(page, "I have kept them").click()
    inside(page)
    shown = settings(page, address)
    expect(shown.get_by_text("10 codes are left.")).to_be_visible()
    content = (
        "() => Object.keys(localStorage).filter((key) => /^berth[.](kept|out|draft)[.]/.test(key)).length"
    )
    page.wait_for_function(f"() => ({content})() > 0")
    button(page, "Sign out").click()
    expect(page.get_by_role("heading", name="Sign in to Berth")).to_be_visible()
    assert page.evaluate(content) == 0
    # A finger that is not theirs opens nothing.
    key.verifies(it=False)
    button(page, "Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("That did not work")
    key.verifies(it=True)
    button(page, "Sign in with a passkey").click()
    inside(page)
    page.reload()
    inside(page)


def test_lost_devices_a_code_and_a_new_passkey(
    invitation: str, address: str, visit: Visit, watch: Watch
) -> None:
    watch.expected = REFUSED
    page = visit(address)
    key = Key(page)
    sign_up(page, address, invitation, "Carol")
    button(page, "Make recovery codes").click()
    code = page.get_by_role("list", name="Recovery codes").get_by_role("listitem").first.inner_text()
    button(page, "I have kept them").click()
    inside(page)
    settings(page, address)
    button(page, "Sign out").click()
    key.empty()
    button(page, "Use a recovery code").click()
    page.get_by_label("Recovery code").fill("AAAA-AAAA-AAAA-AAAA")
    button(page, "Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("Not signed in")
    page.get_by_label("Recovery code").fill(code.lower())
    button(page, "Sign in").click()
    expect(page.get_by_role("heading", name="Choose a new passkey")).to_be_visible()
    button(page, "Add a passkey").click()
    inside(page)
    assert len(key.passkeys()) == 1
    shown = settings(page, address)
    expect(shown.get_by_text("9 codes are left.")).to_be_visible()
    rows = shown.get_by_role("group", name="Passkeys").get_by_role("listitem")
    expect(rows).to_have_count(2)


def test_passkeys_are_named_and_removed_but_the_last_one_stays(
    invitation: str, address: str, visit: Visit, watch: Watch
) -> None:
    watch.expected = REFUSED
    page = visit(address)
    Key(page)
    sign_up(page, address, invitation, "Dora")
    button(page, "Not now").click()
    inside(page)
    shown = settings(page, address)
    passkeys = shown.get_by_role("group", name="Passkeys")
    passkeys.get_by_role("button", name=re.compile("^Remove")).click()
    expect(shown.get_by_role("alert")).to_contain_text("Your last way in")
    passkeys.get_by_role("button", name=re.compile("^Rename")).click()
    passkeys.get_by_role("textbox", name=re.compile("^Rename")).fill("Old phone")
    passkeys.get_by_role("button", name="Save").click()
    expect(passkeys.get_by_text("Old phone", exact=True)).to_be_visible()
    # This very device has one of theirs, which its browser knows.
    page.get_by_label("Name of the new passkey").fill("Again")
    button(page, "Add a passkey").click()
    expect(shown.get_by_role("alert")).to_contain_text("There is one already")


def test_devices_and_tokens_are_ended_where_they_are_listed(
    invitation: str, address: str, visit: Visit, watch: Watch
) -> None:
    watch.expected = REFUSED
    page = visit(address)
    Key(page)
    sign_up(page, address, invitation, "Erin")
    button(page, "Make recovery codes").click()
    code = page.get_by_role("list", name="Recovery codes").get_by_role("listitem").first.inner_text()
    button(page, "I have kept them").click()
    inside(page)
    other = visit(address)
    button(other, "Use a recovery code").click()
    other.get_by_label("Recovery code").fill(code)
    button(other, "Sign in").click()
    button(other, "Not now").click()
    inside(other)
    shown = settings(page, address)
    devices = shown.get_by_role("group", name="Devices").get_by_role("listitem")
    expect(devices).to_have_count(2)
    button(page, "Sign out all others").click()
    expect(devices).to_have_count(1)
    other.reload()
    expect(other.get_by_role("heading", name="Sign in to Berth")).to_be_visible()
    tokens = shown.get_by_role("group", name="API tokens")
    expect(tokens.get_by_label("Approve orders")).not_to_be_checked()
    tokens.get_by_label("Name", exact=True).fill("A program")
    tokens.get_by_role("button", name="Make a token").click()
    expect(tokens.get_by_text(re.compile("^berth_t_person_"))).to_be_visible()
    tokens.get_by_role("button", name="Remove A program").click()
    expect(tokens.get_by_role("listitem")).to_have_count(0)


def test_a_person_is_called_something_else_and_deletes_their_account(
    invitation: str, address: str, visit: Visit, watch: Watch
) -> None:
    # What is being deleted is refused, and then nobody is signed in any more.
    watch.expected = (*REFUSED, "status of 409")
    page = visit(address, color_scheme="dark")
    Key(page)
    sign_up(page, address, invitation, "Grace")
    button(page, "Not now").click()
    inside(page)
    shown = settings(page, address)
    account = shown.get_by_role("group", name="Account", exact=True)
    account.get_by_label("Name", exact=True).fill("Grace H")
    button(page, "Save name").click()
    expect(button(page, "Save name")).to_be_disabled()
    page.reload()
    expect(account.get_by_label("Name", exact=True)).to_have_value("Grace H")
    seen(page, "account-en-dark-1440")

    def delete(*, at_once: bool) -> None:
        button(page, "Delete account\u2026").click()
        dialog = page.get_by_role("dialog", name="Delete your account?")
        asked = dialog.get_by_role("textbox")
        typed = re.search(r"person_[0-9A-Z]{26}", dialog.inner_text())
        assert typed
        expect(dialog.get_by_role("button", name="Delete account")).to_be_disabled()
        asked.fill(typed[0])
        dialog.get_by_label("Delete at once, without a way back").set_checked(at_once)
        assert violations(page) == []
        seen(page, "account-dialog")
        dialog.get_by_role("button", name="Delete account").click()

    delete(at_once=False)
    expect(page.get_by_role("heading", name="Everything will be deleted on")).to_be_visible()
    expect(page.get_by_text("Your account goes too.")).to_be_visible()
    seen(page, "account-leaving")
    button(page, "Keep everything").click()
    settings(page, address)
    delete(at_once=True)
    expect(page.get_by_role("heading", name="Sign in to Berth")).to_be_visible()
    button(page, "Sign in with a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("Not signed in")


@pytest.mark.parametrize("locale", ["zh-CN", "zh-TW"])
def test_an_account_on_a_phone_in_chinese(
    invitation: str, address: str, visit: Visit, watch: Watch, locale: str
) -> None:
    watch.expected = REFUSED
    page = visit(address)
    Key(page)
    sign_up(page, address, invitation, "Lin")
    button(page, "Not now").click()
    inside(page)
    kept = page.context.storage_state()
    phone = visit(address, locale=locale, phone=True, color_scheme="light", storage_state=kept)
    phone.goto(f"{address}/settings/signIn")
    start = phone.get_by_role("button", name=re.compile("^(删除账户|刪除帳戶)\u2026$"))
    start.scroll_into_view_if_needed()
    seen(phone, f"account-{locale}-430")
    start.click()
    expect(phone.get_by_role("dialog")).to_be_visible()
    seen(phone, f"account-dialog-{locale}-430")
    assert violations(phone) == []
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_provider_sends_people_back_to_where_they_wanted_to_go(
    invitation: str, address: str, visit: Visit, watch: Watch
) -> None:
    watch.expected = ELSEWHERE
    page = visit(f"{address}/sign-up#{invitation}")
    button(page, "Continue with Test ID").click()
    agree(page, "frank")
    inside(page)
    settings(page, address)
    button(page, "Sign out").click()
    expect(page.get_by_role("heading", name="Sign in to Berth")).to_be_visible()
    page.goto(f"{address}/settings/usage")
    # The provider knows this browser by now, and asks only whether it is meant.
    button(page, "Continue with Test ID").click()
    button(page, "Continue").click()
    expect(page).to_have_url(f"{address}/settings/usage")
    expect(page.get_by_role("heading", name="Usage", exact=True)).to_be_visible()


def test_a_code_that_lets_nobody_in_is_said_before_a_passkey_is_made(
    operator: Page, address: str, visit: Visit, watch: Watch
) -> None:
    watch.expected = REFUSED
    assert operator.url
    page = visit(address)
    key = Key(page)
    button(page, "I have an invitation").click()
    page.get_by_label("Your name").fill("Eve")
    page.get_by_label("Invitation").fill(SETUP_CODE)
    button(page, "Create a passkey").click()
    expect(page.get_by_role("alert")).to_contain_text("This code lets nobody in")
    assert key.passkeys() == []


def test_whom_nobody_invited_is_told_what_they_need(address: str, visit: Visit, watch: Watch) -> None:
    watch.expected = ELSEWHERE
    page = visit(address)
    button(page, "Continue with Test ID").click()
    agree(page, "eve")
    expect(page.get_by_role("alert")).to_contain_text("You need an invitation")


def agree(page: Page, who: str) -> None:
    """Sign in and consent on the provider's own pages."""
    page.get_by_placeholder("Enter any login").fill(who)
    page.get_by_placeholder("and password").fill("any")
    button(page, "Sign-in").click()
    button(page, "Continue").click()


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("en-US", ("Sign in to Berth", "Sign in with a passkey", "I have an invitation")),
        ("zh-CN", ("登录 Berth", "使用通行密钥登录", "我有邀请")),
        ("zh-TW", ("登入 Berth", "使用通行密鑰登入", "我有邀請")),
    ],
)
@pytest.mark.parametrize("phone", [False, True])
def test_everybody_can_use_it_in_their_language(
    address: str, visit: Visit, watch: Watch, locale: str, words: tuple[str, str, str], *, phone: bool
) -> None:
    watch.expected = REFUSED
    title, way, more = words
    page = visit(address, locale=locale, phone=phone, color_scheme="light" if phone else "dark")
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    expect(button(page, way)).to_be_visible()
    assert violations(page) == []
    button(page, more).click()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
