"""What the API asks about accounts at the exchange, as a table of named operations."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from contracts.records import Record
from contracts.trading import TradingAccount, TradingAccountConnect, TradingAccountList, TradingVenue
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.venue.accounts import TradingAccounts
from durable_objects.bot_owner.venue.desk import TradingDesk
from durable_objects.bot_owner.venue.settings import TradingSettings
from durable_objects.bot_owner.venue.venues import ChosenVenues

Fields = Mapping[str, Any]
Audit = Callable[[str, dict[str, Any]], Awaitable[None]]
"""(kind, details): into the operators' record. It does not raise: a halt must not wait for a record."""
Operation = Callable[[Fields], Awaitable[Any]]


@dataclass(frozen=True)
class Trading:
    """An owner's trading, as the operations reach into it."""

    desk: TradingDesk
    settings: TradingSettings
    accounts: TradingAccounts
    venues: ChosenVenues
    record: ThreadRecord


def account_operations(trading: Trading, go_on: Callable[[], None], audit: Audit) -> dict[str, Operation]:
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
        await audit("trading_account_connected", _told(account))
        return account

    async def remove(fields: Fields) -> None:
        account = accounts.get(fields["id"])

        def removed() -> None:
            trading.desk.withdraw_account(account, "account_removed")
            venues.leave(account.id)
            accounts.remove(account.id)

        record.write(removed)
        go_on()
        await audit("trading_account_removed", _told(account))

    async def addresses(_fields: Fields) -> Any:
        """For the computer: public addresses and nothing else."""
        return {"addresses": accounts.addresses()}

    async def choose(fields: Fields) -> Record:
        wanted = TradingVenue.model_validate(fields["body"])
        venues.choose(wanted)
        await audit("trading_venue", {"venue": wanted.venue, "account_id": venues.account_id})
        return trading.settings.shown()

    return {
        "trading_accounts": listed,
        "connect_trading_account": connect,
        "remove_trading_account": remove,
        "account_addresses": addresses,
        "set_trading_venue": choose,
    }


def _told(account: TradingAccount) -> dict[str, Any]:
    return {"account_id": account.id, "network": account.network, "watch_only": account.watch_only}
