"""The computer beside the conversation: its commands and its files, on real computers."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.test_accessibility import violations
from tests.browser.test_quality import CUT
from tests.browser.threads import (
    bot_thread,
    cards,
    command,
    composer,
    fall_asleep,
    gate,
    in_thread,
    new_thread,
    open_gate,
    say,
    standing,
)

ROWS = ".xterm-rows"


@pytest.fixture
def page(stack: LocalStack, visit: Visit) -> Page:
    page = bot_thread(visit, stack.url)
    expect(standing(command(page, "true"), "finished")).to_be_visible()
    return page


def expanded(card: Locator) -> Locator:
    """The terminal beside the conversation, from a command's card."""
    card.get_by_role("button", name="Open in the terminal").click()
    panel = card.page.get_by_role("tabpanel", name="Terminal")
    expect(panel).to_be_visible()
    return panel


def test_the_column_is_remembered_and_each_tab_has_an_address(mock: str, visit: Visit) -> None:
    page = visit(mock)
    new_thread(page)
    column = page.get_by_role("complementary", name="Computer")
    expect(column).to_have_count(0)
    page.get_by_role("button", name="Computer: Standby").click()
    page.get_by_role("tab", name="Files").click()
    expect(page).to_have_url(re.compile(r"\?panel=files$"))
    address = page.url
    page.goto(address.split("?", maxsplit=1)[0])
    expect(column.get_by_role("tab", name="Files")).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="Close the computer").click()
    page.reload()
    in_thread(page)
    expect(column).to_have_count(0)
    page.goto(address.replace("files", "about"))
    expect(column.get_by_role("tab", name="About")).to_have_attribute("aria-selected", "true")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_nothing_of_it_is_cut_when_enlarged(page: Page, visit: Visit, locale: str) -> None:
    # A small laptop's 1280 px at 400 %.
    small = visit(page.url, locale=locale, viewport={"width": 320, "height": 568})
    for tab in ("files", "timeline", "about"):
        small.goto(f"{page.url}?panel={tab}")
        expect(small.get_by_role("tabpanel")).to_be_visible()
        if tab == "files":
            expect(small.get_by_role("treeitem").first).to_be_visible()
        assert small.evaluate(CUT) == [], tab


def test_where_the_system_chooses_colours_what_is_chosen_is_told_apart(mock: str, visit: Visit) -> None:
    page = visit(mock, forced_colors="active")
    new_thread(page)
    page.goto(f"{page.url}?panel=files")
    tabs = page.get_by_role("tab")
    expect(page.get_by_role("tab", name="Files")).to_have_attribute("aria-selected", "true")
    looks = tabs.evaluate_all("all => all.map((e) => getComputedStyle(e).backgroundColor)")
    chosen = tabs.evaluate_all("all => all.map((e) => e.ariaSelected === 'true')")
    assert len({look for look, is_chosen in zip(looks, chosen, strict=True) if not is_chosen}) == 1
    assert looks[chosen.index(True)] != looks[chosen.index(False)]


def test_on_a_small_screen_it_covers_the_page_and_going_back_uncovers_it(mock: str, visit: Visit) -> None:
    page = visit(mock, phone=True)
    new_thread(page)
    page.get_by_role("button", name="Computer: Standby").click()
    sheet = page.get_by_role("dialog", name="Computer")
    expect(sheet).to_be_visible()
    page.get_by_role("tab", name="Files").click()
    page.go_back()
    expect(sheet).to_have_count(0)
    in_thread(page)
    page.get_by_role("button", name="Computer: Standby").click()
    page.get_by_role("button", name="Close the computer").click()
    expect(sheet).to_have_count(0)
    in_thread(page)


def test_what_runs_is_followed_and_what_ended_is_there_whole(page: Page) -> None:
    text = f"seq 1 3000; {gate('more')}; echo last line"
    card = command(page, text)
    expect(standing(card, "running")).to_be_visible()
    panel = expanded(card)
    expect(panel.locator(ROWS)).to_contain_text("3000")
    shown = panel.get_by_role("region", name="Output of")
    expect(standing(shown, "running")).to_be_visible()
    open_gate(page, "more")
    expect(panel.locator(ROWS)).to_contain_text("last line")
    expect(standing(shown, "finished")).to_be_visible()
    # Those of other threads stand there too, the newest first.
    expect(panel.get_by_role("listitem").first).to_contain_text("touch gate-more")
    panel.get_by_role("button", name="Search the output").click()
    search = panel.get_by_role("textbox", name="Search the output")
    search.fill("999")
    expect(panel.get_by_role("status").filter(has_text="/")).to_have_text(re.compile(r"^3 / 3$|^1 / 3$"))
    search.press("Escape")
    with page.expect_download() as started:
        panel.get_by_role("link", name="Download the log").click()
    assert started.value.path().read_text().count("\n") == 3001


def test_a_hundred_thousand_lines_are_scrolled_from_end_to_beginning(page: Page) -> None:
    card = command(page, "seq -f 'line %.0f of many' 1 100000")
    expect(standing(card, "finished")).to_be_visible()
    panel = expanded(card)
    rows = panel.locator(ROWS)
    expect(rows).to_contain_text("line 100000 of many")
    panel.get_by_role("textbox", name=re.compile("^Output of")).focus()
    page.keyboard.press("Home")
    expect(rows).to_contain_text(re.compile("line [12] of many"))
    assert rows.locator("div").count() < 100
    page.keyboard.press("End")
    expect(rows).to_contain_text("line 100000 of many")


def test_a_terminal_obeys_nothing_that_could_deceive(page: Page, watch: Watch) -> None:
    hostile = (
        r"printf 'kept\n\033[3J\033[?1049hscreen\n\033c\033[?1000h'"
        r"; printf '\033]8;;https://hidden.invalid\033\\plain words\033]8;;\033\\\n'"
        r"; printf 'a\342\200\256gpj.exe\n'"
        r"; printf '\033[38;2;200;10;10mred\033[0m https://shown.invalid/x\n\033]0;title\007'"
    )
    title = page.title()
    card = command(page, hostile)
    expect(standing(card, "finished")).to_be_visible()
    panel = expanded(card)
    rows = panel.locator(ROWS)
    for shown in ("kept", "screen", "plain words", "a⟨202E⟩gpj.exe", "red"):
        expect(rows).to_contain_text(shown)
    expect(card).to_contain_text("a⟨202E⟩gpj.exe")
    assert page.title() == title
    opened: list[str] = []
    page.context.on("page", lambda other: opened.append(other.url))
    # What lies over the rows takes the clicks.
    rows.get_by_text("plain words").click(force=True)
    assert opened == []
    watch.expected = ("https://shown.invalid/x",)
    with page.context.expect_page() as other:
        rows.get_by_text("https://shown.invalid/x").click(force=True)
    assert other.value.evaluate("window.opener") is None


def test_in_standby_the_kept_output_is_shown_and_nothing_wakes(page: Page, watch: Watch) -> None:
    watch.expected = ("503",)
    card = command(page, "echo what was kept")
    expect(standing(card, "finished")).to_be_visible()
    fall_asleep(page)
    panel = expanded(card)
    expect(panel.locator(ROWS)).to_contain_text("what was kept")
    expect(panel.get_by_role("status").first).to_contain_text(
        "The whole log can be had while the computer runs"
    )
    assert page.evaluate("fetch('/api/computer').then(r => r.json())")["state"] == "standby"


def files_of(page: Page) -> Locator:
    page.get_by_role("button", name=re.compile("^Computer: ")).click()
    page.get_by_role("tab", name="Files").click()
    return page.get_by_role("tabpanel", name="Files")


def act(files: Locator, name: str, what: str) -> None:
    files.get_by_role("button", name=f"More about {name}").click()
    files.page.get_by_role("menuitem", name=what).click()


def test_files_are_renamed_moved_deleted_and_uploaded(page: Page, tmp_path: Path, watch: Watch) -> None:
    expect(
        standing(command(page, "mkdir -p in/deep; echo 1 > a.txt; touch in/deep/x"), "finished")
    ).to_be_visible()
    files = files_of(page)
    act(files, "a.txt", "Rename…")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("New name").fill("in/b.txt")
    dialog.get_by_role("button", name="Rename").click()
    expect(files.get_by_role("treeitem", name="a.txt", exact=True)).to_have_count(0)
    files.get_by_role("treeitem", name="in", exact=True).click()
    expect(page).to_have_url(re.compile("path=in"))
    act(files, "b.txt", "Rename…")
    dialog.get_by_label("New name").fill("deep")
    dialog.get_by_role("button", name="Rename").click()
    watch.expected = ("422",)
    expect(dialog).to_contain_text("There is a 'in/deep' already")
    dialog.get_by_role("button", name="Cancel").click()
    (tmp_path / "up.csv").write_text("n,v\n1,2\n3,4\n")
    page.locator("[data-picker=computer]").set_input_files(tmp_path / "up.csv")
    expect(files.get_by_role("treeitem", name="up.csv")).to_be_visible()
    act(files, "deep", "Delete…")
    expect(dialog).to_contain_text("with everything in it")
    dialog.get_by_role("button", name="Delete").click()
    expect(files.get_by_role("treeitem", name="deep", exact=True)).to_have_count(0)
    found = command(page, "cd /workspace; find in -type f | sort")
    expect(found.locator("code")).to_have_text("in/b.txt\nin/up.csv")


def test_a_file_is_shown_in_place_and_asked_about(page: Page) -> None:
    text = "printf 'n,v\\n1,2\\n3,4\\n' > t.csv; printf 'import os\\n' > c.py; head -c 99 /dev/zero > zero"
    expect(standing(command(page, text), "finished")).to_be_visible()
    files = files_of(page)
    files.get_by_role("treeitem", name="t.csv", exact=True).click()
    expect(files.get_by_role("cell", name="4")).to_be_visible()
    files.get_by_role("button", name="Chart").click()
    expect(files.locator("[data-chart] canvas")).to_be_visible()
    files.get_by_role("button", name="Back to the folder").click()
    files.get_by_role("treeitem", name="c.py", exact=True).click()
    expect(files.get_by_role("group", name="Content of c.py")).to_contain_text("import os")
    files.get_by_role("button", name="Ask the bot about this").click()
    expect(composer(page)).to_have_value("@c.py ")
    files.get_by_role("button", name="Back to the folder").click()
    files.get_by_role("treeitem", name="zero", exact=True).click()
    expect(files.get_by_role("status")).to_contain_text("This is no text")


def test_what_commands_may_use_is_changed_only_by_who_knows(page: Page) -> None:
    card = command(page, f"touch used; {gate('go')}")
    expect(standing(card, "running")).to_be_visible()
    files = files_of(page)
    act(files, "used", "Delete…")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Commands are running, which may be using it.")
    dialog.get_by_role("button", name="Delete").click()
    expect(files.get_by_role("treeitem", name="used", exact=True)).to_have_count(0)
    open_gate(page, "go")
    expect(standing(card, "finished")).to_be_visible()


def test_in_standby_files_are_looked_at_and_not_changed(page: Page) -> None:
    expect(standing(command(page, "touch looked"), "finished")).to_be_visible()
    files = files_of(page)
    expect(files.get_by_role("treeitem", name="looked", exact=True)).to_be_visible()
    fall_asleep(page)
    expect(files).to_contain_text("once it runs again: the next command wakes it")
    expect(files.get_by_role("button", name="Upload")).to_be_disabled()
    files.get_by_role("button", name="More about looked").click()
    expect(page.get_by_role("menuitem")).to_have_text(["Ask the bot about this"])
    page.keyboard.press("Escape")
    files.get_by_role("treeitem", name="looked", exact=True).click()
    expect(files.get_by_role("status")).to_contain_text("on standby")
    assert page.evaluate("fetch('/api/computer').then(r => r.json())")["state"] == "standby"


def test_a_change_is_shown_in_two_columns_in_colour_and_a_long_one_folded(page: Page) -> None:
    before = "\n".join(f"v{n} = {n}" for n in range(120))
    after = "\n".join(f"v{n} = {n}  # seen" for n in range(120))
    say(page, f"/write long.py\n{before}\n\n/write long.py\n{after}\n")
    expect(cards(page, "file")).to_have_count(2)
    card = cards(page, "file").last
    card.get_by_role("button", name="Show content").click()
    diff = card.get_by_role("group", name="Changes of long.py")
    expect(diff.locator("code > span")).to_have_count(80)
    card.get_by_role("button", name=re.compile("^Show all")).click()
    expect(diff.locator("code > span")).to_have_count(242)
    expect(diff.get_by_text("# seen").first).to_have_class(re.compile("comment"))
    card.get_by_role("button", name="Split").click()
    expect(diff.locator("code > span")).to_have_count(122)
    page.reload()
    expect(cards(page, "file")).to_have_count(2)
    card.get_by_role("button", name="Show content").click()
    expect(cards(page, "file").last.get_by_role("button", name="Split")).to_have_attribute(
        "aria-pressed", "true"
    )
    card.get_by_role("button", name="Open in the files").click()
    files = page.get_by_role("tabpanel", name="Files")
    expect(files.get_by_role("group", name="Content of long.py")).to_contain_text("v119 = 119")


def test_a_run_is_gone_through_step_by_step(page: Page) -> None:
    say(
        page,
        "$ echo first\n/write step.py\na = 1\n/edit step.py\na = 1\n====\na = 2\n$ cat step.py",
    )
    expect(standing(cards(page, "terminal").last, "finished")).to_be_visible()
    expect(cards(page, "terminal")).to_have_count(3)
    page.goto(f"{page.url.split('?')[0]}?panel=timeline")
    moment = page.get_by_role("tabpanel", name="Timeline")
    expect(moment).to_contain_text("Step 4 of 4")
    expect(moment.locator("[data-card=terminal] code").last).to_have_text("a = 2")
    expect(moment.get_by_role("button", name="step.py changed 2 times")).to_be_visible()
    page.get_by_role("slider", name="Step").press("Home")
    expect(moment.locator("[data-card=terminal]")).to_contain_text("first")
    expect(moment).to_contain_text("None with the file tools.")
    page.get_by_role("slider", name="Step").press("ArrowRight")
    expect(page).to_have_url(re.compile("step=2"))
    expect(moment.get_by_role("button", name="step.py changed once")).to_be_visible()
    moment.get_by_role("button", name="Last step").click()
    moment.get_by_role("button", name="step.py changed 2 times").click()
    expect(moment.get_by_role("group", name="Changes of step.py")).to_contain_text("a = 2")
    page.reload()
    expect(moment).to_contain_text("Step 4 of 4")
    # The other run of the conversation, which had one step.
    moment.get_by_label("Run").select_option(index=1)
    expect(moment).to_contain_text("Step 1 of 1")


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("phone", [False, True])
def test_the_timeline_breaks_no_rule_of_accessibility(
    mock: str, visit: Visit, theme: str, phone: bool
) -> None:
    page = visit(mock, phone=phone, color_scheme=theme)
    new_thread(page)
    say(page, "$ pytest -q\n$ seq 1 3")
    expect(cards(page, "terminal")).to_have_count(2)
    expect(standing(cards(page, "terminal").last, "finished")).to_be_visible()
    page.goto(f"{page.url.split('?')[0]}?panel=timeline")
    expect(page.get_by_role("tabpanel", name="Timeline")).to_contain_text("Step 2 of 2")
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("phone", [False, True])
def test_a_file_breaks_no_rule_of_accessibility(mock: str, visit: Visit, theme: str, phone: bool) -> None:
    page = visit(mock, phone=phone, color_scheme=theme)
    new_thread(page)
    expect(standing(command(page, "pytest -q"), "failed")).to_be_visible()
    files = files_of(page)
    files.get_by_role("treeitem", name="report.py", exact=True).click()
    expect(
        files.get_by_role("group", name="Content of report.py").locator("[class*=keyword]")
    ).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("phone", [False, True])
def test_the_terminal_breaks_no_rule_of_accessibility(
    mock: str, visit: Visit, theme: str, phone: bool
) -> None:
    page = visit(mock, phone=phone, color_scheme=theme)
    new_thread(page)
    card = command(page, "pytest -q")
    expect(standing(card, "failed")).to_be_visible()
    panel = expanded(cards(page, "terminal").last)
    expect(panel.locator(ROWS)).to_contain_text("1 failed")
    panel.get_by_role("button", name="Search the output").click()
    assert violations(page) == []
