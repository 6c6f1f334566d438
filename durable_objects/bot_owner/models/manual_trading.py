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

import re
from collections.abc import Callable
from typing import Any, get_args

from contracts.limits import ORDERS_A_BATCH
from contracts.venue_tools import (
    CANCEL_ORDERS,
    GET_ACCOUNT,
    GET_CANDLES,
    GET_MARKETS,
    GET_ORDER,
    PLACE_ORDERS,
    GetCandles,
)
from durable_objects.bot_owner.models.manual_words import MistakeError
from durable_objects.bot_owner.venue.numbers import is_number

TIFS = {"gtc": "Gtc", "ioc": "Ioc", "alo": "Alo"}
PLACES = ("side", "size", "symbol", "price")
INTERVALS = get_args(GetCandles.model_fields["interval"].annotation)
ORDER_ID = re.compile(r"0x[0-9a-f]{32}")
SYMBOL_CHARACTERS = 40
SYMBOLS = 50
Arguments = dict[str, Any]


def _order(line: str, number: int) -> Arguments:
    """The words of a line by their places. Raises MistakeError."""
    words = line.split()
    order: Arguments = dict(zip(PLACES, words, strict=False))
    if words[0].lower() not in ("buy", "sell"):
        raise MistakeError("side", words[0], line=number, example="/orders")
    order["side"] = words[0].lower()
    if missing := [field for field in PLACES if field not in order]:
        raise MistakeError("order_short", line, line=number, field=missing[0], example="/orders")
    for field in ("size", "price"):
        if not (is_number(order[field]) and float(order[field]) > 0):
            raise MistakeError("number", order[field], line=number, field=field, example="/orders")
    _symbols([order["symbol"]], number, "/orders")
    for word in words[len(PLACES) :]:
        if word.lower() in TIFS:
            order["tif"] = TIFS[word.lower()]
        elif word.lower() == "reduce":
            order["reduce_only"] = True
        else:
            raise MistakeError("extra", word, line=number, example="/orders")
    return order


def _orders(_words: list[str], lines: list[str], number: int) -> Arguments:
    orders = [_order(line, at) for at, line in enumerate(lines, number + 1) if line.strip()]
    if not orders:
        raise MistakeError("no_orders", "/orders", line=number, example="/orders")
    if len(orders) > ORDERS_A_BATCH:
        raise MistakeError("many_orders", "/orders", line=number, most=ORDERS_A_BATCH)
    return {"orders": orders}


def _symbols(words: list[str], number: int, example: str = "") -> list[str]:
    for word in words:
        if len(word) > SYMBOL_CHARACTERS:
            raise MistakeError("symbol", word, line=number, example=example)
    return words


def _markets(words: list[str], _lines: list[str], number: int) -> Arguments:
    if len(words) > SYMBOLS:
        raise MistakeError("too_many", " ".join(words), line=number)
    return {"symbols": _symbols(words, number)}


def _candles(words: list[str], _lines: list[str], number: int) -> Arguments:
    if not words:
        raise MistakeError("missing", "/candles", line=number, field="symbol", example="/candles")
    if len(words) > 1 and words[1] not in INTERVALS:
        known = ", ".join(INTERVALS)
        raise MistakeError("interval", words[1], line=number, example="/candles", known=known)
    if len(words) > 2:
        raise MistakeError("too_many", " ".join(words), line=number, example="/candles")
    return dict(zip(("symbol", "interval"), _symbols(words, number, "/candles"), strict=False))


def _ids(verb: str, words: list[str], number: int, most: int) -> list[str]:
    if not words:
        raise MistakeError("missing", verb, line=number, field="order_id", example=verb)
    for word in words:
        if not ORDER_ID.fullmatch(word):
            raise MistakeError("order_id", word, line=number, example=verb)
    if len(words) > most:
        raise MistakeError("too_many", " ".join(words), line=number, example=verb)
    return words


VERBS: dict[str, tuple[str, Callable[[list[str], list[str], int], Arguments]]] = {
    "/markets": (GET_MARKETS, _markets),
    "/account": (GET_ACCOUNT, lambda _words, _lines, _number: {}),
    "/candles": (GET_CANDLES, _candles),
    "/order": (GET_ORDER, lambda words, _lines, number: {"order_id": _ids("/order", words, number, 1)[0]}),
    "/orders": (PLACE_ORDERS, _orders),
    "/cancel": (
        CANCEL_ORDERS,
        lambda words, _lines, number: {"order_ids": _ids("/cancel", words, number, ORDERS_A_BATCH)},
    ),
}


def call_of(verb: str, argument: str, lines: list[str], number: int) -> tuple[str, Arguments]:
    """The tool and arguments of a block whose first line, of this number, has the verb. May raise."""
    tool, arguments = VERBS[verb]
    return tool, arguments(argument.split(), lines, number)
