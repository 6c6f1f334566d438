"""Which venue an owner trades at: the one that is chosen now, and of an intent always its own."""

from collections.abc import Callable

from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.trading import Intent, TradingVenue
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.venue.accounts import TradingAccounts
from durable_objects.bot_owner.venue.exchange import Exchange
from durable_objects.bot_owner.venue.hyperliquid import HyperliquidVenue
from durable_objects.bot_owner.venue.protocol import Venue

CHOSEN = "trading_account"
PAPER = ""


class ChosenVenues:
    def __init__(
        self,
        catalog: Catalog,
        accounts: TradingAccounts,
        paper: Venue,
        exchange: Exchange,
        now_ms: Callable[[], int],
    ) -> None:
        self._catalog = catalog
        self._accounts = accounts
        self.paper = paper
        self._exchange = exchange
        self._now_ms = now_ms

    def _real(self, network: str, address: str) -> Venue:
        """The venue of an account."""
        return HyperliquidVenue(
            self._exchange, self._accounts, self._now_ms, network=network, address=address
        )

    @property
    def account_id(self) -> str | None:
        """Of the account that is traded for; none on paper."""
        return self._catalog.setting(CHOSEN, PAPER) or None

    @property
    def active(self) -> Venue:
        if self.account_id is None:
            return self.paper
        account = self._accounts.get(self.account_id)
        return self._real(account.network, account.address)

    def of(self, intent: Intent) -> Venue:
        if intent.venue == self.paper.name:
            return self.paper
        return self._real(intent.network, intent.account)

    def choose(self, wanted: TradingVenue) -> None:
        """Raises `not_found` where there is no such account."""
        if wanted.venue == "paper":
            self._catalog.set_setting(CHOSEN, PAPER)
            return
        if not wanted.account_id:
            raise because(ErrorCode.INVALID_REQUEST, "which_account")
        self._catalog.set_setting(CHOSEN, self._accounts.get(wanted.account_id).id)

    def leave(self, account_id: str) -> None:
        """An account goes: where it was chosen, what is proposed from now on goes to paper."""
        if self.account_id == account_id:
            self._catalog.set_setting(CHOSEN, PAPER)
