"""What the API asks of the trading desk, as a table of named operations."""

from collections.abc import Callable

from contracts.paper import PaperSettings
from contracts.records import Record
from contracts.trading import ApprovalSettings, IntentDecision, TradingRules, TradingSwitch
from durable_objects.bot_owner.venue.account_operations import (
    Fields,
    Operation,
    Trading,
    account_operations,
)


def trading_operations(trading: Trading, go_on: Callable[[], None]) -> dict[str, Operation]:
    desk, settings = trading.desk, trading.settings

    async def approvals(fields: Fields) -> Record:
        pending, before, limit = bool(fields["pending"]), fields["before"], fields["limit"]
        return desk.intents(pending=pending, before=before, limit=limit)

    async def approval(fields: Fields) -> Record:
        return desk.intent(fields["id"])

    async def decide(fields: Fields) -> Record:
        try:
            return await desk.decide(fields["id"], IntentDecision.model_validate(fields["body"]))
        finally:
            # A refusal too can set a run free: the time may have run out.
            go_on()

    async def shown(_fields: Fields) -> Record:
        return settings.shown()

    async def set_switch(fields: Fields) -> Record:
        state = TradingSwitch.model_validate(fields["body"]).state
        settings.set_switch(state)
        return settings.shown()

    async def set_rules(fields: Fields) -> Record:
        rules = TradingRules.model_validate(fields["body"])
        settings.set_rules(rules)
        return settings.shown()

    async def set_approvals(fields: Fields) -> Record:
        approvals = ApprovalSettings.model_validate(fields["body"])
        settings.set_approvals(approvals)
        return settings.shown()

    async def paper(_fields: Fields) -> Record:
        return trading.paper.settings

    async def set_paper(fields: Fields) -> Record:
        wanted = PaperSettings.model_validate(fields["body"])
        # What rests is met by the market as it was until now, and from now on by the other one.
        await trading.venues.paper.account()
        trading.paper.choose(wanted)
        return trading.paper.settings

    return {
        "paper_settings": paper,
        "set_paper_settings": set_paper,
        "approvals": approvals,
        "approval": approval,
        "decide_approval": decide,
        "trading": shown,
        "set_trading_switch": set_switch,
        "set_trading_rules": set_rules,
        "set_trading_approvals": set_approvals,
        **account_operations(trading, go_on),
    }
