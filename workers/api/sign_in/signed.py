"""What the Worker gives out and wants back unchanged: a challenge, a login under way.

Nothing is stored when it is given out, so nobody can fill a store by asking; what counts once is remembered
when it comes back (`durable_objects/shared/once.py`).
"""

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

MAC_BYTES = 32


@dataclass(frozen=True)
class Signed:
    text: str
    until_ms: int
    fields: Mapping[str, Any]


def sign(key: bytes, purpose: str, fields: Mapping[str, Any], until_ms: int, chance: bytes) -> str:
    """Return base64url text. `chance` makes each unlike the others; `purpose` is what it is good for."""
    body = json.dumps([fields, until_ms, chance.hex()], separators=(",", ":")).encode()
    return encoded(_mac(key, purpose, body) + body)


def read(key: bytes, purpose: str, text: str, now_ms: int) -> Signed | None:
    """What was signed, or None for anything else: changed, of another purpose, or too old."""
    try:
        raw = decoded(text)
    except ValueError:
        return None
    mac, body = raw[:MAC_BYTES], raw[MAC_BYTES:]
    if not hmac.compare_digest(mac, _mac(key, purpose, body)):
        return None
    fields, until_ms, _chance = json.loads(body)
    return Signed(text, until_ms, fields) if now_ms < until_ms else None


def _mac(key: bytes, purpose: str, body: bytes) -> bytes:
    return hmac.new(key, purpose.encode() + b"\0" + body, sha256).digest()


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    """Raises ValueError for what is no base64url, or not written in its one way."""
    found = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    if encoded(found) != text:
        raise ValueError("not base64url")
    return found
