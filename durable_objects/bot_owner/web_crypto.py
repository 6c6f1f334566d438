"""AES-GCM by WebCrypto: the `Cipher` of the key safe inside the Worker."""

from typing import Any

import js
from pyodide.ffi import JsException, to_js

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
