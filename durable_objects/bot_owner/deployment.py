"""What this deployment has for models and trading, read from the Worker's variables, secrets and bindings.

| name | kind | meaning |
| --- | --- | --- |
| `BERTH_OPENAI_KEY`, `BERTH_ANTHROPIC_KEY` | secret | the platform's own keys |
| `BERTH_KEY_ENCRYPTION_KEYS` | secret | seals owners' keys, see `key_safe.py` |
| `BERTH_MODEL_SILENCE_SECONDS`, `BERTH_MODEL_ANSWER_SECONDS` | variable | instead of those limits |
| `BERTH_COMPUTER_PRICE_AN_HOUR`, `BERTH_ALLOWANCE_A_MONTH` | variable | dollars, see `billing/prices.py` |
| `BERTH_MODEL_PRICES` | variable | JSON, the same |
| `AI` | binding | Workers AI |
| `BERTH_NETWORK` | variable | `mainnet` or `testnet`: the exchange that is spoken to |
| `BERTH_VENUE_URL` | variable | a stand-in of the testnet on this machine, for tests |
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from contracts.limits import MODEL_ANSWER_SECONDS, MODEL_SILENCE_SECONDS
from contracts.states import REMOTE, Provider
from durable_objects.bot_owner.billing.prices import Prices, prices_of
from durable_objects.bot_owner.key_safe import KeyRing, read_ring
from durable_objects.bot_owner.models.choose import Means
from durable_objects.bot_owner.transport import Patience, Transport
from durable_objects.bot_owner.venue.exchange import Exchange, Post, closed
from durable_objects.bot_owner.venue.network import exchange_address, network_of
from durable_objects.bot_owner.venue.signing import Network
from durable_objects.bot_owner.venue.wire import Wire
from durable_objects.shared.js import is_missing, now_ms, setting_of

log = logging.getLogger(__name__)

PLATFORM_KEYS = {
    Provider.OPENAI: "BERTH_OPENAI_KEY",
    Provider.OPENAI_RESPONSES: "BERTH_OPENAI_KEY",
    Provider.ANTHROPIC: "BERTH_ANTHROPIC_KEY",
}


@dataclass(frozen=True)
class Deployment:
    means: Means
    sandboxed: bool
    ring: KeyRing = field(repr=False)
    network: Network
    venue: Post
    prices: Prices

    def exchange(self) -> Exchange:
        """The exchange, for one owner."""
        return Exchange(self.network, self.venue, now_ms)

    @property
    def providers(self) -> list[Provider]:
        here = {Provider.MANUAL, Provider.SCRIPTED, *REMOTE}
        return [p for p in Provider if p in here or (p == Provider.WORKERS_AI and self.means.ai)]


def deployment_of(env: Any) -> Deployment:
    """`env` is the JavaScript environment of the Worker."""

    def told(name: str) -> str:
        return setting_of(env, name)

    sandboxed = told("BERTH_UNSANDBOXED") != "1"
    ai = getattr(env, "AI", None)
    patience = Patience(
        float(told("BERTH_MODEL_SILENCE_SECONDS") or MODEL_SILENCE_SECONDS),
        float(told("BERTH_MODEL_ANSWER_SECONDS") or MODEL_ANSWER_SECONDS),
    )
    transport = Transport(patience, ai)
    # Commands that run without a sandbox could read what this process knows.
    keys = {p: key for p, name in PLATFORM_KEYS.items() if sandboxed and (key := told(name))}
    means = Means(transport.post, None if is_missing(ai) else transport.run, now_ms, keys)
    network, venue = _exchange(told("BERTH_NETWORK") or "testnet", told("BERTH_VENUE_URL"))
    ring, prices = _ring(told("BERTH_KEY_ENCRYPTION_KEYS")), _prices(told)
    return Deployment(means, sandboxed, ring, network, venue, prices)


def _exchange(network: str, told: str) -> tuple[Network, Post]:
    try:
        known = network_of(network)
        return known, Wire(exchange_address(known, told))
    except ValueError as error:
        # No order leaves a deployment of which it is not clear where it trades; all the rest goes on.
        log.error("there is no exchange: %s", error)  # noqa: TRY400 - the sentence says it all
        return "testnet", closed(str(error))


def _prices(told: Callable[[str], str]) -> Prices:
    try:
        return prices_of(told)
    except ValueError:
        # Nothing becomes free by a mistake; the operator sees it in the log and in the page's prices.
        log.exception("the prices cannot be read, so the usual ones are taken")
        return Prices()


def _ring(text: str) -> KeyRing:
    try:
        return read_ring(text)
    except ValueError as error:
        # Without it no key is taken, which the page says; everything else goes on.
        log.error("BERTH_KEY_ENCRYPTION_KEYS cannot be used: %s", error)  # noqa: TRY400 - the text is a secret
        return KeyRing()
