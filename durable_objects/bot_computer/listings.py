"""The last known first pages of folders, so that a sleeping computer's files can be looked at.

Kept by path in the order in which they were seen; the computer is never woken for them.
"""

from contracts.limits import LISTINGS_KEPT
from contracts.records import Listing
from durable_objects.shared.sql import Sql

# A row holds 2 MB, and this is about looking: of a page that is longer, the beginning is kept.
LISTING_BYTES = 1_800_000


class Listings:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def keep(self, listing: Listing) -> None:
        known = listing.model_copy(update={"live": False})
        while len((text := known.model_dump_json()).encode()) > LISTING_BYTES:
            known = known.model_copy(update={"entries": known.entries[: len(known.entries) // 2]})
        self._sql.run(
            "INSERT OR REPLACE INTO listings (path, at_ms, listing) VALUES (?, ?, ?)",
            known.path,
            known.at_ms,
            text,
        )
        self._sql.run(
            "DELETE FROM listings WHERE path IN"
            " (SELECT path FROM listings ORDER BY at_ms DESC, path LIMIT -1 OFFSET ?)",
            LISTINGS_KEPT,
        )

    def drop(self, path: str) -> None:
        """This is not there any more, nor what was below it; the folder that it was in has changed."""
        parts = _parts(path)
        if parts is None:
            return
        gone, above = "/".join(parts), "/".join(parts[:-1])
        self._sql.run(
            "DELETE FROM listings WHERE path IN (?1, ?2) OR substr(path, 1, length(?1) + 1) = ?1 || '/'",
            gone,
            above,
        )

    def forget(self) -> None:
        """The folders are gone."""
        self._sql.run("DELETE FROM listings")

    def last(self, path: str) -> Listing | None:
        """What was last seen of a folder; the path as a person or the web gives it."""
        parts = _parts(path)
        if parts is None:
            return None
        rows = self._sql.execute("SELECT listing FROM listings WHERE path = ?", "/".join(parts))
        return Listing.model_validate_json(rows[0]["listing"]) if rows else None


def _parts(path: str) -> list[str] | None:
    """The names on the way from the workspace; None where the path does not lead into it."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not path.startswith("/"):
        return parts
    return parts[1:] if parts[:1] == ["workspace"] else None
