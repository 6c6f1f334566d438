"""What this deployment has for models, read from the Worker's variables, secrets and bindings.

| name | kind | meaning |
| --- | --- | --- |
| `BERTH_OPENAI_KEY`, `BERTH_ANTHROPIC_KEY` | secret | the platform's own keys |
| `BERTH_KEY_ENCRYPTION_KEYS` | secret | seals owners' keys, see `key_safe.py` |
| `BERTH_MODEL_SILENCE_SECONDS`, `BERTH_MODEL_ANSWER_SECONDS` | variable | instead of those limits |
| `AI` | binding | Workers AI |
"""

import logging
from dataclasses import dataclass, field
from typing import Any

from contracts.limits import MODEL_ANSWER_SECONDS, MODEL_SILENCE_SECONDS
from contracts.states import REMOTE, Provider
from durable_objects.bot_owner.key_safe import KeyRing, read_ring
from durable_objects.bot_owner.models.choose import Means
from durable_objects.bot_owner.transport import Patience, Transport
from durable_objects.shared.js import is_missing, now_ms

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

    @property
    def providers(self) -> list[Provider]:
        here = {Provider.MANUAL, Provider.SCRIPTED, *REMOTE}
        return [p for p in Provider if p in here or (p == Provider.WORKERS_AI and self.means.ai)]


def deployment_of(env: Any) -> Deployment:
    """`env` is the JavaScript environment of the Worker."""

    def told(name: str) -> str:
        value = getattr(env, name, None)
        return "" if is_missing(value) else str(value)

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
    return Deployment(means, sandboxed, _ring(told("BERTH_KEY_ENCRYPTION_KEYS")))


def _ring(text: str) -> KeyRing:
    try:
        return read_ring(text)
    except ValueError as error:
        # Without it no key is taken, which the page says; everything else goes on.
        log.error("BERTH_KEY_ENCRYPTION_KEYS cannot be used: %s", error)  # noqa: TRY400 - the text is a secret
        return KeyRing()
