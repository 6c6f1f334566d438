"""The model keys of one owner's bots: sealed when they come in, opened for a question, sealed anew in time.

Nothing else reads the column they are kept in. Keys from before they were sealed, and those under a
key-encryption key that is being replaced, are sealed under the newest one when the object starts.
"""

from contracts.api import ModelChoice
from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from durable_objects.bot_owner.key_safe import VERSION, KeySafe
from durable_objects.shared.sql import Row, Sql


class BotKeys:
    def __init__(self, sql: Sql, safe: KeySafe, owner_id: str, *, sandboxed: bool) -> None:
        self._sql = sql
        self._safe = safe
        self._owner_id = owner_id
        self._sandboxed = sandboxed

    @property
    def taken(self) -> bool:
        """Whether keys can be kept here."""
        return self._sandboxed and self._safe.ready

    async def sealed(self, bot_id: str, choice: ModelChoice) -> str | None:
        """What to store for the key of a choice: None where it names none, empty where it takes one away."""
        key = None if choice.api_key is None else choice.api_key.get_secret_value()
        if not key:
            return key
        if not self._sandboxed:
            raise because(ErrorCode.FORBIDDEN, "model_key_no_sandbox")
        return await self._safe.seal(key, self._about(bot_id, choice.provider, choice.base_url))

    async def key_of(self, bot: Row) -> str:
        """The key of a bot's row. Raises `model_key_refused` where it cannot be read."""
        if not bot["api_key"].startswith(f"{VERSION}."):
            return str(bot["api_key"])
        return await self._safe.open(bot["api_key"], self._about_row(bot))

    async def seal_anew(self) -> None:
        """Seal under the newest key-encryption key what is not; may be broken off anywhere."""
        if not self._safe.ready:
            return
        for bot in self._sql.execute("SELECT * FROM bots WHERE api_key != '' AND deleted = 0"):
            if self._safe.is_current(bot["api_key"]):
                continue
            try:
                sealed = await self._safe.seal(await self.key_of(bot), self._about_row(bot))
            except BerthError:
                continue  # it cannot be read: its owner is told when it is used
            # Only where nobody has changed it meanwhile.
            self._sql.run(
                "UPDATE bots SET api_key = ? WHERE id = ? AND api_key = ?", sealed, bot["id"], bot["api_key"]
            )

    def _about_row(self, bot: Row) -> str:
        return self._about(bot["id"], bot["provider"], bot["base_url"])

    def _about(self, bot_id: str, provider: str, base_url: str) -> str:
        return f"{self._owner_id}\n{bot_id}\n{provider}\n{base_url}"
