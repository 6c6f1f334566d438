"""Where notices go: browsers, one webhook, one address of mail. Addresses and secrets are sealed at rest.

An address can be a secret itself: whoever knows a browser's can send to it, and many a webhook's has a token
in it. So no answer of the API shows more than a host, and a row says no more than that.
"""

import hashlib
import json
from collections.abc import Mapping

from contracts.errors import BerthError, ErrorCode
from contracts.limits import NOTICE_BROWSERS_MAX
from contracts.notices import NoticeChannel, NoticePlace
from contracts.reasons import because
from durable_objects.bot_owner.key_safe import KeySafe
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

Sealed = Mapping[str, str]


def place_record(row: Row) -> NoticePlace:
    return NoticePlace(
        id=row["id"],
        channel=row["channel"],
        shown=row["shown"],
        created_ms=row["created_ms"],
        used_ms=row["used_ms"],
    )


def browser_id(endpoint: str) -> str:
    """The id of a browser's place, which the browser can work out too."""
    return f"sub_{hashlib.sha256(endpoint.encode()).hexdigest()[:32]}"


class Places:
    def __init__(self, context: Context, safe: KeySafe, owner_id: str) -> None:
        self._context = context
        self._sql = context.sql
        self._safe = safe
        self._owner_id = owner_id

    @property
    def kept(self) -> bool:
        """Whether this deployment can keep them."""
        return self._safe.ready

    def all(self) -> list[Row]:
        return self._sql.execute("SELECT * FROM notice_places ORDER BY created_ms, id")

    def of(self, channel: NoticeChannel) -> list[Row]:
        return [row for row in self.all() if row["channel"] == channel]

    def get(self, place_id: str) -> Row | None:
        rows = self._sql.execute("SELECT * FROM notice_places WHERE id = ?", place_id)
        return rows[0] if rows else None

    async def put_browser(self, endpoint: str, what: Sealed, shown: str) -> NoticePlace:
        """A browser by its endpoint as it says it; one that is there already is renewed.

        Raises `invalid_request` where there are too many.
        """
        place_id = browser_id(endpoint)
        sealed = await self._seal(place_id, what)
        others = [row for row in self.of(NoticeChannel.PUSH) if row["id"] != place_id]
        if len(others) >= NOTICE_BROWSERS_MAX:
            raise because(ErrorCode.INVALID_REQUEST, "browsers_many", most=NOTICE_BROWSERS_MAX)
        return self._put(place_id, NoticeChannel.PUSH, shown, sealed)

    async def put_only(
        self, channel: NoticeChannel, shown: str, sealed: Sealed
    ) -> tuple[NoticePlace, list[str]]:
        """The one place of a channel, instead of what was there; returns the ids of those too."""
        place_id = self._context.new_id("plc")
        text = await self._seal(place_id, sealed)
        before = [row["id"] for row in self.of(channel)]

        def put() -> NoticePlace:
            for one in before:
                self.remove(one)
            return self._put(place_id, channel, shown, text)

        return self._sql.transaction(put), before

    def remove(self, place_id: str) -> bool:
        """Whether it was there."""
        return bool(self._sql.execute("DELETE FROM notice_places WHERE id = ? RETURNING id", place_id))

    def used(self, place_id: str) -> None:
        self._sql.run("UPDATE notice_places SET used_ms = ? WHERE id = ?", self._context.now_ms(), place_id)

    async def opened(self, row: Row) -> Sealed:
        """Raises BerthError where it cannot be read: the key that sealed it is gone."""
        found: dict[str, str] = json.loads(await self._safe.open(row["sealed"], self._about(row["id"])))
        return found

    async def seal_anew(self) -> None:
        """Seal under the newest key-encryption key what is not; may be broken off anywhere."""
        for row in self.all() if self._safe.ready else ():
            if self._safe.is_current(row["sealed"]):
                continue
            try:
                sealed = await self._seal(row["id"], await self.opened(row))
            except BerthError:
                continue  # it cannot be read: a notice to it says so
            self._sql.run(
                "UPDATE notice_places SET sealed = ? WHERE id = ? AND sealed = ?",
                sealed,
                row["id"],
                row["sealed"],
            )

    def _put(self, place_id: str, channel: NoticeChannel, shown: str, sealed: str) -> NoticePlace:
        rows = self._sql.execute(
            "INSERT INTO notice_places (id, channel, shown, sealed, created_ms) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET shown = excluded.shown, sealed = excluded.sealed RETURNING *",
            place_id,
            channel,
            shown,
            sealed,
            self._context.now_ms(),
        )
        return place_record(rows[0])

    async def _seal(self, place_id: str, what: Sealed) -> str:
        return await self._safe.seal(json.dumps(dict(what)), self._about(place_id))

    def _about(self, place_id: str) -> str:
        return f"{self._owner_id}\nnotices\n{place_id}"
