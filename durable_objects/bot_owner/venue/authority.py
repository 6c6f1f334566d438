"""Whether what was let go may still leave. Asked again at every place before it does: what an owner took back
meanwhile counts, and what a rule let go needs that rule to the end.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal

from contracts.trading import Intent, IntentLine, TradingRules
from durable_objects.bot_owner.routines.bounds import RunBounds
from durable_objects.bot_owner.venue.protocol import Venues
from durable_objects.bot_owner.venue.refusals import Kept
from durable_objects.bot_owner.venue.rules import allows, switched_off
from durable_objects.bot_owner.venue.settings import TradingSettings
from durable_objects.bot_owner.venue.submission import sent_lines


class Authority:
    """`is_over` says of a run that it goes on no more."""

    def __init__(
        self, settings: TradingSettings, bounds: RunBounds, venues: Venues, is_over: Callable[[str], bool]
    ) -> None:
        self._settings = settings
        self._bounds = bounds
        self._venues = venues
        self._is_over = is_over

    def kept_back(self, intent: Intent) -> Kept:
        """Why an approved intent must not be sent now; empty where it may."""
        if reason := self.refusal(intent, sent_lines(intent)):
            return reason
        if self._is_over(intent.source.run_id):
            return "stopped"
        return "rules_changed" if intent.by == "rule" and not self.allowed(intent) else ""

    def refusal(self, intent: Intent, lines: Sequence[IntentLine]) -> Kept:
        """Why nobody may send these lines now: the kill switch, or an account that cannot sign."""
        return self.switched_off(lines, cancels=intent.kind == "cancel") or self._venues.of(intent).refusal()

    def switched_off(self, lines: Sequence[IntentLine], *, cancels: bool) -> Kept:
        return switched_off(self._settings.switch, lines, cancels=cancels)

    def allowed(self, intent: Intent) -> bool:
        """Whether the rules let an intent go ahead by itself now, beside all else that they let through."""
        rules, spent = self._rules_of(intent)
        cancels = intent.kind == "cancel"
        return allows(rules, intent.network, intent.lines, spent, self._settings.hour, cancels=cancels)

    def _rules_of(self, intent: Intent) -> tuple[TradingRules, Decimal]:
        """The rules that hold for an intent, and what they let through today beside it.

        What a routine may do by itself is its own switch, not what its owner allows the chat.
        """
        own = self._bounds.orders(intent.source.run_id, besides=intent.id)
        return own or (self._settings.rules, self._settings.ruled_today(besides=intent.id))
