"""What is known of a sleeping computer's folders."""

import pytest

from contracts.limits import ENTRIES_A_PAGE, LISTINGS_KEPT
from contracts.records import FolderEntry, Listing
from durable_objects.bot_computer.listings import Listings
from durable_objects.bot_computer.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import migrate


@pytest.fixture
def listings(context: Context) -> Listings:
    migrate(context.sql, SCHEMA)
    return Listings(context.sql)


def seen(path: str, at_ms: int, entries: int = 1) -> Listing:
    found = [FolderEntry(name=str(n), kind="file", size=n, modified_ms=n) for n in range(entries)]
    return Listing(path=path, entries=found, total=entries, at_ms=at_ms, live=True)


def test_the_last_look_is_kept_and_says_that_it_is_one(listings: Listings) -> None:
    listings.keep(seen("a/b", 1))
    listings.keep(seen("a/b", 2))
    for path in ("a/b", "/workspace/a/b", "./a//b/"):
        known = listings.last(path)
        assert known is not None
        assert (known.at_ms, known.live) == (2, False)
    for path in ("a", "/a/b", "/workspacea/b"):
        assert listings.last(path) is None


def test_the_oldest_go_over_the_number_that_is_kept(listings: Listings) -> None:
    for number in range(LISTINGS_KEPT + 1):
        listings.keep(seen(f"f{number}", number))
    assert listings.last("f0") is None
    assert listings.last("f1") is not None


def test_a_whole_page_is_kept_and_of_one_that_fits_no_row_the_beginning(listings: Listings) -> None:
    page = seen("", 1, ENTRIES_A_PAGE)
    listings.keep(page)
    known = listings.last("")
    assert known is not None
    assert known.entries == page.entries
    long = [entry.model_copy(update={"name": "\ufffdFF" * 255}) for entry in page.entries]
    listings.keep(page.model_copy(update={"entries": long}))
    known = listings.last("")
    assert known is not None
    assert (len(known.entries), known.total) == (ENTRIES_A_PAGE, ENTRIES_A_PAGE)
    wide = [entry.model_copy(update={"name": "数" * 765}) for entry in page.entries]
    listings.keep(page.model_copy(update={"entries": wide}))
    known = listings.last("")
    assert known is not None
    assert (len(known.entries), known.total) == (ENTRIES_A_PAGE // 2, ENTRIES_A_PAGE)


def test_what_is_moved_or_removed_is_forgotten_with_what_was_below_and_above_it(listings: Listings) -> None:
    for path in ("", "a", "a/b", "a/b/c", "a/bc", "d"):
        listings.keep(seen(path, 1))
    listings.drop("/workspace/a/./b")
    known = [path for path in ("", "a", "a/b", "a/b/c", "a/bc", "d") if listings.last(path)]
    assert known == ["", "a/bc", "d"]
    listings.drop("d")
    listings.drop("/elsewhere")
    assert [path for path in ("", "a/bc", "d") if listings.last(path)] == ["a/bc"]
