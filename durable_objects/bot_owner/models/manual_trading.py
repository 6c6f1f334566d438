"""What a person types to the `manual` model about the trading venue.

    /markets BTC ETH            hl__get_markets, all where none is named
    /account                    hl__get_account
    /candles BTC 1h             hl__get_candles
    /order ID                   hl__get_order
    /orders                     hl__place_orders, an order on each following line:
    buy 0.01 BTC 60010 Ioc      (sell; Gtc where none is named, Alo; reduce)
    /cancel ID ID               hl__cancel_orders

Typing is no approval: the person is asked by a card, like for the orders of any model.
"""

from collections.abc import Callable
from typing import Any

from contracts.venue_tools import (
    CANCEL_ORDERS,
    GET_ACCOUNT,
    GET_CANDLES,
    GET_MARKETS,
    GET_ORDER,
    PLACE_ORDERS,
)

TIFS = {"gtc": "Gtc", "ioc": "Ioc", "alo": "Alo"}
Arguments = dict[str, Any]


def _order(line: str) -> Arguments:
    """The words of a line by their places; what is missing or too much is refused as any model's call is."""
    words = line.split()
    order: Arguments = dict(zip(("side", "size", "symbol", "price"), words, strict=False))
    for word in words[4:]:
        if word.lower() in TIFS:
            order["tif"] = TIFS[word.lower()]
        elif word.lower() == "reduce":
            order["reduce_only"] = True
        else:
            order[word] = True
    return order


def _candles(words: list[str]) -> Arguments:
    return dict(zip(("symbol", "interval"), words, strict=False))


VERBS: dict[str, tuple[str, Callable[[list[str], list[str]], Arguments]]] = {
    "/markets": (GET_MARKETS, lambda words, _lines: {"symbols": words}),
    "/account": (GET_ACCOUNT, lambda _words, _lines: {}),
    "/candles": (GET_CANDLES, lambda words, _lines: _candles(words)),
    "/order": (GET_ORDER, lambda words, _lines: {"order_id": " ".join(words)}),
    "/orders": (
        PLACE_ORDERS,
        lambda _words, lines: {"orders": [_order(line) for line in lines if line.strip()]},
    ),
    "/cancel": (CANCEL_ORDERS, lambda words, _lines: {"order_ids": words}),
}


def call_of(verb: str, argument: str, lines: list[str]) -> tuple[str, Arguments]:
    """The tool and the arguments of a block whose first line has the verb."""
    tool, arguments = VERBS[verb]
    return tool, arguments(argument.split(), lines)
