"""The curve in the Worker: the module `noble.mjs` behind the `Curve` protocol; hex is all that crosses."""

from typing import Any

from _pyodide_entrypoint_helper import doAnImport
from pyodide.ffi import JsException

from durable_objects.bot_owner.venue.signing import SigningError


class Noble:
    def __init__(self, module: Any) -> None:
        self._module = module

    def keccak(self, data: bytes) -> bytes:
        return self._asked("keccak", data)

    def address(self, key: bytes) -> bytes:
        return self._asked("address", key)

    def sign(self, digest: bytes, key: bytes) -> bytes:
        return self._asked("sign", digest, key)

    def recover(self, digest: bytes, signature: bytes) -> bytes:
        return self._asked("recover", digest, signature)

    def _asked(self, name: str, *values: bytes) -> bytes:
        try:
            return bytes.fromhex(getattr(self._module, name)(*(value.hex() for value in values)))
        except JsException:
            # What it says may quote what it was given, so nothing of it goes on.
            raise SigningError(f"the curve cannot do it ({name})") from None


async def noble() -> Noble:
    """Load the module. The SDK's own way needs a stack that can be suspended; an object's call has none."""
    return Noble(await doAnImport("noble.mjs"))
