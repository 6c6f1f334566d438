"""Files in the page, on real computers: attached, changed, handed over, looked at in standby."""

import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.test_accessibility import violations
from tests.browser.threads import bot_thread, cards, command, fall_asleep, say, standing


@pytest.fixture
def page(stack: LocalStack, visit: Visit) -> Page:
    page = bot_thread(visit, stack.url)
    expect(standing(command(page, "true"), "finished")).to_be_visible()
    return page


def opened(page: Page) -> Locator:
    """The files beside the conversation."""
    page.get_by_role("button", name=re.compile("^Computer: ")).click()
    page.get_by_role("tab", name="Files").click()
    return page.get_by_role("tabpanel", name="Files")


def test_files_are_attached_read_changed_and_handed_over_and_all_is_there_after_a_reload(
    page: Page, tmp_path: Path
) -> None:
    for name in ("one.txt", "two.txt", "three.py"):
        (tmp_path / name).write_text(f"# {name}\nvalue = 1\n")
    page.locator("input[type=file]").set_input_files(sorted(tmp_path.iterdir()))
    say(
        page,
        "/read uploads/one.txt\n/edit uploads/three.py\nvalue = 1\n====\nvalue = 2\n/export uploads/three.py",
    )
    edited = cards(page, "file").nth(1)
    expect(edited).to_contain_text("Edited uploads/three.py")
    for _ in range(2):
        expect(edited.get_by_role("group", name="Changes of uploads/three.py")).to_have_text(
            re.compile(r"@@ .* @@\s+# three\.py\s+value = 1\s+value = 2")
        )
        expect(edited).to_contain_text("1 lines added, 1 removed")
        artifact = cards(page, "artifact")
        artifact.get_by_role("button", name="Preview").click()
        expect(artifact).to_contain_text("value = 2")
        with page.expect_download() as started:
            artifact.get_by_role("link", name="Download").click()
        assert started.value.suggested_filename == "three.py"
        page.reload()


def test_a_page_is_shown_in_a_frame_in_which_nothing_runs(page: Page, watch: Watch) -> None:
    watch.expected = ("Blocked script execution", "Content Security Policy")
    script = "document.title='run';parent.postMessage('run','*')"
    say(
        page,
        f'/write p.html\n<h1>Shown</h1><script>{script}</script><img src=x onerror="{script}">\n'
        "/export p.html",
    )
    page.evaluate("addEventListener('message', () => { window.ran = true })")
    artifact = cards(page, "artifact")
    artifact.get_by_role("button", name="Preview").click()
    expect(artifact.frame_locator("iframe").get_by_role("heading", name="Shown")).to_be_visible()
    assert page.evaluate("window.ran") is None


def test_folders_can_be_looked_at_while_the_computer_sleeps(page: Page) -> None:
    expect(standing(command(page, "mkdir -p shelf; echo 12345 > shelf/book.txt"), "finished")).to_be_visible()
    files = opened(page)
    files.get_by_role("treeitem", name="shelf", exact=True).click()
    expect(files.get_by_role("treeitem", name="book.txt")).to_have_text(re.compile(r"book\.txt6 B"))
    with page.expect_download() as started:
        files.get_by_role("link", name="Download: book.txt").click()
    assert Path(started.value.path()).read_text() == "12345\n"
    page.get_by_role("button", name="Close the computer").click()
    fall_asleep(page)
    opened(page)
    files.get_by_role("treeitem", name="shelf", exact=True).click()
    expect(files.get_by_role("status")).to_contain_text("As last seen")
    expect(files.get_by_role("treeitem", name="book.txt")).to_be_visible()
    assert page.evaluate("fetch('/api/computer').then(r => r.json())")["state"] == "standby"


def test_results_of_all_threads_can_be_renamed_and_deleted(page: Page) -> None:
    say(page, "/write result.txt\nx\n/export result.txt")
    expect(cards(page, "artifact").get_by_role("link", name="Download")).to_be_visible()
    files = opened(page)
    files.get_by_role("button", name="Results").click()
    files.get_by_role("button", name="Rename: result.txt").click()
    files.get_by_role("textbox", name="Rename").fill("kept.txt")
    files.get_by_role("button", name="Save").click()
    files.get_by_role("button", name="Delete: kept.txt").click()
    files.get_by_role("button", name="Delete", exact=True).click()
    expect(files.get_by_text("kept.txt")).to_have_count(0)


def test_ten_thousand_files_are_one_list_with_few_rows_on_the_page(page: Page) -> None:
    make = "rm -rf *; mkdir many; cd many; seq -f %05.0f 10000 | xargs touch; echo large > 07777"
    expect(standing(command(page, make), "finished")).to_be_visible()
    files = opened(page)
    files.get_by_role("treeitem", name="many", exact=True).click()
    expect(files).to_contain_text("10,000 entries")
    rows = files.locator("[role=treeitem][aria-level='2']")
    expect(rows.first).to_contain_text("00001")
    rows_of = files.get_by_role("tree", name="In the computer").locator("../..")
    rows_of.evaluate("e => e.scrollTo(0, e.scrollHeight)")
    expect(rows.last).to_contain_text("10000")
    assert rows.count() < 100
    assert rows.last.get_attribute("aria-setsize") == "10000"
    # In the middle of a page that was never asked for; the same order all the way.
    rows_of.evaluate("e => e.scrollTo(0, e.scrollHeight / 2)")
    middle = rows.filter(has_text="05000")
    expect(middle).to_have_attribute("aria-posinset", "5000")
    files.get_by_role("button", name="By size").click()
    expect(rows.first).to_contain_text("07777")
    rows_of.evaluate("e => e.scrollTo(0, e.scrollHeight)")
    expect(rows.last).to_contain_text("10000")


def test_odd_names_are_shown_whole_and_lead_where_they_say(page: Page, tmp_path: Path) -> None:
    make = (
        r"mkdir odd; cd odd; printf 1 > $'two\nlines.txt'; printf 2 > $'fdp\u202egnp.exe'"
        r"; printf 4 > $'na\xefve'; printf 3 > 'مرحبا & #1%.csv'; cd .."
        "; touch odd/$(printf 'x%.0s' $(seq 251)).csv"
    )
    expect(standing(command(page, make), "finished")).to_be_visible()
    files = opened(page)
    files.get_by_role("treeitem", name="odd", exact=True).click()
    for name, content in (
        ("two↵lines.txt", "1"),
        ("fdp⟨202E⟩gnp.exe", "2"),
        ("مرحبا & #1%.csv", "3"),
        ("na\ufffdEFve", "4"),
    ):
        with page.expect_download() as started:
            files.get_by_role("link", name=f"Download: {name}").click()
        started.value.save_as(tmp_path / "file")
        assert (tmp_path / "file").read_text() == content
    long = files.get_by_role("treeitem").filter(has_text="xxxx")
    expect(long.get_by_text(".csv", exact=True)).to_be_in_viewport(ratio=1)
    with page.expect_download() as started:
        files.get_by_role("link", name="Download folder as ZIP").click()
    assert started.value.suggested_filename == "odd.zip"
    with zipfile.ZipFile(started.value.path()) as archive:
        assert archive.read("two\nlines.txt") == b"1"


def test_a_listing_that_fails_is_asked_for_again_and_sleep_is_no_failure(page: Page, watch: Watch) -> None:
    watch.expected = ("503", "500")
    expect(standing(command(page, "mkdir seen unseen; touch seen/a"), "finished")).to_be_visible()
    page.route("**/api/files?**", lambda route: route.fulfill(status=500, body="{}"))
    files = opened(page)
    expect(files.get_by_role("status")).to_contain_text("Something went wrong")
    page.unroute("**/api/files?**")
    files.get_by_role("button", name="Try again").click()
    files.get_by_role("treeitem", name="seen", exact=True).click()
    expect(files.get_by_role("treeitem", name="a", exact=True)).to_be_visible()
    fall_asleep(page)
    expect(files.get_by_role("status")).to_contain_text("As last seen")
    expect(files.get_by_role("link")).to_have_count(0)
    files.get_by_role("button", name="workspace", exact=True).click()
    files.get_by_role("treeitem", name="unseen", exact=True).click()
    expect(files.get_by_text("was not looked at while it ran")).to_be_visible()
    expect(files.get_by_role("treeitem", name="a", exact=True)).to_be_visible()


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("phone", [False, True])
def test_the_files_break_no_rule_of_accessibility(page: Page, visit: Visit, theme: str, phone: bool) -> None:
    expect(standing(command(page, "mkdir -p a/b; touch a/b/c.txt a/b/.d"), "finished")).to_be_visible()
    again = visit(page.url, phone=phone, color_scheme=theme)
    files = opened(again)
    for name in ("a", "b"):
        files.get_by_role("treeitem", name=name, exact=True).click()
    expect(files.locator("[role=treeitem][aria-level='3']")).to_have_count(2)
    # The tests of one server make bots of one name, and each has its part of the rail.
    assert violations(again, besides=frozenset({"landmark-unique"})) == []


@pytest.mark.parametrize("phone", [False, True])
def test_folders_are_opened_in_place_and_all_of_it_goes_by_the_keyboard(
    page: Page, visit: Visit, phone: bool
) -> None:
    make = "rm -rf *; mkdir -p kept/inner; echo read > kept/inner/me.txt; touch kept/other.txt zebra"
    expect(standing(command(page, make), "finished")).to_be_visible()
    again = visit(page.url, phone=phone)
    files = opened(again)
    rows = files.get_by_role("treeitem").filter(has_not_text=".berth")
    press = again.keyboard.press

    def at(name: str) -> Locator:
        return files.get_by_role("treeitem", name=name, exact=True)

    expect(rows).to_have_count(2)
    at("kept").focus()
    press("ArrowRight")
    expect(at("kept")).to_have_attribute("aria-expanded", "true")
    expect(rows).to_have_count(4)
    press("ArrowRight")
    expect(at("inner")).to_be_focused()
    press("ArrowRight")
    expect(at("me.txt")).to_have_attribute("aria-level", "3")
    press("ArrowDown")
    expect(at("me.txt")).to_be_focused()
    press("Enter")
    expect(files.get_by_role("group", name="Content of kept/inner/me.txt")).to_contain_text("read")
    files.get_by_role("button", name="Back to the folder").click()
    # What was open is, and the place is where it was.
    expect(rows).to_have_count(5)
    expect(at("me.txt")).to_have_attribute("tabindex", "0")
    at("me.txt").focus()
    press("ArrowLeft")
    expect(at("inner")).to_be_focused()
    again.keyboard.type("ze")
    expect(at("zebra")).to_be_focused()
    press("Home")
    press("ArrowDown")
    expect(at("kept")).to_be_focused()
    press("Tab")
    expect(files.get_by_role("link", name="Download: kept")).to_be_focused()
    at("kept").focus()
    press("ArrowLeft")
    expect(rows).to_have_count(2)
    # Opened again it is as it was left by whoever closed it: with nothing in it open.
    press("ArrowRight")
    expect(rows).to_have_count(4)
    again.reload()
    expect(rows).to_have_count(4)
