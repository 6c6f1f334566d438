"""The page that describes the API: rendered from our own address and nothing else."""

from playwright.sync_api import expect

from local.stack import LocalStack
from tests.browser.browsing import Visit, foreign, requests_of, until


def test_the_api_is_described_without_asking_anybody_else(stack: LocalStack, visit: Visit) -> None:
    page = visit(f"{stack.url}/")
    asked = requests_of(page)
    page.goto(f"{stack.url}/api/docs")
    expect(page.get_by_text("/api/me", exact=True).first).to_be_visible()
    # Swagger UI draws the routes that are near, so a person scrolls to those below.
    stream = page.get_by_text("/api/threads/{thread_id}/stream", exact=True)

    def seen() -> bool:
        page.mouse.wheel(0, 300)
        return stream.is_visible()

    until(page, seen)
    assert f"{stack.url}/api/docs" in asked
    assert foreign(asked, page) == []
