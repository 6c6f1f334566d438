"""The venue's answers as they have to be: whatever is missing, or no plain number, is no answer.

Only what is used is named; more may stand beside it. Numbers travel as decimal strings and nothing else:
a JSON number would have lost digits on the way, and `NaN` is none.
"""

import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter

NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,29})(\.[0-9]{1,30})?", re.ASCII)
SYMBOL = re.compile(r"[A-Za-z0-9@:/_.-]{1,40}", re.ASCII)


def _decimal(value: Any) -> Decimal:
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        raise ValueError("not a plain decimal string")
    return Decimal(value)


def _positive(value: Decimal) -> Decimal:
    if value <= 0:
        raise ValueError("not over zero")
    return value


def _not_negative(value: Decimal) -> Decimal:
    if value < 0:
        raise ValueError("under zero")
    return value


Signed = Annotated[Decimal, BeforeValidator(_decimal)]
Positive = Annotated[Signed, AfterValidator(_positive)]
NotNegative = Annotated[Signed, AfterValidator(_not_negative)]
Address = Annotated[str, Field(pattern=r"^0x[0-9a-fA-F]{40}$"), AfterValidator(str.lower)]
Text = Annotated[str, Field(max_length=200)]
Cloid = Annotated[str, Field(pattern=r"^0x[0-9a-fA-F]{32}$"), AfterValidator(str.lower)]
Time = Annotated[int, Field(ge=0, lt=2**53)]


class Shape(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", hide_input_in_errors=True)


class Listed(Shape):
    name: Text
    szDecimals: Annotated[int, Field(ge=0, le=8)]  # noqa: N815 - the venue's names
    maxLeverage: Annotated[int, Field(ge=1, le=1_000)]  # noqa: N815
    isDelisted: bool = False  # noqa: N815


class Meta(Shape):
    universe: Annotated[list[Listed], Field(min_length=1, max_length=9_999)]


class BookLevel(Shape):
    px: Positive
    sz: Positive


Side = Annotated[list[BookLevel], Field(max_length=200)]


class BookAnswer(Shape):
    coin: Text
    levels: tuple[Side, Side]


class CandleRow(Shape):
    t: Time
    s: Text
    o: Positive
    h: Positive
    l: Positive  # noqa: E741 - the venue's name
    c: Positive


class Margin(Shape):
    accountValue: Signed  # noqa: N815


class Held(Shape):
    coin: Text
    szi: Signed
    entryPx: Positive | None = None  # noqa: N815


class HeldAsset(Shape):
    position: Held


class Clearinghouse(Shape):
    marginSummary: Margin  # noqa: N815
    withdrawable: Signed
    assetPositions: list[HeldAsset]  # noqa: N815


class Balance(Shape):
    coin: Text
    total: Signed
    hold: Signed


class SpotState(Shape):
    balances: list[Balance]


class OrderRow(Shape):
    coin: Text
    side: Literal["A", "B"]
    limitPx: Positive  # noqa: N815
    sz: NotNegative
    origSz: Positive  # noqa: N815
    oid: Annotated[int, Field(ge=0)]
    timestamp: Time
    reduceOnly: bool = False  # noqa: N815
    cloid: Cloid | None = None


class FoundOrder(Shape):
    order: OrderRow
    status: Text
    statusTimestamp: Time  # noqa: N815


class KnownOrder(Shape):
    status: Literal["order"]
    order: FoundOrder


class NoOrder(Shape):
    status: Literal["unknownOid"]


class Fill(Shape):
    coin: Text
    side: Literal["A", "B"]
    px: Positive
    sz: Positive
    time: Time
    oid: int
    tid: int
    cloid: Cloid | None = None


class FeeRates(Shape):
    userCrossRate: Signed  # noqa: N815
    userAddRate: Signed  # noqa: N815


class Leverage(Shape):
    value: Annotated[int, Field(ge=1, le=1_000)]


class ActiveAsset(Shape):
    coin: Text
    leverage: Leverage


class AgentOf(Shape):
    user: Address


class AgentRole(Shape):
    role: Literal["agent"]
    data: AgentOf


class PlainRole(Shape):
    role: Literal["user", "vault", "subAccount", "missing"]


class NamedAgent(Shape):
    address: Address
    validUntil: Time  # noqa: N815


META = TypeAdapter(Meta)
MIDS: TypeAdapter[dict[str, Decimal]] = TypeAdapter(dict[Text, Positive])
BOOK = TypeAdapter(BookAnswer)
CANDLES = TypeAdapter(list[CandleRow])
CLEARINGHOUSE = TypeAdapter(Clearinghouse)
SPOT = TypeAdapter(SpotState)
MODE: TypeAdapter[str] = TypeAdapter(
    Literal["default", "disabled", "dexAbstraction", "unifiedAccount", "portfolioMargin"]
)
OPEN_ORDERS = TypeAdapter(list[OrderRow])
ORDER: TypeAdapter[KnownOrder | NoOrder] = TypeAdapter(KnownOrder | NoOrder)
FILLS = TypeAdapter(list[Fill])
FEES = TypeAdapter(FeeRates)
ACTIVE_ASSET = TypeAdapter(ActiveAsset)
ROLE: TypeAdapter[AgentRole | PlainRole] = TypeAdapter(AgentRole | PlainRole)
AGENTS = TypeAdapter(list[NamedAgent])
