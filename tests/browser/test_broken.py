"""What cannot be drawn says so where it is, leaves the rest standing, and tells nothing of what was said."""

from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser.browsing import Visit, Watch
from tests.browser.test_accessibility import violations
from tests.browser.threads import cards, command, new_thread, say


def with_broken_artifacts(page: Page) -> None:
    """From here on the stream calls the type of a file by a number, which no card is made for."""

    def relay(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(
            lambda text: socket.send(str(text).replace('"media_type":"text/csv"', '"media_type":5'))
        )

    page.route_web_socket("**/stream*", relay)


def test_card_that_cannot_be_drawn_leaves_the_others_standing(mock: str, visit: Visit, watch: Watch) -> None:
    watch.expected = ("TypeError",)
    page = visit(mock)
    with_broken_artifacts(page)
    new_thread(page)
    command(page, "table")
    broken = page.locator("[data-broken=card]")
    expect(broken).to_contain_text("This card could not be shown.")
    assert violations(page) == []
    say(page, "and on it goes")
    expect(cards(page, "assistant")).to_contain_text("and on it goes")
    broken.get_by_text("A report without anything that was said").click()
    report = broken.locator("pre")
    expect(report).to_contain_text("TypeError")
    expect(report).to_contain_text("/t/…")
    assert page.url.split("/t/")[1] not in report.inner_text()


def test_page_that_cannot_be_drawn_offers_to_reload_and_a_report(
    mock: str, visit: Visit, watch: Watch
) -> None:
    watch.expected = ("Minified React error",)
    page = visit("about:blank")
    bots = {
        "items": [{"id": "b", "name": {"swordfish": 1}, "model": {"provider": "manual"}, "created_ms": 0}]
    }
    page.route("**/api/bots", lambda route: route.fulfill(json=bots))
    page.goto(mock)
    broken = page.locator("[data-broken=page]")
    expect(broken).to_contain_text("Something on this page broke.")
    assert "swordfish" not in broken.inner_text()
    page.unroute("**/api/bots")
    broken.get_by_role("button", name="Reload").click()
    expect(page.get_by_role("main").get_by_role("button", name="New thread")).to_be_visible()


def test_page_without_its_words_says_so_in_each_language(mock: str, visit: Visit, watch: Watch) -> None:
    watch.expected = ("net::ERR_FAILED",)
    page = visit("about:blank")
    page.route("**/assets/en-*.js", lambda route: route.abort())
    page.goto(mock)
    broken = page.locator("[data-broken=words]")
    expect(broken).to_contain_text("Berth could not be loaded.")
    expect(broken).to_contain_text("无法加载 Berth。")
    page.unroute("**/assets/en-*.js")
    broken.get_by_role("link", name="Reload").click()
    expect(page.get_by_role("main").get_by_role("button", name="New thread")).to_be_visible()


def test_part_that_cannot_be_loaded_leaves_the_page_standing(mock: str, visit: Visit, watch: Watch) -> None:
    watch.expected = ("net::ERR_FAILED", "TypeError")
    page = visit(mock)
    page.route("**/assets/SettingsPage-*.js", lambda route: route.abort())
    page.route(f"{mock}/", lambda route: route.abort())
    page.get_by_role("link", name="Settings").first.click()
    broken = page.locator("[data-broken=part]")
    expect(broken).to_contain_text("This part of the page could not be shown.")
    expect(page.get_by_role("navigation", name="Threads")).to_be_visible()
    # Its heading is what could not be loaded.
    assert [one for one in violations(page) if "heading-one" not in one] == []
    broken.get_by_role("button", name="Try again").click()
    expect(broken).to_contain_text("The server does not answer.")
    page.unroute("**/assets/SettingsPage-*.js")
    page.unroute(f"{mock}/")
    broken.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
