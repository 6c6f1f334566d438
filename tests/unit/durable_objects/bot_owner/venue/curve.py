"""The Worker's own module `noble.mjs`, run by Node for the tests on CPython: a line a call, both ways."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.bundle import ROOT
from local.javascript import module_of
from local.toolchain import node_binary

ENTRY = ROOT / "durable_objects/bot_owner/venue/noble.entry.mjs"
SERVE = """
const noble = await import(process.argv[1]);
const { createInterface } = await import("node:readline");
for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...values] = line.split(" ");
  process.stdout.write(`${noble[name](...values)}\\n`);
}
"""


class NodeCurve:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._hashes: dict[bytes, bytes] = {}

    def _ask(self, name: str, *values: bytes) -> bytes:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(" ".join([name, *(value.hex() for value in values)]) + "\n")
        self._process.stdin.flush()
        return bytes.fromhex(self._process.stdout.readline().strip())

    def keccak(self, data: bytes) -> bytes:
        # A typed message hashes the same few names again and again, and each call is a switch of processes.
        if data not in self._hashes:
            self._hashes[data] = self._ask("keccak", data)
        return self._hashes[data]

    def address(self, key: bytes) -> bytes:
        return self._ask("address", key)

    def sign(self, digest: bytes, key: bytes) -> bytes:
        return self._ask("sign", digest, key)

    def recover(self, digest: bytes, signature: bytes) -> bytes:
        return self._ask("recover", digest, signature)


@contextmanager
def node_curve(folder: Path) -> Iterator[NodeCurve]:
    module = folder / "noble.mjs"
    module.write_bytes(module_of(ROOT, ENTRY))
    command = [str(node_binary(ROOT)), "--input-type=module", "-e", SERVE, str(module)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield NodeCurve(process)
        assert process.stdin
        process.stdin.close()
