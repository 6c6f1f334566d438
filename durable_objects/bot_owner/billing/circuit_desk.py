"""Where an owner's object asks whether computers may be used, and tells the platform what its own cost.

Both are one question to Platform. What is told are whole sums of hours, so that telling them again changes
nothing. What Platform said holds for ten seconds, and for five minutes where it does not answer; after that
no computer is used any more, for nobody would notice what it costs.
"""

import logging
from collections.abc import Awaitable, Callable

from contracts.allowance import ComputerCircuit, Spent
from contracts.errors import ErrorCode
from contracts.limits import CIRCUIT_SECONDS, CIRCUIT_SECONDS_MAX
from contracts.reasons import because
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

LEDGER_ID = "ledger_id"
HOURS_AT_ONCE = 100
TELL_MS = CIRCUIT_SECONDS * 1000
RETRY_SECONDS = 5.0


class PlatformError(Exception):
    """The Platform object did not answer."""


AskPlatform = Callable[[Spent], Awaitable[ComputerCircuit]]
"""Raises PlatformError."""


class CircuitDesk:
    def __init__(
        self,
        context: Context,
        owner_id: str,
        catalog: Catalog,
        ask: AskPlatform,
        ring_by: Callable[[int], None],
    ) -> None:
        self._context = context
        self._sql = context.sql
        self._owner_id = owner_id
        self._catalog = catalog
        self._ask = ask
        self._ring_by = ring_by
        self._known: ComputerCircuit | None = None
        self._heard_ms = 0

    async def check(self, *, awake: bool) -> None:
        """Whether a computer may be used; one that is not awake would have to wake.

        Raises `computer_circuit_open`.
        """
        circuit = await self._current()
        if circuit.open or not (awake or circuit.wakes):
            # An operator's own words may end without a stop.
            reason = (
                circuit.reason if circuit.reason.endswith((".", "!", "?", "。")) else f"{circuit.reason}."
            )
            raise because(
                ErrorCode.COMPUTER_CIRCUIT_OPEN,
                "computers_paused",
                retry_after_s=circuit.retry_after_s or None,
                why=reason,
            )

    async def _current(self) -> ComputerCircuit:
        if self._known is not None and self._age_ms() < CIRCUIT_SECONDS * 1000:
            return self._known
        try:
            return await self._tell()
        except PlatformError as error:
            if self._known is not None and self._age_ms() < CIRCUIT_SECONDS_MAX * 1000:
                return self._known
            raise because(
                ErrorCode.COMPUTER_CIRCUIT_OPEN, "computers_unknown", retry_after_s=RETRY_SECONDS
            ) from error

    def _age_ms(self) -> int:
        age = self._context.now_ms() - self._heard_ms
        # A clock that went back makes everything old.
        return age if age >= 0 else CIRCUIT_SECONDS_MAX * 1000

    async def _tell(self) -> ComputerCircuit:
        rows = self._untold()
        hours = [(row["hour"], row["micro"]) for row in rows]
        circuit = await self._ask(Spent(owner_id=self._owner_id, ledger_id=self._ledger_id(), hours=hours))
        for hour, micro in hours:
            self._sql.run("UPDATE spent_hours SET told = ? WHERE hour = ?", micro, hour)
        self._known, self._heard_ms = circuit, self._context.now_ms()
        return circuit

    def _untold(self) -> list[Row]:
        return self._sql.execute(
            "SELECT hour, micro FROM spent_hours WHERE micro <> told ORDER BY hour LIMIT ?", HOURS_AT_ONCE
        )

    def remind(self) -> None:
        """Have the alarm tell what was not told yet."""
        if self._untold():
            self._ring_by(self._context.now_ms() + TELL_MS)

    async def sweep(self) -> None:
        """What the alarm does: tell what a check has not told meanwhile."""
        if not self._untold():
            return
        try:
            await self._tell()
        except PlatformError as error:
            log.warning("the platform could not be told what the computer cost: %s", error)
        self.remind()

    def _ledger_id(self) -> str:
        found = self._catalog.setting(LEDGER_ID, "")
        if not found:
            found = self._context.new_id("led")
            self._catalog.set_setting(LEDGER_ID, found)
        return found
