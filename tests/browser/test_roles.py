"""What each role is offered on every screen, held against what the server lets it do.

A workspace with everything in it is looked at by its owner, a member and a viewer. What stands in `OFFERED`
is there for those whose role gives the right, and for nobody else; then a member and a viewer press whatever
there is to press, and nothing that leaves the page may need a right that they do not have.
"""

import re
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from api.rights import rule_of
from contracts.people import ROLE_RIGHTS, Right, Role
from local.stack import LocalStack
from tests.browser.browsing import PATIENCE_MS, Visit, until, with_token
from tests.browser.test_accessibility import violations
from tests.browser.test_workspaces import seen

READ, CHAT, APPROVE, MANAGE, _ = Right

ASK = """async ([method, path, body]) => {
  const init = {method, headers: {"Content-Type": "application/json"}};
  const answer = await fetch(path, body === null ? init : {...init, body: JSON.stringify(body)});
  const said = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(said)}`);
  return said;
}"""
ENDLESS = "$ echo begun; sleep 100000"


class Place(NamedTuple):
    """A screen, what says that it is there, and who may read what of the role's lack on it."""

    path: str
    shows: Callable[[Page], Locator]
    lacks: tuple[tuple[Right, str], ...] = ()


class Crew(NamedTuple):
    """A workspace with what can be done something with; its owner's page is at it."""

    owner: Page
    id: str
    files: str
    orders: str
    running: str


def ask(page: Page, method: str, path: str, body: Any = None) -> Any:
    return page.evaluate(ASK, [method, path, body])


def button(name: str | re.Pattern[str]) -> Callable[[Page], Locator]:
    return lambda page: page.get_by_role("button", name=name, exact=isinstance(name, str)).first


def item(name: str) -> Callable[[Page], Locator]:
    return lambda page: page.get_by_role("tabpanel").get_by_text(name).first


def heading(name: str) -> Callable[[Page], Locator]:
    return lambda page: page.get_by_role("heading", name=name, exact=True).first


def message(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message")


PLACES: dict[str, Place] = {
    "home": Place("/", heading("A bot with a computer of its own"), ((CHAT, "Pick a thread to read."),)),
    "files": Place(
        "/t/{files}?panel=files", item("kept.txt"), ((CHAT, "You may look at files here and download them."),)
    ),
    "file": Place("/t/{files}?panel=files&file=kept.txt", item("one line")),
    "about": Place(
        "/t/{files}?panel=about", item("example.org"), ((MANAGE, "Only owners of this workspace reset"),)
    ),
    "terminal": Place("/t/{running}?panel=terminal", item("begun")),
    "timeline": Place("/t/{files}?panel=timeline", item("kept.txt")),
    "orders": Place(
        "/t/{orders}",
        lambda page: page.locator("[data-card=approval]"),
        ((APPROVE, "Only owners of this workspace decide on orders."), (CHAT, "You may read here.")),
    ),
    "running": Place("/t/{running}", lambda page: page.locator("[data-card=terminal]").last),
    "routines": Place("/routines", heading("Morning look")),
    "share": Place(
        "/share",
        lambda page: page.get_by_role("group", name="What was shared"),
        ((CHAT, "You may read here."),),
    ),
    "general": Place("/settings/general", heading("General")),
    "trading": Place(
        "/settings/trading", heading("Trading"), ((MANAGE, "Only owners of this workspace see and change"),)
    ),
    "members": Place("/settings/members", heading("Workspaces")),
    "usage": Place("/settings/usage", heading("Usage")),
}

OFFERED: dict[str, tuple[tuple[Right, Callable[[Page], Locator]], ...]] = {
    "home": (
        (MANAGE, button("New bot")),
        (MANAGE, button("Settings of Quill")),
        (CHAT, button("New thread with Quill")),
        (MANAGE, button("Halt trading")),
    ),
    "files": (
        (CHAT, button("Upload")),
        (CHAT, button("More about kept.txt")),
        (CHAT, message),
        (CHAT, button("Send again")),
    ),
    "file": ((CHAT, button("Ask the bot about this")),),
    "about": (
        (MANAGE, button("Close example.org")),
        (MANAGE, button("Reset the computer…")),
        (MANAGE, button("Delete everything…")),
    ),
    "terminal": ((CHAT, lambda page: page.get_by_role("tabpanel").get_by_role("button", name="Stop")),),
    "orders": (
        (APPROVE, button("Approve")),
        (APPROVE, button("Decline")),
    ),
    "running": ((CHAT, button("Stop")), (CHAT, button("Stop run"))),
    "routines": ((MANAGE, button("New routine")), (MANAGE, button("Pause")), (CHAT, button("Run now"))),
    "share": (
        (CHAT, button(re.compile("^Into “"))),
        (CHAT, lambda page: page.get_by_role("main").get_by_role("button", name="New thread with Quill")),
    ),
    "trading": ((MANAGE, lambda page: page.get_by_label("Trading is on")),),
    "members": (
        (MANAGE, button("Make a link")),
        (MANAGE, lambda page: page.get_by_label("New name")),
        (READ, button("Leave workspace")),
    ),
}

# It takes away what later places show, or is the person's own and the same for all roles.
NOT_PRESSED = re.compile(r"^(Leave workspace|Workspaces|New workspace…|Language|Theme|Delete|Put on standby)")
# A look at everything that can be pressed and lies on top.
PRESSABLE = """() => {
  for (const e of document.querySelectorAll("[data-walk]")) delete e.dataset.walk;
  const shown = (e) => e.checkVisibility({checkVisibilityCSS: true}) && !e.disabled;
  const above = [...document.querySelectorAll("[role=dialog], [role=menu], [role=listbox]")].filter(shown);
  const roots = above.length > 0 ? above.slice(-1) : [document];
  return roots.flatMap((root) => [...root.querySelectorAll("button, [role=menuitem], [role=tab]")])
    .filter(shown)
    .map((e, at) => {
      e.dataset.walk = String(at);
      return [String(at), (e.ariaLabel || e.textContent || "").trim()];
    });
}"""
# What a press asks for has been asked by then, and what it opens is there.
SETTLED = """() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)));
})"""
SHARED = """async () => {
  const cache = await caches.open("berth-shared");
  await cache.put("/shared/text", new Response("Look at this"));
}"""


def say_at(page: Page, base: str, thread_id: str, text: str) -> None:
    body = {"client_id": uuid.uuid4().hex, "text": text}
    ask(page, "POST", f"{base}/threads/{thread_id}/messages", body)


def furnished(ada: Page) -> Crew:
    """A file, a result, an order that waits, a routine and an opened host."""
    owner_id = ask(ada, "POST", "/api/owners", {"name": "Crew"})["id"]
    base = f"/api/owners/{owner_id}"
    bot_id = ask(ada, "POST", f"{base}/bots", {"name": "Quill"})["id"]
    files = ask(ada, "POST", f"{base}/threads", {"bot_id": bot_id, "title": "Kept"})["id"]
    orders = ask(ada, "POST", f"{base}/threads", {"bot_id": bot_id, "title": "Orders"})["id"]

    say_at(ada, base, files, "/write kept.txt\none line\n/export kept.txt")
    until(ada, lambda: bool(ask(ada, "GET", f"{base}/artifacts")["items"]))
    say_at(ada, base, orders, "/orders\nbuy 0.01 BTC 70000 Ioc")
    until(ada, lambda: bool(ask(ada, "GET", f"{base}/approvals")["items"]))
    running = ask(ada, "POST", f"{base}/threads", {"bot_id": bot_id, "title": "Running"})["id"]
    rule = {"host": "example.org", "path": "/", "days": 7, "understood": True}
    ask(ada, "POST", f"{base}/egress/rules", rule)
    routine = {
        "client_id": "roles-routine",
        "bot_id": bot_id,
        "name": "Morning look",
        "prompt": "$ true",
        "schedule": {"kind": "cron", "expression": "30 6 1 1 *"},
    }
    ask(ada, "POST", f"{base}/routines", routine)
    return Crew(owner=ada, id=owner_id, files=files, orders=orders, running=running)


@pytest.fixture(scope="module")
def crew(browser: Browser, stack: LocalStack) -> Iterator[Crew]:
    context = browser.new_context(service_workers="block")
    context.set_default_timeout(PATIENCE_MS)
    ada = context.new_page()
    ada.goto(with_token(named(stack, "ada")))
    expect(heading("A bot with a computer of its own")(ada)).to_be_visible()
    yield furnished(ada)
    context.close()


def named(stack: LocalStack, role: str) -> str:
    return stack.url.replace("127.0.0.1", f"roles-{role}.localhost")


def entered(crew: Crew, stack: LocalStack, visit: Visit, role: Role) -> Page:
    """The page of somebody who has this role, anywhere; another one of its owner, who needs no invitation.

    By then a command runs, which does not go on for ever.
    """
    say_at(crew.owner, f"/api/owners/{crew.id}", crew.running, ENDLESS)
    if role == Role.OWNER:
        return visit(named(stack, "ada"))
    page = visit(named(stack, role))
    base = f"/api/owners/{crew.id}/members"
    code = ask(crew.owner, "POST", f"{base}/invitations", {"role": role})["code"]
    ask(page, "POST", "/api/invitations/accept", {"code": code})
    return page


def gone_to(page: Page, crew: Crew, name: str) -> None:
    place = PLACES[name]
    if name == "share":
        page.evaluate(SHARED)
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(page.url))
    page.goto(f"{origin}/o/{crew.id}{place.path.format(**crew._asdict())}")
    expect(place.shows(page)).to_be_visible()


@pytest.mark.parametrize("role", Role)
def test_a_role_is_offered_what_it_may_do_and_told_of_the_rest(
    role: Role, crew: Crew, stack: LocalStack, visit: Visit
) -> None:
    page = entered(crew, stack, visit, role)
    gives = ROLE_RIGHTS[role]
    for name, place in PLACES.items():
        gone_to(page, crew, name)
        # What tells of the lack comes with the role, and only then can something be missed.
        for right, words in place.lacks:
            expect(page.get_by_text(words).first).to_be_visible(visible=right not in gives)
        for right, where in OFFERED.get(name, ()):
            if right in gives:
                expect(where(page)).to_be_attached()
            else:
                expect(where(page)).to_have_count(0)
        seen(page, f"{role}-{name}")
    assert violations(page) == []


def needed(asked: list[tuple[str, str]]) -> list[tuple[Right, str]]:
    """The rights in the workspace that these needed, and for what."""
    needs = []
    for method, asked_path in asked:
        path = re.sub(r"^/api/owners/[^/]+/", "/api/", asked_path)
        if path.startswith("/api/"):
            rule = rule_of(method, path)
            if rule.of == "owner" and rule.right is not None:
                needs.append((rule.right, f"{method} {rule.path}"))
    return needs


def pressed(page: Page, known: set[str], back: Callable[[], None]) -> None:
    """Press everything once that was not pressed before, what opens included."""
    place = page.url
    while True:
        fresh = [
            (at, name) for at, name in page.evaluate(PRESSABLE) if not skipped(name) and name not in known
        ]
        if not fresh:
            if page.locator("[role=dialog], [role=menu], [role=listbox]").count() == 0:
                return
            page.keyboard.press("Escape")
            page.evaluate(SETTLED)
            if page.locator("[role=dialog], [role=menu], [role=listbox]").count() > 0:
                back()
            continue
        at, name = fresh[0]
        known.add(name)
        page.locator(f"[data-walk='{at}']").dispatch_event("click")
        page.evaluate(SETTLED)
        if page.url != place:
            back()


def skipped(name: str) -> bool:
    return NOT_PRESSED.match(name) is not None


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER])
def test_whatever_is_pressed_asks_for_nothing_that_the_role_may_not_do(
    role: Role, crew: Crew, stack: LocalStack, visit: Visit
) -> None:
    page = entered(crew, stack, visit, role)
    asked: list[tuple[str, str]] = []
    page.on("request", lambda request: asked.append((request.method, urlsplit(request.url).path)))
    known: set[str] = set()
    for name in PLACES:
        gone_to(page, crew, name)
        pressed(page, known, partial(gone_to, page, crew, name))
    needs = needed(asked)
    assert [(right, route) for right, route in needs if right not in ROLE_RIGHTS[role]] == []
    # That a walk came by what there is shows by what is pressed and asked.
    assert {"Terminal", "Timeline", "Results", "Thread menu", "History"} <= known
    chatted = {route for right, route in needs if right == CHAT}
    assert ("POST /api/routines/{routine_id}/runs" in chatted) == (role == Role.MEMBER)
