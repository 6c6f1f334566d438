"""The page that describes the API: rendered from our own address and nothing else."""

from playwright.sync_api import expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, foreign, requests_of


def test_the_api_is_described_without_asking_anybody_else(stack: LocalStack, visit: Visit) -> None:
    page = visit(f"{stack.url}/")
    asked = requests_of(page)
    page.goto(f"{stack.url}/api/docs")
    expect(page.get_by_text("/api/threads/{thread_id}/stream", exact=True)).to_be_visible()
    assert f"{stack.url}/api/docs" in asked
    assert foreign(asked, page) == []
