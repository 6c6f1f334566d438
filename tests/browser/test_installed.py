"""Berth as an installed app: its manifest, a start without a server, updates, and what is shared with it."""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.browsing import Visit, Watch, pretended, requests_of
from tests.browser.test_accessibility import violations
from tests.browser.threads import cards, composer, in_thread, new_thread, say

# A request that found no server, and a page that went away with its requests.
WITHOUT_A_SERVER = ("net::ERR_", "WebSocket")

# A form of another app, as a browser hands it to a share target.
SHARE = """([text, count]) => {
  const form = Object.assign(document.createElement("form"), {
    method: "POST", action: "/share", enctype: "multipart/form-data",
  });
  const input = (fields) => Object.assign(document.createElement("input"), fields);
  const field = (name, value) => form.append(input({ name, value }));
  field("title", "An article"); field("text", text); field("url", "https://example.org/a");
  const files = input({ type: "file", name: "files", multiple: true });
  const transfer = new DataTransfer();
  for (let n = 1; n <= count; n++)
    transfer.items.add(new File([`n,${n}`], `表 ${n}.csv`, { type: "text/csv" }));
  files.files = transfer.files;
  form.append(files);
  document.body.append(form);
  form.submit();
}"""


class Deployment:
    """A server that can be taken down, and come back on the same address with another build of the page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = ""
        self._running = ExitStack()

    def start(self) -> None:
        port = str(urlsplit(self.url).port or 0)
        self.url = self._running.enter_context(pretended("--page", str(self.folder), "--port", port))

    def stop(self) -> None:
        self._running.close()

    def build_anew(self) -> None:
        """The same page with an entry of another name, as any change of it makes."""
        [entry] = re.findall(r'src="/assets/(index-[\w-]+\.js)"', (self.folder / "index.html").read_text())
        assets = self.folder / "assets"
        for file in (*assets.glob("*.js"), self.folder / "index.html", self.folder / "service-worker.js"):
            file.write_text(file.read_text().replace(entry, f"newer-{entry}"))
        (assets / entry).rename(assets / f"newer-{entry}")


@pytest.fixture
def deployment(built: Path, tmp_path: Path) -> Iterator[Deployment]:
    made = Deployment(Path(shutil.copytree(built, tmp_path / "page")))
    made.start()
    yield made
    made.stop()


def installed(visit: Visit, url: str) -> Page:
    """The page with its service worker at work."""
    page = visit(url, service_workers="allow")
    page.wait_for_function("() => navigator.serviceWorker.controller?.state === 'activated'")
    return page


def kept(page: Page) -> bool:
    return page.locator("html[data-kept]").count() == 1


def test_browser_finds_nothing_that_keeps_it_from_being_installed(
    deployment: Deployment, visit: Visit
) -> None:
    page = installed(visit, deployment.url)
    control = page.context.new_cdp_session(page)
    found = control.send("Page.getAppManifest")
    assert found["errors"] == []
    hindrances = control.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # A profile of a test is incognito, which is all that may be in the way.
    assert {one["errorId"] for one in hindrances} <= {"in-incognito"}
    manifest = json.loads(found["data"])
    assert {icon["purpose"] for icon in manifest["icons"]} == {"any", "maskable"}
    for icon in manifest["icons"]:
        size = page.evaluate(
            """async (src) => {
              const image = Object.assign(new Image(), { src });
              await image.decode();
              return `${image.naturalWidth}x${image.naturalHeight}`;
            }""",
            icon["src"],
        )
        assert icon["sizes"] in {size, "any"}


def test_page_starts_without_a_server_says_so_and_goes_on_when_it_is_back(
    deployment: Deployment, visit: Visit, watch: Watch
) -> None:
    watch.expected = WITHOUT_A_SERVER
    page = installed(visit, deployment.url)
    new_thread(page)
    deployment.stop()
    page.reload()
    assert kept(page)
    expect(page.get_by_text("The server does not answer.").first).to_be_visible()
    # What is loaded when it is wanted is there as well, though nothing of it was wanted before.
    expect(composer(page)).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("[data-broken]")).to_have_count(0)
    page.wait_for_function("() => document.querySelector('img[src=\"/icon.svg\"]').naturalWidth > 0")
    asked = requests_of(page)
    deployment.start()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    # It is the same build, so the page goes on where it stands. (The server has forgotten the thread.)
    expect(page.get_by_role("heading", name="No such thread").first).to_be_visible()
    assert kept(page)
    assert urlsplit(asked[0]).path == "/"


def test_kept_page_gives_way_to_a_newer_one_before_it_asks_the_api_anything(
    deployment: Deployment, visit: Visit, watch: Watch
) -> None:
    watch.expected = WITHOUT_A_SERVER
    page = installed(visit, deployment.url)
    deployment.stop()
    deployment.build_anew()
    page.reload()
    assert kept(page)
    asked = requests_of(page)
    deployment.start()
    page.evaluate("window.dispatchEvent(new Event('online'))")
    expect(page.locator("html[data-kept]")).to_have_count(0)
    expect(page.get_by_role("main").get_by_role("button", name="New thread")).to_be_visible()
    paths = [urlsplit(url).path for url in asked]
    newer = next(n for n, path in enumerate(paths) if path.startswith("/assets/newer-"))
    assert [path for path in paths[:newer] if path.startswith("/api/")] == []


def test_server_that_stands_is_always_asked_for_its_page(deployment: Deployment, visit: Visit) -> None:
    page = installed(visit, deployment.url)
    deployment.stop()
    deployment.build_anew()
    deployment.start()
    page.goto(deployment.url)
    assert page.locator("script[src*='/assets/newer-']").count() == 1
    # And the worker of that build takes the place of the older one, with what it keeps.
    page.wait_for_function(
        "async () => (await caches.keys()).filter((n) => n.startsWith('berth-shell-')).length === 1"
    )
    names = "async () => (await (await caches.open((await caches.keys())[0])).keys()).map((one) => one.url)"
    page.wait_for_function(f"async () => (await ({names})()).some((url) => url.includes('/assets/newer-'))")


def test_page_is_not_kept_with_the_parts_of_another_build(deployment: Deployment, visit: Visit) -> None:
    document = deployment.folder / "index.html"
    document.write_text(document.read_text().replace("</head>", '<link href="/assets/other.js"></head>'))
    page = visit(deployment.url, service_workers="allow")
    state = page.evaluate(
        """async () => {
          const { installing } = await navigator.serviceWorker.register("/service-worker.js");
          if (installing === null) return "redundant";
          await new Promise((resolve) => {
            installing.onstatechange = () => installing.state === "redundant" && resolve();
            if (installing.state === "redundant") resolve();
          });
          return installing.state;
        }"""
    )
    assert state == "redundant"
    assert page.evaluate("async () => (await caches.match('/')) === undefined")


def test_nothing_of_the_api_is_kept(deployment: Deployment, visit: Visit) -> None:
    page = installed(visit, deployment.url)
    new_thread(page)
    say(page, "a secret")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    addresses = page.evaluate(
        """async () => {
          const caches_ = await Promise.all((await caches.keys()).map((name) => caches.open(name)));
          const kept = (await Promise.all(caches_.map((one) => one.keys()))).flat();
          return kept.map(({ url }) => new URL(url).pathname);
        }"""
    )
    assert addresses
    assert [
        path for path in addresses if not re.match(r"/(assets/.*|icon\.svg|manifest\.webmanifest)?$", path)
    ] == []


def test_what_is_shared_waits_in_the_composer_of_the_thread_that_is_chosen(
    deployment: Deployment, visit: Visit
) -> None:
    page = installed(visit, deployment.url)
    new_thread(page)
    say(page, "the last one")
    expect(cards(page, "assistant")).to_have_attribute("data-done", "true")
    composer(page).fill("begun")
    page.evaluate(SHARE, ["Read this.", 2])
    expect(page.get_by_role("heading", name="Where should this go?")).to_be_visible()
    expect(page.get_by_text("表 2.csv")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Into “the last one”").click()
    in_thread(page)
    expect(composer(page)).to_have_value("begun\nAn article\nRead this.\nhttps://example.org/a")
    expect(page.get_by_label("Remove 表 1.csv")).to_be_visible()
    expect(cards(page, "user")).to_have_count(1)
    # It is taken once.
    page.goto(f"{deployment.url}/share")
    expect(page.get_by_text("Nothing was shared.")).to_be_visible()


def test_shared_files_beyond_what_a_message_takes_are_said_to_be_left_out(
    deployment: Deployment, visit: Visit
) -> None:
    page = installed(visit, deployment.url)
    page.evaluate(SHARE, ["", 21])
    expect(page.get_by_role("alert")).to_have_text("A message takes 20 files. The others were left out.")
    expect(page.get_by_text("表 20.csv")).to_be_visible()
    expect(page.get_by_text("表 21.csv")).to_have_count(0)
    page.get_by_role("main").get_by_role("button", name="New thread with Quill").click()
    in_thread(page)
    expect(page.get_by_label(re.compile("^Remove "))).to_have_count(20)


def test_shared_text_is_discarded(deployment: Deployment, visit: Visit) -> None:
    page = installed(visit, deployment.url)
    page.evaluate(SHARE, ["<b>not markup</b>", 0])
    expect(page.get_by_text("<b>not markup</b>")).to_be_visible()
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("main").get_by_role("button", name="New thread")).to_be_visible()
    assert page.evaluate("caches.has('berth-shared')") is False
