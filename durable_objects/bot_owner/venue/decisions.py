"""The owner's decision on an intent: on exactly what was shown, once, while it still stands."""

from collections.abc import Sequence
from decimal import Decimal

from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.states import IntentState
from contracts.trading import Intent, IntentDecision, IntentLine
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.venue import proposal
from durable_objects.bot_owner.venue.authority import Authority
from durable_objects.bot_owner.venue.drafts import Drafts
from durable_objects.bot_owner.venue.intents import IntentRows
from durable_objects.bot_owner.venue.moves import IntentMoves, too_late
from durable_objects.bot_owner.venue.protocol import Venues
from durable_objects.bot_owner.venue.refusals import refused
from durable_objects.bot_owner.venue.settings import TradingSettings
from durable_objects.shared.context import Context

S = IntentState


class Decisions:
    def __init__(
        self,
        context: Context,
        *,
        settings: TradingSettings,
        record: ThreadRecord,
        venues: Venues,
        authority: Authority,
        drafts: Drafts,
        moves: IntentMoves,
    ) -> None:
        self._now_ms = context.now_ms
        self._settings = settings
        self._record = record
        self._venues = venues
        self._authority = authority
        self._drafts = drafts
        self._moves = moves
        self._rows = IntentRows(context.sql)

    async def decide(self, intent_id: str, decision: IntentDecision) -> Intent:
        """Raises BerthError where it is not what there is any more, or may not be sent."""
        intent = self._rows.get(intent_id)
        if intent.state is S.PENDING and self._moves.expired(intent):
            raise because(ErrorCode.APPROVAL_EXPIRED, "approval_over")
        _check(intent, decision)
        chosen = [line for line in intent.lines if line.n in decision.approve]
        if chosen:
            self._check_authority(intent, chosen)
            await self._check_price(intent, chosen)
        return self._record.write(lambda: self._decided(intent, decision, chosen))

    def _check_authority(self, intent: Intent, chosen: Sequence[IntentLine]) -> None:
        if reason := self._authority.refusal(intent, chosen):
            raise refused(reason)

    def _decided(self, intent: Intent, decision: IntentDecision, chosen: Sequence[IntentLine]) -> Intent:
        # The price was asked for in between: the clock, the switch and the account are looked at again.
        if self._now_ms() >= intent.expires_ms:
            raise because(ErrorCode.APPROVAL_EXPIRED, "approval_over")
        if chosen:
            self._check_authority(intent, chosen)
        outcomes = [
            one if one.n in decision.approve else one.model_copy(update={"state": "declined"})
            for one in intent.outcomes
        ]
        state = S.APPROVED if chosen else S.DECLINED
        moved = self._moves.moved(intent, state, by="owner", reason=decision.reason, outcomes=outcomes)
        if moved is None:
            raise too_late(self._rows.get(intent.id))
        self._moves.resume(moved)
        return moved

    async def _check_price(self, intent: Intent, chosen: Sequence[IntentLine]) -> None:
        if intent.kind == "cancel":
            return
        mids = {one.symbol: one.mid for one in await self._venues.of(intent).markets()}
        if gone := [line.symbol for line in chosen if line.symbol not in mids]:
            raise refused("market_changed", f"The venue has no market {gone[0]} any more.")
        bound = self._settings.approvals.price_move_percent
        if not any(proposal.moved(line, mids[line.symbol], Decimal(bound)) for line in chosen):
            return
        fresh = await self._drafts.ask_again(intent, "price_moved")
        raise because(
            ErrorCode.APPROVAL_CHANGED,
            "price_moved_since",
            details={"intent_id": fresh.id},
            percent=str(bound),
        )


def _check(intent: Intent, decision: IntentDecision) -> None:
    if intent.state is not S.PENDING:
        raise too_late(intent)
    if decision.digest != intent.digest:
        raise because(ErrorCode.APPROVAL_CHANGED, "not_as_shown")
    if set(decision.approve) - {line.n for line in intent.lines}:
        raise because(ErrorCode.INVALID_REQUEST, "line_gone")
