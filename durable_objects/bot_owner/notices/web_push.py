"""Web Push: a notice for a browser, encrypted for it alone (RFC 8291, RFC 8188) and signed for us (RFC 8292).

The push service in between sees its size, its hurry and for how long it is worth keeping; never what it says.
"""

import hashlib
import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from durable_objects.bot_owner.key_safe import Cipher
from durable_objects.bot_owner.notices.carriers import Notice, Parcel
from durable_objects.bot_owner.notices.occasions import WAITING
from durable_objects.shared.ids import Entropy

RECORD_BYTES = 4096
SALT_BYTES, POINT_BYTES, SCALAR_BYTES, TAG_BYTES = 16, 65, 32, 16
# A message is made as long as a multiple of this: its length says little of what is in it.
STEP_BYTES = 256
# RFC 8292 allows a day.
TOKEN_SECONDS = 12 * 3_600

# The curve P-256: its prime and the constant of its equation, y² = x³ - 3x + b.
PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B


@dataclass(frozen=True)
class KeyPair:
    """Of P-256: the scalar, 32 bytes, and the uncompressed point, 65 bytes."""

    private: bytes = field(repr=False)
    public: bytes


class Curve(Protocol):
    """P-256. Keys that are none raise ValueError."""

    async def pair(self) -> KeyPair:
        """A new one."""
        ...

    async def shared(self, own: KeyPair, other: bytes) -> bytes:
        """The 32 bytes that both sides can work out."""
        ...

    async def sign(self, own: KeyPair, text: bytes) -> bytes:
        """ECDSA over the text's SHA-256, as 64 bytes."""
        ...


@dataclass(frozen=True)
class Vapid:
    """The application server's key, and how its operator is reached (`mailto:` or `https:`)."""

    keys: KeyPair
    subject: str = ""

    @property
    def public(self) -> str:
        """As a browser wants it to subscribe."""
        return encoded(self.keys.public)


def read_vapid(key: str, subject: str) -> Vapid | None:
    """From `PUBLIC.PRIVATE`, both base64url; None for nothing. Raises ValueError, not saying what it read."""
    if not key:
        return None
    public, _, private = key.strip().partition(".")
    try:
        pair = KeyPair(decoded(private), decoded(public))
    except ValueError:
        pair = KeyPair(b"", b"")
    if len(pair.private) != SCALAR_BYTES or not is_point(pair.public):
        raise ValueError("the key is not a point and a scalar of P-256 in base64url, with a dot between")
    if subject and not subject.startswith(("mailto:", "https://")):
        raise ValueError("the subject is neither mailto: nor https://")
    return Vapid(pair, subject)


def is_point(text: bytes) -> bool:
    """Whether this is an uncompressed point of P-256."""
    if len(text) != POINT_BYTES or text[0] != 4:
        return False
    x, y = int.from_bytes(text[1:33], "big"), int.from_bytes(text[33:], "big")
    return x < PRIME and y < PRIME and (y * y - (x * x * x - 3 * x + B)) % PRIME == 0


@dataclass(frozen=True)
class PushCarrier:
    curve: Curve
    cipher: Cipher
    entropy: Entropy
    vapid: Vapid

    async def parcel(self, notice: Notice, place: Mapping[str, str]) -> Parcel:
        """`place` has `endpoint`, `p256dh` and `auth`. Raises ValueError where its keys are none."""
        own = await self.curve.pair()
        body = await encrypted(
            self.curve,
            self.cipher,
            told(notice),
            own=own,
            other=decoded(place["p256dh"]),
            secret=decoded(place["auth"]),
            salt=self.entropy(SALT_BYTES),
        )
        # The newest of a topic takes the place of one that the browser has not fetched yet.
        topic = encoded(hashlib.sha256(notice.event.encode()).digest()[:24])
        headers = {
            "authorization": await authorization(
                self.curve, self.vapid, place["endpoint"], notice.now_ms // 1000
            ),
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "ttl": str(max(0, (notice.until_ms - notice.now_ms) // 1000)),
            "topic": topic,
            "urgency": "high" if notice.kind in WAITING else "normal",
        }
        return Parcel(place["endpoint"], headers, body)


def told(notice: Notice) -> bytes:
    """What the page's service worker reads, filled up with spaces."""
    fields = {
        "id": notice.event,
        "kind": notice.kind,
        "title": notice.words.title,
        "body": notice.words.body,
        "path": notice.path,
    }
    text = json.dumps(fields, ensure_ascii=False).encode()
    return text + b" " * (-len(text) % STEP_BYTES)


async def encrypted(
    curve: Curve,
    cipher: Cipher,
    text: bytes,
    *,
    own: KeyPair,
    other: bytes,
    secret: bytes,
    salt: bytes,
) -> bytes:
    """The body of a message: RFC 8291, one record. `own` is made for this message alone."""
    if len(text) + 1 + TAG_BYTES > RECORD_BYTES:
        raise ValueError("the message is longer than a record")
    shared = await curve.shared(own, other)
    keying = _hmac(_hmac(secret, shared), b"WebPush: info\0" + other + own.public + b"\1")
    root = _hmac(salt, keying)
    key = _hmac(root, b"Content-Encoding: aes128gcm\0\1")[:16]
    nonce = _hmac(root, b"Content-Encoding: nonce\0\1")[:12]
    head = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(own.public)]) + own.public
    return head + await cipher.seal(key, nonce, text + b"\2", b"")


async def authorization(curve: Curve, vapid: Vapid, endpoint: str, now_s: int) -> str:
    """The header that says who sends: RFC 8292, for the origin of this endpoint alone."""
    parts = urlsplit(endpoint)
    claims: dict[str, str | int] = {"aud": f"{parts.scheme}://{parts.netloc}", "exp": now_s + TOKEN_SECONDS}
    if vapid.subject:
        claims["sub"] = vapid.subject
    head = {"typ": "JWT", "alg": "ES256"}
    text = ".".join(encoded(json.dumps(part, separators=(",", ":")).encode()) for part in (head, claims))
    signature = await curve.sign(vapid.keys, text.encode())
    return f"vapid t={text}.{encoded(signature)}, k={vapid.public}"


def encoded(value: bytes) -> str:
    return urlsafe_b64encode(value).decode().rstrip("=")


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _hmac(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, "sha256")
