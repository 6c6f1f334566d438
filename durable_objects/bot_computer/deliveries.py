"""Bringing the meter's intervals to the owner's ledger: at least once, in order, one delivery at a time.

The ledger knows an interval by its key, so one whose answer was lost is brought again and costs nothing more.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from contracts.allowance import Interval
from durable_objects.bot_computer.meter import Meter

log = logging.getLogger(__name__)

# What may stay undelivered when a call ends: less than the next check would notice.
LATE_MS = 1_000
SOON_MS = 5_000
DELIVERY_SECONDS = 5.0


class DeliveryError(Exception):
    """The owner's object did not take it."""


Deliver = Callable[[list[Interval]], Awaitable[None]]
"""Raises DeliveryError."""


class Deliveries:
    def __init__(
        self, meter: Meter, deliver: Deliver, now_ms: Callable[[], int], ring_by: Callable[[int], None]
    ) -> None:
        self._meter = meter
        self._deliver = deliver
        self._now_ms = now_ms
        self._ring_by = ring_by
        self._turn = asyncio.Lock()
        self._closed = False

    async def after_call(self) -> None:
        """A call has ended: what is worth it is delivered before its caller goes on, the rest soon."""
        if self._meter.unsettled_ms >= LATE_MS:
            await self.run()
        self.arm()

    def arm(self) -> None:
        if self._meter.unsettled_ms:
            self._ring_by(self._now_ms() + SOON_MS)

    async def run(self) -> None:
        """Deliver everything; what is not taken stays for the next time."""
        async with self._turn:
            while self._meter.unsettled_ms and not self._closed:
                intervals, last = self._meter.outbox()
                try:
                    async with asyncio.timeout(DELIVERY_SECONDS):
                        await self._deliver(intervals)
                except (DeliveryError, TimeoutError) as error:
                    log.warning("machine time could not be brought to the ledger: %r", error)
                    return
                self._meter.delivered(intervals, last)

    async def close(self) -> None:
        """No more of them: the tables are about to be deleted, and the ledger with them."""
        self._closed = True
        async with self._turn:
            return
