"""Everything as one file, and a deletion of everything that is planned, seen, and taken back."""

import tarfile

import pytest
from playwright.sync_api import Page, expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, Watch
from tests.browser.test_accessibility import violations
from tests.browser.test_settings import section
from tests.browser.threads import composer, new_bot


def test_an_archive_is_made_and_taken_away(stack: LocalStack, visit: Visit) -> None:
    page = visit(stack.url.replace("127.0.0.1", "archive.localhost"))
    new_bot(page)
    composer(page).fill("$ echo kept for later")
    composer(page).press("Enter")
    expect(page.get_by_text("kept for later").last).to_be_visible()
    data = section(page, "Data")
    data.get_by_role("button", name="Make an archive").click()
    expect(data.get_by_text("It is kept until")).to_be_visible()
    with page.expect_download() as loading:
        data.get_by_role("link", name="Download").click()
    with tarfile.open(loading.value.path()) as archive:
        names = archive.getnames()
    assert "berth/contents.json" in names
    assert any(name.startswith("berth/threads/") for name in names)
    data.get_by_role("button", name="Remove it").click()
    expect(data.get_by_role("button", name="Make an archive")).to_be_visible()


def plan(page: Page, owner: str) -> None:
    section(page, "Data").get_by_role("button", name="Delete everything\u2026").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label(f"Type {owner} to confirm").fill(owner)
    dialog.get_by_role("button", name="Delete everything", exact=True).click()


@pytest.mark.parametrize("dark", [False, True])
def test_a_deletion_is_planned_seen_and_taken_back(
    stack: LocalStack, visit: Visit, watch: Watch, dark: bool
) -> None:
    # What is refused meanwhile, which is everything else.
    watch.expected = ("status of 409",)
    name = f"leaving{int(dark)}"
    page = visit(stack.url.replace("127.0.0.1", f"{name}.localhost"))
    page.emulate_media(color_scheme="dark" if dark else "light")
    new_bot(page)
    plan(page, f"local-{name}")
    heading = page.get_by_role("heading", name="Everything will be deleted on")
    expect(heading).to_be_visible()
    page.reload()
    expect(heading).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Keep everything").click()
    expect(page.get_by_role("navigation", name="Threads")).to_be_visible()
    expect(heading).to_have_count(0)
