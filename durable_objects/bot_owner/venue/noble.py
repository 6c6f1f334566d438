"""The curve in the Worker: the module `noble.mjs` behind the `Curve` protocol; hex is all that crosses."""

from typing import Any

from _pyodide_entrypoint_helper import doAnImport


class Noble:
    def __init__(self, module: Any) -> None:
        self._module = module

    def keccak(self, data: bytes) -> bytes:
        return bytes.fromhex(self._module.keccak(data.hex()))

    def address(self, key: bytes) -> bytes:
        return bytes.fromhex(self._module.address(key.hex()))

    def sign(self, digest: bytes, key: bytes) -> bytes:
        return bytes.fromhex(self._module.sign(digest.hex(), key.hex()))

    def recover(self, digest: bytes, signature: bytes) -> bytes:
        return bytes.fromhex(self._module.recover(digest.hex(), signature.hex()))


async def noble() -> Noble:
    """Load the module. The SDK's own way needs a stack that can be suspended; an object's call has none."""
    return Noble(await doAnImport("noble.mjs"))
