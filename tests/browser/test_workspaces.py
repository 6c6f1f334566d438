"""A workspace in two real browsers: created, joined by a link, seen as far as a role reaches, left behind."""

import os
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch, requests_of
from tests.browser.test_accessibility import violations
from tests.browser.threads import composer

# What a page says of what it is refused once it was removed.
REFUSED = ("status of 404", "Unexpected response code: 404")
MAKE = """async () => {
  const base = location.pathname.replace(/^\\/o\\/([^/]+).*/, "/api/owners/$1");
  const post = async (path, body) => {
    const headers = {"Content-Type": "application/json"};
    const answer = await fetch(base + path, {method: "POST", headers, body: JSON.stringify(body)});
    return (await answer.json()).id;
  };
  const bot_id = await post("/bots", {name: "Quill"});
  await post("/threads", {bot_id, title: "Plans"});
}"""


def seen(page: Page, name: str) -> None:
    """Keep what stands on the screen, where a person wants to look at it."""
    if folder := os.environ.get("BERTH_SCREENS"):
        page.screenshot(path=str(Path(folder) / f"{name}.png"))


def members(page: Page) -> Locator:
    return page.get_by_role("region", name="Workspaces", exact=True)


def created(page: Page) -> str:
    """The address of a new workspace, with a bot and a thread."""
    page.get_by_role("button", name="Workspaces").first.click()
    new = page.get_by_role("menuitem", name="New workspace…")
    expect(new).to_be_visible()
    seen(page, "menu")
    new.click()
    page.get_by_label("Name of a new workspace").fill("Crew")
    seen(page, "create")
    page.get_by_role("button", name="Create workspace").click()
    page.wait_for_url(re.compile(r"/o/owner_[0-9A-Z]{26}/settings/members$"))
    expect(members(page).get_by_role("group", name="Members of Crew")).to_be_visible()
    page.evaluate(MAKE)
    return page.url.removesuffix("/settings/members")


def invited(page: Page, role: str) -> str:
    """The link, as it is shown once."""
    shown = members(page)
    shown.get_by_label("Invite as").select_option(role)
    shown.get_by_role("button", name="Make a link").click()
    link = shown.get_by_text(re.compile(r"/join#berth_i_owner_")).inner_text()
    assert violations(page) == []
    seen(page, "members")
    return link


def joined(page: Page, link: str, address: str) -> None:
    page.goto(link)
    expect(page.get_by_role("heading", name="Join Crew")).to_be_visible()
    assert "#" not in page.url
    assert violations(page) == []
    seen(page, "join")
    page.get_by_role("button", name="Join").click()
    page.wait_for_url(f"{address}/")


def read_only(page: Page, address: str) -> str:
    """A viewer's look around on a phone; the address of the thread."""
    page.get_by_role("button", name="Open threads").click()
    rail = page.get_by_role("dialog")
    expect(rail.get_by_text("Crew")).to_be_visible()
    expect(rail.get_by_role("button", name="New bot")).to_have_count(0)
    seen(page, "viewer-list")
    rail.get_by_role("link", name="Plans").click()
    expect(page.get_by_text("You may read here.")).to_be_visible()
    expect(composer(page)).to_have_count(0)
    seen(page, "viewer-thread")
    thread = page.url
    assert thread.startswith(f"{address}/t/")
    page.goto(f"{address}/settings")
    sections = page.get_by_role("navigation", name="Settings").get_by_role("listitem")
    expect(sections).to_have_count(4)
    seen(page, "viewer-settings")
    return thread


def test_a_workspace_is_shared_by_a_link_as_far_as_its_role_reaches(
    stack: LocalStack, visit: Visit, watch: Watch
) -> None:
    watch.expected = REFUSED
    ada = visit(stack.url.replace("127.0.0.1", "ada.localhost"))
    here = created(ada)
    link = invited(ada, "viewer")
    bob = visit(stack.url.replace("127.0.0.1", "bob.localhost"), phone=True)
    theirs = here.replace("ada.localhost", "bob.localhost")
    joined(bob, link.replace("ada.localhost", "bob.localhost"), theirs)
    thread = read_only(bob, theirs)

    ada.reload()
    crew = members(ada).get_by_role("group", name="Members of Crew")
    crew.get_by_label(re.compile("^Role of")).select_option("member")
    expect(crew.get_by_text("Reads and writes, and approves nothing.")).to_be_visible()
    seen(ada, "two-members")
    # Who watches sees what they may do from then on, without opening the page again.
    bob.goto(thread)
    expect(composer(bob)).to_be_visible()
    crew.get_by_label(re.compile("^Role of")).select_option("viewer")
    expect(bob.get_by_text("You may read here.")).to_be_visible()
    expect(composer(bob)).to_have_count(0)
    expect(bob.get_by_role("button", name="Settings of Quill")).to_have_count(0)

    crew.get_by_role("button", name=re.compile("^Remove ")).click()
    crew.get_by_role("button", name="Remove at once").click()
    expect(crew.get_by_role("listitem")).to_have_count(1)
    expect(bob.get_by_role("heading", name="You do not belong to this workspace any more")).to_be_visible()
    assert violations(bob) == []
    seen(bob, "gone")
    # Nothing of it is asked for any more: a stream would be dialled again within seconds, a list each 15.
    asked = requests_of(bob)
    bob.wait_for_timeout(20_000)
    assert asked == []
    bob.reload()
    expect(bob.get_by_role("heading", name="There is no such workspace")).to_be_visible()
    bob.get_by_role("button", name="Go to your own").click()
    expect(bob.get_by_role("heading", name="A bot with a computer of its own")).to_be_visible()


def test_it_is_looked_at_in_the_dark_and_in_chinese(stack: LocalStack, visit: Visit, watch: Watch) -> None:
    watch.expected = ("status of 409",)
    url = stack.url.replace("127.0.0.1", "mei.localhost")
    page = visit(url, locale="zh-CN", color_scheme="dark")
    page.goto(f"{url}/settings/members")
    page.get_by_label("新工作区的名称").fill("船员")
    page.get_by_role("button", name="创建工作区").click()
    shown = page.get_by_role("group", name="船员 的成员")
    expect(shown.get_by_text("所有者", exact=False).first).to_be_visible()
    page.get_by_role("button", name="生成链接").click()
    expect(page.get_by_text(re.compile("/join#berth_i_"))).to_be_visible()
    assert violations(page) == []
    seen(page, "zh-dark")
    # Its last owner stays.
    shown.get_by_role("button", name="退出工作区").click()
    expect(shown.get_by_text("最后一位所有者")).to_be_visible()
    page.set_viewport_size({"width": 430, "height": 932})
    seen(page, "zh-dark-phone")
