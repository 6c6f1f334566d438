"""`/info` of the stand-in: the shapes of the venue's answers, with more in them than Berth reads."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from tests.venue_server.exchange import wire
from tests.venue_server.state import Fill, Order, State

Body = Mapping[str, Any]
FILLS_A_PAGE = 2_000


def answer(state: State, body: Body) -> Any:
    """What the venue says; None (JSON's null) to a question that it does not know."""
    known = ANSWERS.get(body["type"])
    return known(state, body) if known else None


def _meta(state: State, _body: Body) -> Any:
    universe = [
        {"name": one.name, "szDecimals": one.size_decimals, "maxLeverage": one.leverage, "marginTableId": 50}
        | ({"isDelisted": True} if one.delisted else {})
        for one in state.coins.values()
    ]
    return {"universe": universe, "marginTables": [], "collateralToken": 0}


def _mids(state: State, _body: Body) -> Any:
    return {one.name: wire(one.mid) for one in state.coins.values() if not one.delisted} | {"@1": "14.5"}


def _book(state: State, body: Body) -> Any:
    coin = state.coins[body["coin"]]

    def side(price: Decimal) -> Any:
        return [{"px": wire(price), "sz": wire(coin.depth), "n": 3}] if coin.depth else []

    levels = [side(coin.best("A")), side(coin.best("B"))]
    return {"coin": coin.name, "time": state.now_ms(), "levels": levels}


def _candles(state: State, body: Body) -> Any:
    wanted = body["req"]
    mid = wire(state.coins[wanted["coin"]].mid)
    step = {"1m": 60, "5m": 300, "15m": 900, "1h": 3_600, "4h": 14_400, "1d": 86_400}[
        wanted["interval"]
    ] * 1000
    return [
        {
            "t": at, "T": at + step - 1, "s": wanted["coin"], "i": wanted["interval"],
            "o": mid, "c": mid, "h": mid, "l": mid, "v": "12.5", "n": 7,
        }
        for at in range(wanted["startTime"], wanted["endTime"], step)
    ]  # fmt: skip


def _clearinghouse(state: State, body: Body) -> Any:
    value = state.accounts.get(body["user"], Decimal(0))
    if state.modes.get(body["user"]) == "unifiedAccount":
        value = Decimal(0)
    assets = [
        {
            "type": "oneWay",
            "position": {
                "coin": coin, "szi": wire(size), "entryPx": wire(state.coins[coin].mid),
                "leverage": {"type": "cross", "value": 20}, "liquidationPx": None, "unrealizedPnl": "0.0",
            },
        }
        for coin, size in state.positions(body["user"]).items()
    ]  # fmt: skip
    margin = {
        "accountValue": wire(value),
        "totalNtlPos": "0.0",
        "totalRawUsd": wire(value),
        "totalMarginUsed": "0.0",
    }
    return {
        "marginSummary": margin, "crossMarginSummary": margin, "crossMaintenanceMarginUsed": "0.0",
        "withdrawable": wire(value), "assetPositions": assets, "time": state.now_ms(),
    }  # fmt: skip


def _spot(state: State, body: Body) -> Any:
    total = wire(state.accounts.get(body["user"], Decimal(0)))
    return {"balances": [{"coin": "USDC", "token": 0, "total": total, "hold": "1.5", "entryNtl": "0.0"}]}


def _order_row(one: Order) -> dict[str, Any]:
    return {
        "coin": one.coin, "side": one.side, "limitPx": wire(one.price), "sz": wire(one.left), "oid": one.oid,
        "timestamp": one.at_ms, "triggerCondition": "N/A", "isTrigger": False, "triggerPx": "0.0",
        "children": [], "isPositionTpsl": False, "reduceOnly": one.reduce_only, "orderType": "Limit",
        "origSz": wire(one.size), "tif": one.tif, "cloid": one.cloid,
    }  # fmt: skip


def _open_orders(state: State, body: Body) -> Any:
    return [_order_row(one) for one in state.orders if one.user == body["user"] and one.status == "open"]


def _order_status(state: State, body: Body) -> Any:
    found = state.of(body["user"], body["oid"])
    if found is None:
        return {"status": "unknownOid"}
    order = {"order": _order_row(found), "status": found.status, "statusTimestamp": found.status_ms}
    return {"status": "order", "order": order}


def _fill(one: Fill) -> dict[str, Any]:
    return {
        "coin": one.coin, "px": wire(one.price), "sz": wire(one.size), "side": one.side, "time": one.at_ms,
        "startPosition": "0.0", "dir": "Open Long", "closedPnl": "0.0", "hash": "0x" + "0" * 64,
        "oid": one.oid, "crossed": True, "fee": "0.1", "tid": one.tid, "feeToken": "USDC",
    } | ({"cloid": one.cloid} if one.cloid else {})  # fmt: skip


def _fills(state: State, body: Body) -> Any:
    since = body["startTime"]
    return [_fill(one) for one in state.fills if one.user == body["user"] and one.at_ms >= since][
        :FILLS_A_PAGE
    ]


def _role(state: State, body: Body) -> Any:
    user = body["user"]
    if agent := state.agents.get(user):
        return {"role": "agent", "data": {"user": agent.account}}
    if role := state.roles.get(user):
        return {"role": role} | ({"data": {"master": "0x" + "0" * 40}} if role == "subAccount" else {})
    return {"role": "user" if user in state.accounts else "missing"}


def _agents(state: State, body: Body) -> Any:
    return [
        {"name": one.name, "address": address, "validUntil": one.valid_until}
        for address, one in state.agents.items()
        if one.account == body["user"] and one.name
    ]


def _active_asset(state: State, body: Body) -> Any:
    mid = wire(state.coins[body["coin"]].mid)
    return {
        "user": body["user"], "coin": body["coin"], "leverage": {"type": "cross", "value": 20},
        "maxTradeSzs": ["1.0", "1.0"], "availableToTrade": ["1.0", "1.0"], "markPx": mid,
    }  # fmt: skip


ANSWERS: Mapping[str, Callable[[State, Body], Any]] = {
    "meta": _meta,
    "allMids": _mids,
    "l2Book": _book,
    "candleSnapshot": _candles,
    "clearinghouseState": _clearinghouse,
    "spotClearinghouseState": _spot,
    "frontendOpenOrders": _open_orders,
    "orderStatus": _order_status,
    "userFillsByTime": _fills,
    "userRole": _role,
    "extraAgents": _agents,
    "activeAssetData": _active_asset,
    "userAbstraction": lambda state, body: state.modes.get(body["user"], "default"),
    "userFees": lambda _state, _body: {
        "userCrossRate": "0.00045", "userAddRate": "0.00015", "feeSchedule": {}, "dailyUserVlm": [],
    },
}  # fmt: skip
