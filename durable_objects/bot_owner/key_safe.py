"""Owners' model keys at rest: sealed by AES-GCM under a key-encryption key that only the operator holds.

A sealed key is `v1.<id>.<nonce>.<ciphertext>`. The id names the key-encryption key, so that several can be
there while one is replaced; the first of the ring seals. What a sealed key is for (the bot, the provider, the
address) is bound to it: moved to another row it cannot be opened.
"""

import binascii
import logging
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Protocol

from contracts.errors import ErrorCode
from contracts.reasons import because
from durable_objects.shared.ids import Entropy

log = logging.getLogger(__name__)

KEY_BYTES = 32
NONCE_BYTES = 12
ID = re.compile(r"[A-Za-z0-9_-]{1,32}")
VERSION = "v1"


class Cipher(Protocol):
    """AES-256-GCM. `open` raises ValueError where the text was not sealed so."""

    async def seal(self, key: bytes, nonce: bytes, text: bytes, about: bytes) -> bytes: ...

    async def open(self, key: bytes, nonce: bytes, sealed: bytes, about: bytes) -> bytes: ...


@dataclass(frozen=True)
class KeyRing:
    """Key-encryption keys by their ids, the one that seals first."""

    keys: dict[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def newest(self) -> str:
        return next(iter(self.keys), "")


def read_ring(text: str) -> KeyRing:
    """`id:base64`, several with spaces between. Raises ValueError, without saying what it read."""
    keys: dict[str, bytes] = {}
    for number, entry in enumerate(text.split(), 1):
        name, _, encoded = entry.partition(":")
        try:
            key = urlsafe_b64decode(encoded.replace("+", "-").replace("/", "_"))
        except (binascii.Error, ValueError):
            key = b""
        if not ID.fullmatch(name) or len(key) != KEY_BYTES or name in keys:
            raise ValueError(f"key-encryption key {number} is not `id:` and {KEY_BYTES} bytes in base64")
        keys[name] = key
    return KeyRing(keys)


class KeySafe:
    def __init__(self, ring: KeyRing, cipher: Cipher, entropy: Entropy) -> None:
        self._ring = ring
        self._cipher = cipher
        self._entropy = entropy

    @property
    def ready(self) -> bool:
        """Whether there is a key to seal with."""
        return bool(self._ring.keys)

    def is_current(self, sealed: str) -> bool:
        return sealed.startswith(f"{VERSION}.{self._ring.newest}.")

    async def seal(self, key: str, about: str) -> str:
        """`about` says what the key is for. Raises `forbidden` where nothing can be kept secret."""
        if not self.ready:
            raise because(ErrorCode.FORBIDDEN, "keys_not_kept")
        name, nonce = self._ring.newest, self._entropy(NONCE_BYTES)
        sealed = await self._cipher.seal(self._ring.keys[name], nonce, key.encode(), about.encode())
        return f"{VERSION}.{name}.{_text(nonce)}.{_text(sealed)}"

    async def open(self, sealed: str, about: str) -> str:
        """Raises `model_key_refused` where it cannot be opened: the key has to be given anew."""
        version, name, nonce, text = (*sealed.split("."), "", "", "")[:4]
        key = self._ring.keys.get(name) if version == VERSION else None
        try:
            if key is not None:
                return (await self._cipher.open(key, _bytes(nonce), _bytes(text), about.encode())).decode()
        except ValueError:
            log.warning("a stored key does not open under the key-encryption key %s", name)
        raise because(ErrorCode.MODEL_KEY_REFUSED, "key_unreadable")


def _text(value: bytes) -> str:
    return urlsafe_b64encode(value).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
