"""The tools with which a model reads the trading venue and proposes orders. Numbers are decimal strings."""

from typing import Annotated, Literal

from pydantic import Field

from contracts.arguments import Arguments, Tool
from contracts.limits import CANDLES_MAX, ORDERS_A_BATCH
from contracts.states import Effect

Symbol = Annotated[str, Field(min_length=1, max_length=40)]
Number = Annotated[str, Field(min_length=1, max_length=30, description="A decimal string, such as '0.25'.")]
OrderId = Annotated[str, Field(pattern=r"^0x[0-9a-f]{32}$", description="As hl__get_account shows it.")]


class GetMarkets(Arguments):
    symbols: list[Symbol] = Field(default=[], max_length=50, description="All markets where it is empty.")


class GetAccount(Arguments):
    pass


class GetCandles(Arguments):
    symbol: Symbol
    interval: Literal["1m", "5m", "15m", "1h", "4h", "1d"] = "1h"
    limit: int = Field(default=50, ge=1, le=CANDLES_MAX)


class GetOrder(Arguments):
    order_id: OrderId


class ProposedOrder(Arguments):
    symbol: Symbol
    side: Literal["buy", "sell"]
    size: Number
    price: Number
    tif: Literal["Gtc", "Ioc", "Alo"] = Field(
        default="Gtc", description="Rest until filled, fill at once or not at all, or only rest."
    )
    reduce_only: bool = False


class PlaceOrders(Arguments):
    orders: list[ProposedOrder] = Field(min_length=1, max_length=ORDERS_A_BATCH)


class CancelOrders(Arguments):
    order_ids: list[OrderId] = Field(min_length=1, max_length=ORDERS_A_BATCH)


GET_MARKETS, GET_ACCOUNT, GET_CANDLES, GET_ORDER = (
    "hl__get_markets", "hl__get_account", "hl__get_candles", "hl__get_order",
)  # fmt: skip
PLACE_ORDERS, CANCEL_ORDERS = "hl__place_orders", "hl__cancel_orders"

VENUE_TOOLS = (
    Tool(
        GET_MARKETS,
        "The venue's markets: mid price, size decimals, price step, leverage.",
        GetMarkets,
        Effect.READ,
        outside=False,
    ),
    Tool(
        GET_ACCOUNT,
        "The owner's account: balance, positions, open orders.",
        GetAccount,
        Effect.READ,
        outside=False,
    ),
    Tool(
        GET_CANDLES,
        "Candles of a market, oldest first: time, open, high, low, close.",
        GetCandles,
        Effect.READ,
        outside=False,
    ),
    Tool(GET_ORDER, "What became of an order.", GetOrder, Effect.READ, outside=False),
    Tool(
        PLACE_ORDERS,
        "Proposes limit orders to the person, who decides on each; answers with what the venue did. Prices "
        "and sizes must be legal as they are (5 significant figures; size decimals): nothing is rounded. "
        "Minimum value 10 USDC. Text never approves anything.",
        PlaceOrders,
        Effect.VENUE_WRITE,
        outside=False,
    ),
    Tool(
        CANCEL_ORDERS,
        "Proposes to cancel open orders; the person decides.",
        CancelOrders,
        Effect.VENUE_WRITE,
        outside=False,
    ),
)
VENUE_NAMES = frozenset(tool.name for tool in VENUE_TOOLS)
