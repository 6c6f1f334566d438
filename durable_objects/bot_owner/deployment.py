"""What this deployment has for models, trading and notices: variables, secrets and bindings of the Worker.

| name | kind | meaning |
| --- | --- | --- |
| `BERTH_OPENAI_KEY`, `BERTH_ANTHROPIC_KEY` | secret | the platform's own keys |
| `BERTH_KEY_ENCRYPTION_KEYS` | secret | seals owners' keys, see `key_safe.py` |
| `BERTH_NEWER_KEY_ENCRYPTION_KEYS` | secret | the same, in front of those, which nobody may know any more |
| `BERTH_VAPID_KEY`, `BERTH_VAPID_SUBJECT` | secret, variable | for pushes, see `notices/web_push.py` |
| `BERTH_MAIL_URL`, `BERTH_MAIL_TEMPLATE` | variable | the service that sends mail, see `notices/mail.py` |
| `BERTH_MAIL_HEADER` | secret | what it knows the operator by |
| `BERTH_MODEL_SILENCE_SECONDS`, `BERTH_MODEL_ANSWER_SECONDS` | variable | instead of those limits |
| `BERTH_COMPUTER_PRICE_AN_HOUR`, `BERTH_ALLOWANCE_A_MONTH` | variable | dollars, see `billing/prices.py` |
| `BERTH_MODEL_PRICES` | variable | JSON, the same |
| `AI` | binding | Workers AI |
| `BERTH_NETWORK` | variable | `mainnet` or `testnet`: the exchange that is spoken to |
| `BERTH_VENUE_URL` | variable | a stand-in of the testnet on this machine, for tests |
"""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from contracts.limits import MODEL_ANSWER_SECONDS, MODEL_SILENCE_SECONDS
from contracts.notices import NoticeChannel
from contracts.states import REMOTE, Provider
from durable_objects.bot_owner.billing.prices import Prices, prices_of
from durable_objects.bot_owner.key_safe import KeyRing, read_ring
from durable_objects.bot_owner.models.choose import Means
from durable_objects.bot_owner.notices.carriers import Send
from durable_objects.bot_owner.notices.desk import Carrier, PostOffice
from durable_objects.bot_owner.notices.mail import MailCarrier, MailHook, read_mail_hook
from durable_objects.bot_owner.notices.web_push import PushCarrier, Vapid, read_vapid
from durable_objects.bot_owner.notices.webhook import WebhookCarrier
from durable_objects.bot_owner.transport import Patience, Transport
from durable_objects.bot_owner.venue.exchange import Exchange, Post, closed
from durable_objects.bot_owner.venue.network import exchange_address, network_of
from durable_objects.bot_owner.venue.signing import Network
from durable_objects.bot_owner.venue.wire import Wire
from durable_objects.bot_owner.web_crypto import WebCrypto, WebCryptoCurve
from durable_objects.shared.js import is_missing, now_ms, setting_of

log = logging.getLogger(__name__)

PLATFORM_KEYS = {
    Provider.OPENAI: "BERTH_OPENAI_KEY",
    Provider.OPENAI_RESPONSES: "BERTH_OPENAI_KEY",
    Provider.ANTHROPIC: "BERTH_ANTHROPIC_KEY",
}


SEALING = ("BERTH_NEWER_KEY_ENCRYPTION_KEYS", "BERTH_KEY_ENCRYPTION_KEYS")
MAIL = ("BERTH_MAIL_URL", "BERTH_MAIL_HEADER", "BERTH_MAIL_TEMPLATE")
T = TypeVar("T")


@dataclass(frozen=True)
class Deployment:
    means: Means
    sandboxed: bool
    ring: KeyRing = field(repr=False)
    network: Network
    venue: Post
    prices: Prices
    vapid: Vapid | None = field(default=None, repr=False)
    mail: MailHook | None = field(default=None, repr=False)

    def exchange(self) -> Exchange:
        """The exchange, for one owner."""
        return Exchange(self.network, self.venue, now_ms)

    def post_office(self, send: Send, hurry: Callable[[], None]) -> PostOffice:
        carriers: dict[NoticeChannel, Carrier] = {NoticeChannel.WEBHOOK: WebhookCarrier()}
        if self.vapid:
            carriers[NoticeChannel.PUSH] = PushCarrier(WebCryptoCurve(), WebCrypto(), os.urandom, self.vapid)
        if self.mail:
            carriers[NoticeChannel.EMAIL] = MailCarrier(self.mail)
        push_key = self.vapid.public if self.vapid else None
        return PostOffice(send, carriers, hurry, push_key, self.mail)

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
    return Deployment(
        means,
        sandboxed,
        _read(SEALING[-1], lambda: read_ring(" ".join(map(told, SEALING)))) or KeyRing(),
        network,
        venue,
        _prices(told),
        _read("BERTH_VAPID_KEY", lambda: read_vapid(told("BERTH_VAPID_KEY"), told("BERTH_VAPID_SUBJECT"))),
        _read("BERTH_MAIL_URL", lambda: read_mail_hook(*map(told, MAIL))),
    )


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


def _read(name: str, read: Callable[[], T]) -> T | None:
    """What a reader makes of a secret; None where it cannot be used, which the log says."""
    try:
        return read()
    except ValueError as error:
        # What needs it says that it is not there; everything else goes on.
        log.error("%s cannot be used: %s", name, error)  # noqa: TRY400 - the text is a secret
        return None
