"""The last resort of finding out: a `noop` with the nonce of an action whose outcome nobody knows.

A nonce is used once. Where the venue takes the noop, the action was not there before it and can never be;
where it says that the nonce is used, something has landed, and only looking tells what. There is one fence
for each action, stored before it leaves: of two, the second would only meet the first. It places nothing and
takes nothing away, so it leaves also while trading is halted.
"""

import json
import logging

from contracts.errors import BerthError
from contracts.limits import ACTION_SECONDS, FENCE_AFTER_SECONDS
from contracts.trading import Intent
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.venue.intents import IntentRows
from durable_objects.bot_owner.venue.protocol import Unsure, Venues
from durable_objects.bot_owner.venue.refusals import refused
from durable_objects.bot_owner.venue.replies import fences
from durable_objects.shared.context import Context

log = logging.getLogger(__name__)


class Fence:
    def __init__(self, context: Context, record: ThreadRecord, rows: IntentRows, venues: Venues) -> None:
        self._context = context
        self._record = record
        self._rows = rows
        self._venues = venues

    async def put(self, intent: Intent) -> bool:
        """Whether one stands now behind which the action can take effect no more. False says nothing."""
        sent, now = self._rows.sent(intent.id), self._context.now_ms()
        if sent["fence"] is not None or sent["signer"] is None or not _due(sent["sent_until_ms"], now):
            return False
        venue, signer = self._venues.of(intent), str(sent["signer"])

        def check() -> None:
            # Nonces are the signer's: another one's would keep nothing away.
            if venue.signer != signer:
                raise refused("account_changed")

        try:
            check()
            nonce, until = int(json.loads(sent["sent"])["nonce"]), now + ACTION_SECONDS * 1000
            body = await venue.prepare({"type": "noop"}, {}, nonce, until, check)
            if not self._record.write(lambda: self._rows.begin_fence(intent.id)):
                return False
            stands = fences(await venue.send(body))
        except (BerthError, Unsure) as reason:
            log.warning("%s has no fence: %s", intent.id, reason)
            return False
        if stands:
            self._record.write(lambda: self._rows.fence_holds(intent.id))
        return stands


def _due(until_ms: int, now_ms: int) -> bool:
    """Some looks have found nothing; and it could still come, which its own end will say otherwise."""
    sent_ms = until_ms - ACTION_SECONDS * 1000
    return sent_ms + FENCE_AFTER_SECONDS * 1000 <= now_ms <= until_ms
