"""A deployment's secrets: which it must have, which are made for it, and which only its operator knows."""

import base64
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from local.keys import new_sealing_key, new_vapid_key
from local.launcher.errors import LauncherError

SETUP_CODE = "BERTH_SETUP_CODE"
SEALING_KEYS = "BERTH_KEY_ENCRYPTION_KEYS"
NEWER_SEALING_KEYS = "BERTH_NEWER_KEY_ENCRYPTION_KEYS"
VAPID_KEY = "BERTH_VAPID_KEY"
# The id of the sealing key that is made.
FIRST = "first"
SETUP_CODE_BYTES = 15


@dataclass(frozen=True)
class Made:
    """A secret that is made where it is missing."""

    name: str
    why: str
    make: Callable[[], str]
    told: bool = False
    """Whether the operator is shown it, once."""


@dataclass(frozen=True)
class Form:
    """What a secret looks like, and in words."""

    pattern: re.Pattern[str]
    words: str


def new_setup_code() -> str:
    """24 letters and digits in groups, to be typed by a person; 120 bits."""
    code = base64.b32encode(os.urandom(SETUP_CODE_BYTES)).decode().lower()
    return "-".join(code[start : start + 6] for start in range(0, len(code), 6))


MADE = (
    Made(SEALING_KEYS, "seals what owners keep secret", lambda: f"{FIRST}:{new_sealing_key()}"),
    Made(VAPID_KEY, "lets browsers be pushed to", new_vapid_key),
    Made(SETUP_CODE, "lets the first person in", new_setup_code, told=True),
)
OWN_KEYS = "for all bots; without it owners bring a key of their own"
OPTIONAL: Mapping[str, str] = {
    "BERTH_OPENAI_KEY": f"models of OpenAI {OWN_KEYS}",
    "BERTH_ANTHROPIC_KEY": f"models of Anthropic {OWN_KEYS}",
    "BERTH_MAIL_HEADER": "what the mail service knows you by, for notices by mail",
    "BERTH_OTLP_HEADER": "what a collector of spans and counters knows you by",
    "BERTH_OIDC_CLIENT_SECRET": "for a provider of accounts that gave a secret with its client id",
}
"""What only the operator knows, and for what; taken from the environment of the command."""
SEALING_KEY = r"[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/_-]{43}="
SEALING_FORM = Form(
    re.compile(rf"\s*{SEALING_KEY}(?:\s+{SEALING_KEY})*\s*"),
    "`id:` and 32 bytes in base64, with spaces between several",
)
FORMS: Mapping[str, Form] = {
    SETUP_CODE: Form(re.compile(r".{20,}"), "20 characters or more"),
    SEALING_KEYS: SEALING_FORM,
    NEWER_SEALING_KEYS: SEALING_FORM,
    VAPID_KEY: Form(
        re.compile(r"[A-Za-z0-9_-]{87}=?[.][A-Za-z0-9_-]{43}=?"), "what `local.keys vapid` prints"
    ),
}
"""What the Worker takes; it would go on without any other, and say so in its log alone."""


def given_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Those that the environment has. Raises LauncherError for one that the Worker would not take."""
    names = sorted({*OPTIONAL, NEWER_SEALING_KEYS, *(secret.name for secret in MADE)})
    given = {name: value for name in names if (value := environment.get(name))}
    for name, value in given.items():
        if (form := FORMS.get(name)) and not form.pattern.fullmatch(value):
            raise LauncherError(f"{name} in the environment is not {form.words}")
    # Of two keys with one id the Worker would take none at all.
    for name, others in ((SEALING_KEYS, []), (NEWER_SEALING_KEYS, [FIRST])):
        ids = [*others, *(entry.partition(":")[0] for entry in given.get(name, "").split())]
        if len(set(ids)) < len(ids):
            raise LauncherError(f"{name} in the environment has a key whose id is taken")
    return given


def missing_secrets(there: frozenset[str]) -> tuple[Made, ...]:
    """Those that are to be made."""
    return tuple(secret for secret in MADE if secret.name not in there)
