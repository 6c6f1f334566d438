"""A browser that subscribes, and its push service: they take a request apart as RFC 8030, 8188, 8291 and 8292
say, and raise AssertionError where it is not one that they would take.

Nothing of Berth's own is used for it: the keys are worked out by `cryptography`'s HKDF.
"""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

P256 = ec.SECP256R1()
TOKEN = re.compile(r"vapid t=([\w-]+\.[\w-]+)\.([\w-]+), ?k=([\w-]+)")
DAY_SECONDS = 86_400


def _text(value: bytes) -> str:
    return urlsafe_b64encode(value).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Browser:
    def __init__(self, endpoint: str, key: int | None = None, secret: bytes = b"s" * 16) -> None:
        self.endpoint = endpoint
        self._key = ec.derive_private_key(key, P256) if key else ec.generate_private_key(P256)
        self._secret = secret
        point = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self._point = point

    @property
    def subscription(self) -> dict[str, Any]:
        """As the browser's `toJSON` gives it to a page."""
        return {
            "endpoint": self.endpoint,
            "keys": {"p256dh": _text(self._point), "auth": _text(self._secret)},
        }

    def taken(self, headers: Mapping[str, str], body: bytes, *, key: str, now_s: float) -> dict[str, Any]:
        """What the notice says. `key` is the application server's, as the browser subscribed with it."""
        assert headers["content-encoding"] == "aes128gcm"
        assert int(headers["ttl"]) >= 0
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,32}", headers["topic"])
        assert headers["urgency"] in {"very-low", "low", "normal", "high"}
        self._check_sender(headers["authorization"], key, now_s)
        found: dict[str, Any] = json.loads(self.decrypted(body))
        return found

    def decrypted(self, body: bytes) -> bytes:
        salt, record, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        assert length == 65
        assert len(sealed) <= record, "more than one record"
        assert len(body) <= 4096, "push services need not take more"
        shared = self._key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(P256, sender))
        keying = _hkdf(shared, self._secret, b"WebPush: info\0" + self._point + sender, 32)
        key = _hkdf(keying, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = _hkdf(keying, salt, b"Content-Encoding: nonce\0", 12)
        text = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")
        assert text[-1:] == b"\2", "the last record says that it is the last"
        return text[:-1]

    def _check_sender(self, authorization: str, key: str, now_s: float) -> None:
        found = TOKEN.fullmatch(authorization)
        assert found, authorization
        signed, signature, sender = found.groups()
        assert sender == key, "another key than the one that was subscribed with"
        raw = _bytes(signature)
        assert len(raw) == 64
        pair = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        public = ec.EllipticCurvePublicKey.from_encoded_point(P256, _bytes(sender))
        public.verify(pair, signed.encode(), ec.ECDSA(hashes.SHA256()))
        head, claims = (json.loads(_bytes(part)) for part in signed.split("."))
        assert head == {"typ": "JWT", "alg": "ES256"}
        parts = urlsplit(self.endpoint)
        assert claims["aud"] == f"{parts.scheme}://{parts.netloc}"
        assert now_s - 60 < claims["exp"] <= now_s + DAY_SECONDS
        assert str(claims.get("sub", "https://")).startswith(("mailto:", "https://"))


def _hkdf(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)
