"""Berth in the hands of others: views in frames of pages that may have them, and the page in a native app."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urljoin

import httpx
import pytest
from playwright.sync_api import FrameLocator, Page, expect

from local.stack import LocalStack
from tests.browser.browsing import PATIENCE_MS, Visit, Watch, headers_at, known, until, with_token
from tests.browser.test_accessibility import violations
from tests.browser.threads import bot_thread, cards, command, composer, in_thread, new_thread, say, standing

# Says what it hears, and frames what its address asks it to.
PARENT = """<!doctype html><meta charset="utf-8"><title>Parent</title><script>
window.heard = [];
addEventListener("message", (event) => heard.push([event.origin, event.data]));
for (const src of new URLSearchParams(location.search).getAll("src")) {
  const frame = Object.assign(document.createElement("iframe"), { src, width: 500, height: 600 });
  addEventListener("DOMContentLoaded", () => document.body.append(frame));
}
</script><body>"""

# The app around the page, as docs/embedding.md tells its makers to make it.
SHELL = """
window.berthShell = new EventTarget();
window.told = [];
berthShell.postMessage = (text) => told.push(JSON.parse(text));
window.order = (order) =>
  berthShell.dispatchEvent(new MessageEvent("message", { data: JSON.stringify({ berth: 1, ...order }) }));
"""


@dataclass(frozen=True)
class Hosted:
    berth: str
    allowed: str
    refused: str
    """Another origin of the same server, which nobody has allowed."""
    near: str
    """One that is allowed and of the same site as Berth, so that its frames have the person's own storage."""


class Parent(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        if "isolated=1" in self.path:
            self.send_header("cross-origin-opener-policy", "same-origin")
            self.send_header("cross-origin-embedder-policy", "require-corp")
        self.end_headers()
        self.wfile.write(PARENT.encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the library
        """Tests are silent."""


@pytest.fixture(scope="module")
def hosted(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosted]:
    assert (built / "index.html").exists()
    with ThreadingHTTPServer(("127.0.0.1", 0), Parent) as server:
        Thread(target=partial(server.serve_forever, 0.05), daemon=True).start()
        port = server.server_address[1]
        allowed = f"http://parent.localhost:{port}"
        near = f"http://127.0.0.1:{port}"
        told = {"BERTH_EMBED_ORIGINS": f"{allowed} https://app.example {near}"}
        with LocalStack(tmp_path_factory.mktemp("hosted"), vars=told) as running:
            yield Hosted(known(running).url, allowed, f"http://other.localhost:{port}", near)
        server.shutdown()


def framed(visit: Visit, parent: str, *addresses: str, isolated: bool = False) -> tuple[Page, FrameLocator]:
    # Who looks has signed in at Berth itself: a frame only uses that.
    page = visit(f"{urljoin(addresses[0], '/')}")
    asked = httpx.QueryParams([("isolated", int(isolated)), *(("src", address) for address in addresses)])
    page.goto(f"{parent}/?{asked}")
    return page, page.frame_locator("iframe").first


def heard(page: Page, kind: str) -> list[dict[str, Any]]:
    """What the parent was told by the frame, each by the origin that said it."""
    said: list[tuple[str, dict[str, Any]]] = page.evaluate("heard")
    return [{"origin": origin, **told} for origin, told in said if told.get("type") == kind]


def refused(page: Page) -> None:
    until(page, lambda: page.frames[1].url.startswith("chrome-error:"))


def order(page: Page, **fields: Any) -> None:
    page.evaluate("order => frames[0].postMessage(order, '*')", {"berth": 1, **fields})


def test_allowed_page_frames_a_thread_and_is_told_how_it_stands(hosted: Hosted, visit: Visit) -> None:
    own = bot_thread(visit, hosted.berth)
    card = command(own, "echo shown; sleep 2")
    expect(standing(card, "running")).to_be_visible()
    page, frame = framed(visit, hosted.near, own.url.replace("/t/", "/embed/t/"))
    expect(frame.locator("[data-card=terminal]")).to_contain_text("shown")
    expect(frame.locator("[data-connection=live]")).to_be_attached()
    expect(standing(card, "finished")).to_be_visible()
    expect(frame.locator("[data-card=terminal] [data-tone=finished]")).to_be_visible()
    until(page, lambda: [one["state"] for one in heard(page, "run")][-1:] == ["done"])
    [ready] = heard(page, "ready")
    assert (ready["origin"], ready["mode"]) == (hosted.berth, "frame")
    # Nothing that was said in the thread is told to the page around it.
    assert "shown" not in json.dumps(page.evaluate("heard"))


def test_frame_only_shows(hosted: Hosted, visit: Visit) -> None:
    own = bot_thread(visit, hosted.berth)
    card = command(own, "sleep 600")
    expect(standing(card, "running")).to_be_visible()
    page, frame = framed(visit, hosted.near, own.url.replace("/t/", "/embed/t/"))
    expect(frame.locator("[data-card=terminal] [data-tone=running]")).to_be_visible()
    for doing in ("Stop", "Stop run", "Edit", "Send again", "New thread", "Attach files"):
        expect(frame.get_by_role("button", name=doing, exact=True)).to_have_count(0)
    expect(frame.get_by_role("textbox")).to_have_count(0)
    for asked in ({"type": "open", "path": "/settings"}, {"type": "share", "text": "x"}, {"type": "back"}):
        order(page, **asked)
    order(page, type="theme", theme="light")
    expect(frame.locator("html")).to_have_attribute("data-theme", "light")
    assert heard(page, "back") == []
    assert "/embed/t/" in page.frames[1].url
    own.get_by_role("button", name="Stop run").click()
    expect(standing(card, "stopped")).to_be_visible()


def test_look_that_a_parent_asks_for_ends_with_the_frame(hosted: Hosted, visit: Visit) -> None:
    own = bot_thread(visit, hosted.berth)
    page, frame = framed(visit, hosted.near, own.url.replace("/t/", "/embed/t/"))
    expect(frame.get_by_text("No messages yet.")).to_be_visible()
    order(page, type="theme", theme="light")
    order(page, type="locale", locale="zh-Hant")
    order(page, type="insets", top=30)
    expect(frame.locator("html")).to_have_attribute("lang", "zh-Hant")
    expect(frame.locator("html")).to_have_attribute("data-theme", "light")
    expect(frame.locator("main")).to_have_css("padding-top", "30px")
    assert page.frames[1].evaluate("[localStorage['berth.theme'], localStorage['berth.locale']]") == [
        None,
        None,
    ]


def test_page_that_nobody_allowed_frames_nothing(hosted: Hosted, visit: Visit, watch: Watch) -> None:
    watch.expected = ("frame-ancestors", "Refused to frame", "ERR_BLOCKED")
    own = bot_thread(visit, hosted.berth)
    page, _ = framed(visit, hosted.refused, own.url.replace("/t/", "/embed/t/"))
    refused(page)
    assert page.evaluate("heard") == []


def test_nothing_but_a_view_is_framed_even_by_an_allowed_page(
    hosted: Hosted, visit: Visit, watch: Watch
) -> None:
    # Of the API page: the frame of another site has no session, so it is refused before that.
    watch.expected = ("frame-ancestors", "Refused to", "ERR_BLOCKED", "X-Frame-Options", "401", "403")
    for address in ("/", "/settings/trading", "/api/docs"):
        page, _ = framed(visit, hosted.allowed, f"{hosted.berth}{address}")
        refused(page)


def test_view_hears_nobody_but_its_parent(hosted: Hosted, visit: Visit) -> None:
    own = bot_thread(visit, hosted.berth)
    view = own.url.replace("/t/", "/embed/t/")
    page, frame = framed(visit, hosted.near, view, f"{hosted.refused}/")
    expect(frame.get_by_text("No messages yet.")).to_be_visible()
    theme = frame.locator("html").get_attribute("data-theme")
    other = "light" if theme == "dark" else "dark"
    beside = next(one for one in page.frames if one.url.startswith(hosted.refused))
    beside.evaluate(
        "order => parent.frames[0].postMessage(order, '*')", {"berth": 1, "type": "theme", "theme": other}
    )
    order(page, type="locale", locale="zh-Hans")
    # The parent's came later and was heard.
    expect(frame.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(frame.locator("html")).to_have_attribute("data-theme", str(theme))


def exported(own: Page, berth: str, name: str, made_by: str) -> str:
    """The view of a file that a command has made."""
    command(own, made_by)
    say(own, f"/export {name}")
    expect(cards(own, "artifact")).to_contain_text(name)
    with httpx.Client(base_url=berth, headers=headers_at(berth), timeout=PATIENCE_MS / 1000) as api:
        found = [one["id"] for one in api.get("/api/artifacts").json()["items"] if one["name"] == name]
    return f"{berth}/embed/files/{found[0]}"


@pytest.mark.parametrize("isolated", [False, True])
def test_page_in_a_view_is_shown_to_a_parent_that_isolates_itself_too(
    hosted: Hosted, visit: Visit, isolated: bool
) -> None:
    own = bot_thread(visit, hosted.berth)
    view = exported(own, hosted.berth, "page.html", "echo '<p>here it is' > page.html")
    page, frame = framed(visit, hosted.near, view, isolated=isolated)
    expect(frame.frame_locator("iframe").get_by_text("here it is")).to_be_visible()
    assert page.evaluate("crossOriginIsolated") == isolated


def test_file_is_shown_in_a_frame_as_high_as_it_is(hosted: Hosted, visit: Visit) -> None:
    own = bot_thread(visit, hosted.berth)
    view = exported(own, hosted.berth, "table.csv", "printf 'a,b\\n1,2\\n' > table.csv")
    page, frame = framed(visit, hosted.near, view)
    expect(frame.get_by_role("table")).to_contain_text("1")
    until(page, lambda: [one["height"] > 100 for one in heard(page, "height")][-1:] == [True])


def test_view_of_nothing_says_so_and_breaks_no_rule(mock: str, visit: Visit, watch: Watch) -> None:
    watch.expected = ("404",)
    page = visit(f"{mock}/embed/nothing")
    expect(page.get_by_role("heading", name="There is nothing to show here.")).to_be_visible()
    assert violations(page) == []
    page = visit(f"{mock}/embed/t/nothing")
    expect(page.get_by_text("There is no such thread.")).to_be_visible()


def test_no_page_may_frame_a_view_unless_it_is_allowed(stack: LocalStack, hosted: Hosted) -> None:
    none = httpx.get(f"{stack.url}/embed/t/x", timeout=60)
    assert "frame-ancestors 'none'" in none.headers["content-security-policy"]
    assert none.headers["x-frame-options"] == "DENY"
    some = httpx.get(f"{hosted.berth}/embed/t/x", timeout=60)
    assert (
        f"frame-ancestors {hosted.allowed} https://app.example {hosted.near};"
        in some.headers["content-security-policy"]
    )
    assert "x-frame-options" not in some.headers
    assert httpx.post(f"{hosted.berth}/embed/t/x", timeout=60).status_code == 404
    page = httpx.get(f"{hosted.berth}/t/x", timeout=60)
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["x-frame-options"] == "DENY"


def in_app(visit: Visit, url: str, **options: Any) -> Page:
    page = visit("about:blank", **options)
    page.add_init_script(SHELL)
    page.goto(with_token(url))
    return page


def told(page: Page, kind: str) -> list[dict[str, Any]]:
    return [one for one in page.evaluate("told") if one["type"] == kind]


@pytest.mark.parametrize("phone", [False, True])
def test_app_has_the_page_without_its_list_and_leads_it(mock: str, visit: Visit, phone: bool) -> None:
    page = in_app(visit, f"{mock}/?embed=app", phone=phone)
    page.get_by_role("main").get_by_role("button", name="New thread").click()
    in_thread(page)
    say(page, "hello")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    expect(page.get_by_role("navigation")).to_be_hidden()
    expect(page.get_by_role("button", name="Open threads")).to_have_count(0)
    assert violations(page) == []
    path = page.evaluate("location.pathname")
    until(
        page,
        lambda: (
            told(page, "path")[-1:] == [{"berth": 1, "type": "path", "path": path, "title": "hello · Berth"}]
        ),
    )
    page.evaluate("order({ type: 'insets', top: 40, bottom: 20 })")
    page.wait_for_function("document.querySelector('header').getBoundingClientRect().top === 40")
    page.evaluate("order({ type: 'open', path: '/settings' })")
    expect(page.get_by_role("heading", name="Settings").first).to_be_visible()
    page.evaluate("order({ type: 'open', path: '//elsewhere.example/' })")
    page.evaluate("path => order({ type: 'open', path })", path)
    in_thread(page)
    # It is held as before after a reload, on an address that does not say so.
    page.reload()
    in_thread(page)
    expect(page.get_by_role("navigation")).to_be_hidden()


def test_back_of_an_app_closes_what_is_above_the_page(mock: str, visit: Visit) -> None:
    page = in_app(visit, f"{mock}/?embed=app")
    new_thread(page)
    page.evaluate("order({ type: 'back' })")
    assert [one["handled"] for one in told(page, "back")] == [False]
    page.get_by_role("button", name="Thread menu").click()
    expect(page.get_by_role("menu")).to_be_visible()
    page.evaluate("order({ type: 'back' })")
    expect(page.get_by_role("menu")).to_have_count(0)
    page.get_by_role("button", name="Thread menu").click()
    page.get_by_role("menuitem", name="Rename").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.evaluate("order({ type: 'back' })")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert [one["handled"] for one in told(page, "back")] == [False, True, True]


def test_app_shares_a_text_and_nothing_is_sent(mock: str, visit: Visit) -> None:
    page = in_app(visit, f"{mock}/?embed=app")
    new_thread(page)
    page.evaluate("order({ type: 'share', text: 'from another app' })")
    page.get_by_role("button", name="Into “New thread”").click()
    in_thread(page)
    expect(composer(page)).to_have_value("from another app")
    expect(cards(page, "user")).to_have_count(0)


def test_page_in_an_app_hears_no_window(mock: str, visit: Visit) -> None:
    page = in_app(visit, f"{mock}/?embed=app")
    new_thread(page)
    page.evaluate("postMessage({ berth: 1, type: 'open', path: '/settings' }, '*')")
    page.evaluate("order({ type: 'locale', locale: 'zh-Hans' })")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.get_by_role("log").or_(page.get_by_role("textbox")).first).to_be_visible()
    assert page.url.startswith(f"{mock}/t/")
