"""What the owner has set for trading: the kill switch, the rules, how approvals are asked for.

They survive a restart. What was stored under older rules and is none of today's counts as not set, so it
allows nothing.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import TypeVar

from pydantic import ValidationError

from contracts.records import Record
from contracts.states import SwitchState
from contracts.trading import ApprovalSettings, Trading, TradingRules
from durable_objects.bot_owner.billing.days import Calendar
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.venue.intents import IntentRows
from durable_objects.bot_owner.venue.numbers import plain
from durable_objects.bot_owner.venue.paper_settings import OwnersMarket
from durable_objects.bot_owner.venue.rules import counts
from durable_objects.bot_owner.venue.venues import ChosenVenues
from durable_objects.shared.context import Context

R = TypeVar("R", bound=Record)


class TradingSettings:
    """`calendar` is the owner's at this moment: the rules go by its midnight and its hours."""

    def __init__(
        self,
        context: Context,
        catalog: Catalog,
        venues: ChosenVenues,
        market: OwnersMarket,
        calendar: Callable[[], Calendar],
    ) -> None:
        self._now_ms = context.now_ms
        self._catalog = catalog
        self._rows = IntentRows(context.sql)
        self._venues = venues
        self._market = market
        self._calendar = calendar

    @property
    def switch(self) -> SwitchState:
        return SwitchState(self._catalog.setting("trading_switch", SwitchState.ACTIVE))

    def set_switch(self, state: SwitchState) -> None:
        self._catalog.set_setting("trading_switch", state)

    @property
    def rules(self) -> TradingRules:
        return self._kept("trading_rules", TradingRules())

    def set_rules(self, rules: TradingRules) -> None:
        self._catalog.set_setting("trading_rules", rules.model_dump_json())

    @property
    def approvals(self) -> ApprovalSettings:
        return self._kept("trading_approvals", ApprovalSettings())

    def set_approvals(self, approvals: ApprovalSettings) -> None:
        self._catalog.set_setting("trading_approvals", approvals.model_dump_json())

    def _kept(self, name: str, unset: R) -> R:
        try:
            return type(unset).model_validate_json(self._catalog.setting(name, "{}"))
        except ValidationError:
            return unset

    def ruled_today(self, besides: str = "") -> Decimal:
        """The value of the orders that rules let through since the owner's midnight, in USDC.

        `besides` names an intent that does not count: the one that is judged.
        """
        rules = self.rules
        lines = self._rows.ruled_since(self._calendar().day_begins_ms(self._now_ms()), besides)
        return sum((Decimal(line.notional) for line in lines if counts(rules, line)), Decimal(0))

    @property
    def hour(self) -> int:
        """Of the owner's day, now."""
        return self._calendar().hour(self._now_ms())

    def shown(self) -> Trading:
        venue, market = self._venues.active, self._market.settings
        on_paper = self._venues.account_id is None
        as_at_first = self.switch is SwitchState.ACTIVE and not self.rules.enabled and on_paper
        return Trading(
            venue=venue.name,
            network=venue.network,
            account=venue.account_address,
            account_id=self._venues.account_id,
            switch=self.switch,
            rules=self.rules,
            approvals=self.approvals,
            ruled_today=plain(self.ruled_today()),
            paper_replays=market.replay is not None,
            paper_loses=market.loses,
            time_zone=str(self._calendar().zone),
            used=not as_at_first or self._rows.some(),
        )
