"""WebCrypto: the `Cipher` of the key safe and the `Curve` of Web Push inside the Worker."""

import json
from typing import Any

import js
from pyodide.ffi import JsException, to_js

from durable_objects.bot_owner.notices.web_push import KeyPair, decoded, encoded
from durable_objects.shared.js import js_object


class WebCrypto:
    async def seal(self, key: bytes, nonce: bytes, text: bytes, about: bytes) -> bytes:
        return await _aes_gcm("encrypt", key, nonce, text, about)

    async def open(self, key: bytes, nonce: bytes, sealed: bytes, about: bytes) -> bytes:
        try:
            return await _aes_gcm("decrypt", key, nonce, sealed, about)
        except JsException as error:
            # It never says more than that the two do not belong together.
            raise ValueError("this was not sealed so") from error


async def _aes_gcm(operation: str, key: bytes, nonce: bytes, text: bytes, about: bytes) -> bytes:
    subtle = js.crypto.subtle
    imported = await subtle.importKey("raw", to_js(key), "AES-GCM", False, to_js([operation]))
    how: Any = js_object({"name": "AES-GCM", "iv": to_js(nonce), "additionalData": to_js(about)})
    found: bytes = (await getattr(subtle, operation)(how, imported, to_js(text))).to_bytes()
    return found


ECDH = {"name": "ECDH", "namedCurve": "P-256"}
ECDSA = {"name": "ECDSA", "namedCurve": "P-256"}


class WebCryptoCurve:
    async def pair(self) -> KeyPair:
        subtle = js.crypto.subtle
        made = await subtle.generateKey(js_object(ECDH), True, to_js(["deriveBits"]))
        fields = json.loads(js.JSON.stringify(await subtle.exportKey("jwk", made.privateKey)))
        return KeyPair(decoded(fields["d"]), b"\4" + decoded(fields["x"]) + decoded(fields["y"]))

    async def shared(self, own: KeyPair, other: bytes) -> bytes:
        subtle = js.crypto.subtle
        try:
            theirs = await subtle.importKey("raw", to_js(other), js_object(ECDH), False, to_js([]))
            ours = await _private(own, ECDH, "deriveBits")
            wanted: Any = js_object({"name": "ECDH"})
            wanted.public = theirs
            found: bytes = (await subtle.deriveBits(wanted, ours, 256)).to_bytes()
        except JsException as error:
            raise ValueError("these are no keys of P-256") from error
        return found

    async def sign(self, own: KeyPair, text: bytes) -> bytes:
        how = js_object({"name": "ECDSA", "hash": "SHA-256"})
        try:
            key = await _private(own, ECDSA, "sign")
            found: bytes = (await js.crypto.subtle.sign(how, key, to_js(text))).to_bytes()
        except JsException as error:
            raise ValueError("this is no key of P-256") from error
        return found


async def _private(own: KeyPair, algorithm: dict[str, str], use: str) -> Any:
    x, y = own.public[1:33], own.public[33:]
    fields = {"kty": "EC", "crv": "P-256", "d": encoded(own.private), "x": encoded(x), "y": encoded(y)}
    return await js.crypto.subtle.importKey(
        "jwk", js_object(fields), js_object(algorithm), False, to_js([use])
    )
