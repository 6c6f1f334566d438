"""An owner who trades on a still paper market: it moves, loses answers and waits only as a test says."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from contracts.limits import INTENTS_A_PAGE
from contracts.states import IntentState
from contracts.trading import Intent, IntentDecision
from durable_objects.bot_owner.models.protocol import CallPart, TextPart
from durable_objects.bot_owner.venue.paper import Fault, PaperVenue
from durable_objects.bot_owner.venue.paper_market import Listing
from durable_objects.bot_owner.venue.protocol import Reply, Unsure
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock

BUY = {"symbol": "BTC", "side": "buy", "size": "0.01", "price": "60010", "tif": "Ioc"}


def free() -> None:
    """Of a body that nothing keeps back."""


class StillMarket:
    def __init__(self) -> None:
        self.shift = 0

    def steps(self, listing: Listing, second: int) -> int:
        return listing.base + self.shift


class WatchedVenue(PaperVenue):
    """Counts what is sent, and may be out of reach for look-ups."""

    def __init__(self, context: Context, market: StillMarket, rig: "TradingRig") -> None:
        super().__init__(context, market, rig.next_fault)
        self._rig = rig

    async def prepare(
        self,
        action: Mapping[str, Any],
        assets: Mapping[str, int],
        nonce: int,
        expires_ms: int,
        check: Callable[[], None],
    ) -> str:
        if self._rig.dies_before_sending:
            self._rig.dies_before_sending = False
            raise KeyboardInterrupt
        return await super().prepare(action, assets, nonce, expires_ms, check)

    async def send(self, body: str) -> Reply:
        sent = json.loads(body)
        (self._rig.fences if sent["action"]["type"] == "noop" else self._rig.bodies).append(sent)
        if self._rig.dies_in_sending:
            self._rig.dies_in_sending = False
            raise KeyboardInterrupt
        return await super().send(body)

    async def order(self, cloid: str, since_ms: int, *, rests: bool = False) -> Any:
        if self._rig.looks_fail > 0:
            self._rig.looks_fail -= 1
            raise Unsure("out of reach")
        return await super().order(cloid, since_ms)


class TradingRig(OwnerRig):
    def __init__(self, context: Context, clock: Clock) -> None:
        self.clock = clock
        self.market = StillMarket()
        self.faults: list[Fault | None] = []
        self.bodies: list[dict[str, Any]] = []
        """Every order and cancel that was sent."""
        self.fences: list[dict[str, Any]] = []
        self.dies_before_sending = False
        self.dies_in_sending = False
        self.looks_fail = 0
        super().__init__(context)

    def next_fault(self) -> Fault | None:
        return self.faults.pop(0) if self.faults else None

    def _trading(self) -> dict[str, Any]:
        async def sleep(seconds: float) -> None:
            self.clock.pass_seconds(seconds)

        return {"venue": WatchedVenue(self.context, self.market, self), "sleep": sleep}

    async def propose(self, *orders: dict[str, Any], before: tuple[CallPart, ...] = ()) -> str:
        """Have a model propose orders; returns the run's id."""
        call = CallPart("hl__place_orders", {"orders": list(orders)})
        rounds = [[one] for one in (*before, call)]
        self.model = ScriptedModel(*rounds, [TextPart("Done.")], [TextPart("Done.")])
        return await self.ask("trade")

    async def call(self, tool: str, arguments: dict[str, Any]) -> str:
        self.model = ScriptedModel([CallPart(tool, arguments)], [TextPart("Done.")])
        return await self.ask("do")

    def pending(self) -> Intent:
        (intent,) = self.intents(pending=True)
        return intent

    async def decide(self, intent: Intent, *approve: int, reason: str = "", digest: str = "") -> Intent:
        """Decide, and drive what goes on."""
        decision = IntentDecision(digest=digest or intent.digest, approve=list(approve), reason=reason)
        decided = await self.owner.desk.decide(intent.id, decision)
        await self.go_on()
        return self.owner.desk.intent(decided.id)

    async def go_on(self) -> None:
        for run_id in self.owner.journal.due():
            await self.owner.loop.drive(run_id)

    async def buy(self, **fields: Any) -> Intent:
        """A pending intent to buy."""
        await self.propose({**BUY, **fields})
        return self.pending()

    def newest(self) -> Intent:
        return self.intents()[0]

    def intents(self, *, pending: bool = False) -> list[Intent]:
        return self.owner.desk.intents(pending=pending, limit=INTENTS_A_PAGE).items

    def run_state(self, run_id: str) -> str:
        return str(self.owner.journal.row(run_id)["state"])

    def results(self) -> list[dict[str, Any]]:
        return [one for one in self.events("tool.finished") if one["tool"].startswith("hl__")]


def states(intent: Intent) -> tuple[IntentState, list[str]]:
    return intent.state, [one.state for one in intent.outcomes]
