"""`/exchange` of the stand-in: who signed, by the venue's own SDK, and what the action does."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from hyperliquid.utils.signing import recover_agent_or_user_from_l1_action

from durable_objects.bot_owner.venue.numbers import plain, price_legal, size_legal
from tests.venue_server.state import Coin, Order, State, met

GONE = "Order was never placed, already canceled, or filled."


def signer_of(body: Mapping[str, Any], *, mainnet: bool = False) -> str:
    found: str = recover_agent_or_user_from_l1_action(
        body["action"], body["signature"], body["vaultAddress"], body["nonce"], body["expiresAfter"], mainnet
    )
    return found.lower()


def act(state: State, text: str) -> dict[str, Any]:
    """The answer to an action, which has happened."""
    body = json.loads(text)
    signer = signer_of(body)
    agent = state.agents.get(signer)
    if agent is None or (agent.valid_until is not None and state.now_ms() >= agent.valid_until):
        return refused(f"User or API Wallet {signer} does not exist.")
    if body["expiresAfter"] is not None and state.now_ms() > body["expiresAfter"]:
        return refused("Action has expired.")
    if wrong := state.use_nonce(signer, body["nonce"]):
        return refused(wrong)
    action = body["action"]
    match action["type"]:
        case "order":
            statuses = [_place(state, agent.account, row) for row in action["orders"]]
            return done("order", statuses)
        case "cancelByCloid":
            statuses = [_cancel(state, agent.account, row) for row in action["cancels"]]
            return done("cancel", statuses)
        case "noop":
            return {"status": "ok", "response": {"type": "default"}}
        case other:
            raise AssertionError(f"Berth never sends {other}")


def refused(words: str) -> dict[str, Any]:
    return {"status": "err", "response": words}


def done(kind: str, statuses: list[Any]) -> dict[str, Any]:
    return {"status": "ok", "response": {"type": kind, "data": {"statuses": statuses}}}


def _place(state: State, user: str, row: Mapping[str, Any]) -> Any:
    coin = list(state.coins.values())[row["a"]]
    size = Decimal(row["s"])
    order = Order(
        oid=next(state.ids),
        user=user,
        coin=coin.name,
        side="B" if row["b"] else "A",
        price=Decimal(row["p"]),
        size=size,
        left=size,
        tif=row["t"]["limit"]["tif"],
        reduce_only=row["r"],
        cloid=row.get("c"),
        at_ms=state.now_ms(),
        status_ms=state.now_ms(),
    )
    state.orders.append(order)
    if wrong := _refusal(coin, order):
        status, words = wrong
        state.end(order, status)
        return {"error": f"{words} asset={row['a']}"}
    if met(coin, order):
        state.fill(order, min(order.left, coin.depth), coin.best(order.side))
    if order.tif == "Ioc" and order.status == "open":
        state.end(order, "canceled")
    if order.left == order.size:
        return {"resting": {"oid": order.oid, "cloid": order.cloid}}
    filled = {
        "totalSz": f"{order.size - order.left:f}",
        "avgPx": f"{coin.best(order.side):f}",
        "oid": order.oid,
    }
    return {"filled": filled}


def _refusal(coin: Coin, order: Order) -> tuple[str, str] | None:
    crosses = met(coin, order)
    rules = (
        (
            not price_legal(order.price, coin.size_decimals),
            "tickRejected",
            "Price must be divisible by tick size.",
        ),
        (not size_legal(order.size, coin.size_decimals), "rejected", "Order has invalid size."),
        (order.size * order.price < 10, "minTradeNtlRejected", "Order must have minimum value of $10."),
        (
            order.tif == "Alo" and crosses,
            "badAloPxRejected",
            "Post only order would have immediately matched",
        ),
        (
            order.tif == "Ioc" and not crosses,
            "iocCancelRejected",
            "Order could not immediately match against any resting orders.",
        ),
    )
    return next(((status, words) for broken, status, words in rules if broken), None)


def _cancel(state: State, user: str, row: Mapping[str, Any]) -> Any:
    order = state.of(user, row["cloid"])
    if order is None or order.status != "open":
        return {"error": f"{GONE} asset={row['asset']}"}
    state.end(order, "canceled")
    return "success"


def wire(value: Decimal) -> str:
    """As the venue writes numbers: with a point, whole ones too."""
    text = plain(value)
    return text if "." in text else f"{text}.0"
