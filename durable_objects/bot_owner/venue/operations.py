"""What the API asks of the trading desk, as a table of named operations."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from contracts.records import Record
from contracts.trading import IntentDecision, IntentList, TradingRules, TradingSwitch
from durable_objects.bot_owner.venue.desk import TradingDesk
from durable_objects.bot_owner.venue.settings import TradingSettings

Fields = Mapping[str, Any]
Audit = Callable[[str, dict[str, Any]], Awaitable[None]]
"""(kind, details): into the operators' record. It does not raise: a halt must not wait for a record."""
Operation = Callable[[Fields], Awaitable[Any]]


def trading_operations(
    desk: TradingDesk, settings: TradingSettings, go_on: Callable[[], None], audit: Audit
) -> dict[str, Operation]:
    async def approvals(fields: Fields) -> Record:
        return IntentList(items=desk.intents(pending=bool(fields["pending"])))

    async def approval(fields: Fields) -> Record:
        return desk.intent(fields["id"])

    async def decide(fields: Fields) -> Record:
        try:
            return await desk.decide(fields["id"], IntentDecision.model_validate(fields["body"]))
        finally:
            # A refusal too can set a run free: the time may have run out.
            go_on()

    async def trading(_fields: Fields) -> Record:
        return settings.shown()

    async def set_switch(fields: Fields) -> Record:
        state = TradingSwitch.model_validate(fields["body"]).state
        settings.set_switch(state)
        await audit("trading_switch", {"state": state})
        return settings.shown()

    async def set_rules(fields: Fields) -> Record:
        rules = TradingRules.model_validate(fields["body"])
        settings.set_rules(rules)
        await audit("trading_rules", {"enabled": rules.enabled})
        return settings.shown()

    return {
        "approvals": approvals,
        "approval": approval,
        "decide_approval": decide,
        "trading": trading,
        "set_trading_switch": set_switch,
        "set_trading_rules": set_rules,
    }
