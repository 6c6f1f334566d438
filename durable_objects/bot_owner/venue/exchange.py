"""The exchange's two doors: `/info`, which is read, weighed and kept for a moment, and `/exchange`.

Every read has its weight and how long it may be shown again; whoever shows it says of when it is. An answer
that is not what `shapes.py` wants is an error with a code, and never half of an answer.
"""

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from contracts.errors import BerthError, ErrorCode
from contracts.limits import VENUE_READ_SECONDS, VENUE_SEND_SECONDS
from contracts.reasons import because
from durable_objects.bot_owner.venue import shapes
from durable_objects.bot_owner.venue.protocol import Reply, Unsure
from durable_objects.bot_owner.venue.refusals import refused
from durable_objects.bot_owner.venue.signing import Network
from durable_objects.bot_owner.venue.weights import Budget
from durable_objects.shared.json_text import too_deep

log = logging.getLogger(__name__)
T = TypeVar("T")

KEPT_MAX = 200
LINES_A_WEIGHT = 40


class Post(Protocol):
    """(path, JSON body, seconds). Raises Unsure where no whole answer came."""

    async def __call__(self, path: str, body: str, seconds: float) -> Reply: ...


@dataclass(frozen=True)
class Query(Generic[T]):
    """A kind of question: the shape of its answer, what it weighs, and for how long it may be shown again."""

    type: str
    shape: TypeAdapter[T]
    weight: int
    keep_ms: int = 0


META = Query("meta", shapes.META, 20, 60_000)
MIDS = Query("allMids", shapes.MIDS, 2, 2_000)
BOOK = Query("l2Book", shapes.BOOK, 2, 2_000)
CANDLES = Query("candleSnapshot", shapes.CANDLES, 24, 15_000)
CLEARINGHOUSE = Query("clearinghouseState", shapes.CLEARINGHOUSE, 2, 2_000)
SPOT = Query("spotClearinghouseState", shapes.SPOT, 2, 2_000)
MODE = Query("userAbstraction", shapes.MODE, 20, 60_000)
OPEN_ORDERS = Query("frontendOpenOrders", shapes.OPEN_ORDERS, 20, 2_000)
FEES = Query("userFees", shapes.FEES, 20, 600_000)
ACTIVE_ASSET = Query("activeAssetData", shapes.ACTIVE_ASSET, 20, 10_000)
ORDER = Query("orderStatus", shapes.ORDER, 2)
# Of all lines of an action the same page is asked for.
FILLS = Query("userFillsByTime", shapes.FILLS, 20, 1_000)
ROLE = Query("userRole", shapes.ROLE, 60)
AGENTS = Query("extraAgents", shapes.AGENTS, 20)
# What an action of ours may have changed.
CHANGED_BY_ACTIONS = frozenset(
    one.type for one in (CLEARINGHOUSE, SPOT, OPEN_ORDERS, ACTIVE_ASSET, FILLS)
)  # fmt: skip


@dataclass(frozen=True)
class Read(Generic[T]):
    value: T
    at_ms: int
    """When it was asked for."""


class Exchange:
    """One network's exchange, for one owner: their reads share a budget and what is kept of them."""

    def __init__(self, network: Network, post: Post, now_ms: Callable[[], int]) -> None:
        self.network = network
        self._post = post
        self._now_ms = now_ms
        self._budget = Budget(now_ms)
        self._kept: dict[str, tuple[Query[Any], Read[Any]]] = {}

    async def read(
        self, query: Query[T], *, fresh: bool = False, needed: bool = False, **more: Any
    ) -> Read[T]:
        """Ask, or show again what is new enough. `fresh` wants it from the venue; `needed` is let through
        over the budget. Raises `venue_throttled` or `venue_unavailable`."""
        body = json.dumps({"type": query.type, **more})
        now, known = self._now_ms(), self._kept.get(body)
        if known and not fresh and 0 <= now - known[1].at_ms < query.keep_ms:
            return known[1]
        self._budget.take(query.weight, needed=needed)
        try:
            reply = await self._post("/info", body, VENUE_READ_SECONDS)
        except Unsure as error:
            raise unavailable(str(error)) from error
        found = Read(self._opened(query, reply), now)
        if isinstance(found.value, list) and query.type == FILLS.type:
            self._budget.take(len(found.value) // 20, needed=True)
        if query.keep_ms:
            self._keep(body, query, found)
        return found

    def _opened(self, query: Query[T], reply: Reply) -> T:
        if reply.status == 429:
            raise self._budget.rest()
        if reply.status != 200:
            raise unavailable(f"it answered {query.type} with HTTP {reply.status}")
        if too_deep(reply.text):
            raise unavailable(f"its answer to {query.type} is nested too deep")
        try:
            return query.shape.validate_json(reply.text)
        except ValidationError as error:
            # Where it is wrong, and not what stands there.
            where = ".".join(map(str, error.errors(include_input=False, include_url=False)[0]["loc"]))
            raise unavailable(
                f"its answer to {query.type} is not what it should be, at {where[:100]!a}"
            ) from None

    def _keep(self, body: str, query: Query[Any], found: Read[Any]) -> None:
        self._kept.pop(body, None)
        self._kept[body] = (query, found)
        while len(self._kept) > KEPT_MAX:
            del self._kept[next(iter(self._kept))]

    async def act(self, body: str, lines: int) -> Reply:
        """Send an action, once. Raises Unsure where nobody knows whether it took effect."""
        try:
            self._budget.take(1 + lines // LINES_A_WEIGHT, needed=True)
        except BerthError:
            log.info("an action goes out although the venue wants to rest")
        try:
            reply = await self._post("/exchange", body, VENUE_SEND_SECONDS)
            if reply.status == 429:
                self._budget.rest()
            return reply
        finally:
            self._kept = {
                body: kept for body, kept in self._kept.items() if kept[0].type not in CHANGED_BY_ACTIONS
            }


def unavailable(why: str) -> BerthError:
    return because(ErrorCode.VENUE_UNAVAILABLE, "venue_not_asked", why=why)


def closed(why: str) -> Post:
    """The door of a deployment that has no exchange, because it is not set up for one."""

    async def post(path: str, body: str, seconds: float) -> Reply:  # noqa: ARG001 - nothing is asked
        raise refused("no_exchange", f"This deployment has no exchange: {why}.")

    return post
