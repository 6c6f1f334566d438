"""What the API asks about accounts at the exchange, as a table of named operations."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from contracts.records import Record
from contracts.trading import TradingAccount, TradingAccountConnect, TradingAccountList, TradingVenue
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.venue.accounts import TradingAccounts
from durable_objects.bot_owner.venue.desk import TradingDesk
from durable_objects.bot_owner.venue.paper_settings import OwnersMarket
from durable_objects.bot_owner.venue.settings import TradingSettings
from durable_objects.bot_owner.venue.venues import ChosenVenues

Fields = Mapping[str, Any]
Operation = Callable[[Fields], Awaitable[Any]]


@dataclass(frozen=True)
class Trading:
    """An owner's trading, as the operations reach into it."""

    desk: TradingDesk
    settings: TradingSettings
    accounts: TradingAccounts
    venues: ChosenVenues
    paper: OwnersMarket
    record: ThreadRecord


def account_operations(trading: Trading, go_on: Callable[[], None]) -> dict[str, Operation]:
    accounts, venues, record = trading.accounts, trading.venues, trading.record

    async def listed(_fields: Fields) -> Record:
        return TradingAccountList(items=accounts.all())

    async def connect(fields: Fields) -> Record:
        row = await accounts.checked(TradingAccountConnect.model_validate(fields["body"]))

        def stored() -> TradingAccount:
            account = accounts.keep(row)
            if account.watch_only:
                trading.desk.withdraw_account(account, "watch_only")
            return account

        account = record.write(stored)
        go_on()
        return account

    async def remove(fields: Fields) -> None:
        account = accounts.get(fields["id"])

        def removed() -> None:
            trading.desk.withdraw_account(account, "account_removed")
            venues.leave(account.id)
            accounts.remove(account.id)

        record.write(removed)
        go_on()

    async def choose(fields: Fields) -> Record:
        wanted = TradingVenue.model_validate(fields["body"])
        venues.choose(wanted)
        return trading.settings.shown()

    return {
        "trading_accounts": listed,
        "connect_trading_account": connect,
        "remove_trading_account": remove,
        "set_trading_venue": choose,
    }
