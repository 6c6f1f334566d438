"""A person who trades over the API, with an account of their own at the stand-in exchange."""

import hashlib
from typing import Any

from eth_account import Account

from tests.integration.chat.person import Event, Person, Thread, Watch, of
from tests.venue_server.server import VenueStandIn

ORDER = "/orders\nbuy 0.01 BTC 70000 Ioc"


class Trader:
    def __init__(self, person: Person, venue: VenueStandIn) -> None:
        self.person = person
        self.venue = venue
        self.key = hashlib.sha256(f"agent of {person.name}".encode()).hexdigest()
        self.agent = str(Account.from_key(self.key).address).lower()
        self.address = "0x" + hashlib.sha256(f"account of {person.name}".encode()).hexdigest()[:40]
        venue.account(self.address, self.agent)
        self.account: dict[str, Any] = {}

    async def connect(self) -> None:
        body = {"address": self.address, "agent_key": f"0x{self.key}"}
        self.account = await self.person.post("/api/trading/accounts", body, expect=201)
        wanted = {"venue": "hyperliquid", "account_id": self.account["id"]}
        await self.person.ask("PUT", "/api/trading/venue", expect=200, json=wanted)

    async def proposed(self, thread: Thread, watch: Watch, text: str = ORDER) -> tuple[str, dict[str, Any]]:
        """The run, and the intent that it waits with."""
        run_id = str((await thread.send(text))["run"]["id"])
        await watch.until(waiting(run_id))
        return run_id, of(watch.seen, "approval.requested")[-1]

    async def decide(
        self, intent: dict[str, Any], *approve: int, expect: int = 200, by: Person | None = None
    ) -> dict[str, Any]:
        body = {"digest": intent["digest"], "approve": list(approve), "reason": ""}
        path = f"/api/approvals/{intent['id']}/decision"
        return await (by or self.person).post(path, body, expect=expect)

    def arrived(self, intent: dict[str, Any]) -> int:
        """How many actions with an order of this intent have arrived at the exchange."""
        wanted = {line["order_id"] for line in intent["lines"]}
        return sum(
            any(row.get("c") in wanted for row in body["action"].get("orders", []))
            for body in self.venue.received
        )

    def held(self, coin: str = "BTC") -> str:
        return str(self.venue.state.positions(self.address).get(coin, 0))


def waiting(run_id: str) -> Any:
    def waits(event: Event) -> bool:
        data = event["data"]
        return event["type"] == "run.status" and (data["id"], data["state"]) == (run_id, "waiting_approval")

    return waits


def states(intent: dict[str, Any]) -> tuple[str, list[str]]:
    return intent["state"], [one["state"] for one in intent["outcomes"]]
