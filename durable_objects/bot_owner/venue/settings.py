"""What the owner has set for trading: the kill switch and the rules. They survive a restart."""

import json

from contracts.states import SwitchState
from contracts.trading import Trading, TradingRules
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.venue.venues import ChosenVenues


class TradingSettings:
    def __init__(self, catalog: Catalog, venues: ChosenVenues) -> None:
        self._catalog = catalog
        self._venues = venues

    @property
    def switch(self) -> SwitchState:
        return SwitchState(self._catalog.setting("trading_switch", SwitchState.ACTIVE))

    def set_switch(self, state: SwitchState) -> None:
        self._catalog.set_setting("trading_switch", state)

    @property
    def rules(self) -> TradingRules:
        return TradingRules.model_validate(json.loads(self._catalog.setting("trading_rules", "{}")))

    def set_rules(self, rules: TradingRules) -> None:
        self._catalog.set_setting("trading_rules", rules.model_dump_json())

    def shown(self) -> Trading:
        venue = self._venues.active
        return Trading(
            venue=venue.name,
            network=venue.network,
            account=venue.account_address,
            account_id=self._venues.account_id,
            switch=self.switch,
            rules=self.rules,
        )
