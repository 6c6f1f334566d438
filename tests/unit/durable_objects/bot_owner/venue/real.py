"""An owner who trades at the stand-in exchange: the client, the accounts and the signer are the real ones."""

from typing import Any

from pydantic import SecretStr

from contracts.trading import TradingAccount, TradingAccountConnect, TradingVenue
from durable_objects.bot_owner.venue.exchange import Exchange
from durable_objects.bot_owner.venue.protocol import Reply
from durable_objects.bot_owner.venue.signing import Curve
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.venue.curve import NodeCurve
from tests.unit.durable_objects.bot_owner.venue.trading import TradingRig
from tests.unit.durable_objects.conftest import Clock
from tests.venue_server.server import VenueStandIn

ACCOUNT = "0x" + "a1" * 20
OTHER = "0x" + "b2" * 20
KEY = "4c" * 32


class RealRig(TradingRig):
    def __init__(self, context: Context, clock: Clock, curve: NodeCurve) -> None:
        self.curve = curve
        self.stand_in = VenueStandIn(clock)
        self.agent = f"0x{curve.address(bytes.fromhex(KEY)).hex()}"
        self.stand_in.account(ACCOUNT, self.agent)
        self.sandboxed = True
        super().__init__(context, clock)

    async def _curve(self) -> Curve:
        return self.curve

    async def _post(self, path: str, body: str, seconds: float) -> Reply:
        if path == "/exchange" and self.dies_in_sending:
            self.dies_in_sending = False
            raise KeyboardInterrupt
        return await self.stand_in.post(path, body, seconds)

    def _trading(self) -> dict[str, Any]:
        kept = super()._trading()
        kept.pop("venue")
        exchange = Exchange("testnet", self._post, self.clock)
        return {**kept, "exchange": exchange, "curve": self._curve, "sandboxed": self.sandboxed}

    async def connect(self, address: str = ACCOUNT, key: str | None = KEY) -> TradingAccount:
        """Connect an account and trade there from now on."""
        wanted = TradingAccountConnect(address=address, agent_key=SecretStr(key) if key else None)
        trading = self.owner.trading
        account = trading.accounts.keep(await trading.accounts.checked(wanted))
        trading.venues.choose(TradingVenue(venue="hyperliquid", account_id=account.id))
        return account

    @property
    def sent(self) -> list[dict[str, Any]]:
        """Every order and cancel that arrived at the exchange."""
        return [one for one in self.stand_in.received if one["action"]["type"] != "noop"]

    def held(self, coin: str = "BTC") -> str:
        return str(self.stand_in.state.positions(ACCOUNT).get(coin, 0))
