"""The Worker's `passkeys.mjs` and `openid.mjs`, run by Node for tests on CPython: a line a call."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from local.bundle import ROOT
from local.javascript import module_of
from local.toolchain import node_binary

FOLDER = ROOT / "workers/api/sign_in"
MODULES = ("passkeys", "openid")
LINE_BYTES = 1024 * 1024
SERVE = """
const modules = await Promise.all(process.argv.slice(1).map((file) => import(file)));
const functions = Object.assign({}, ...modules);
const { createInterface } = await import("node:readline");
for await (const line of createInterface({ input: process.stdin })) {
  const [name, asked] = JSON.parse(line);
  process.stdout.write(`${await functions[name](JSON.stringify(asked))}\\n`);
}
"""


class NodeChecks:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._turn = asyncio.Lock()

    async def __call__(self, name: str, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        async with self._turn:
            self._process.stdin.write(json.dumps([name, asked]).encode() + b"\n")
            answer: Mapping[str, Any] = json.loads(await self._process.stdout.readline())
        return answer


@asynccontextmanager
async def node_checks(folder: Path) -> AsyncIterator[NodeChecks]:
    files = []
    for name in MODULES:
        file = folder / f"{name}.mjs"
        file.write_bytes(module_of(ROOT, FOLDER / f"{name}.entry.mjs"))
        files.append(str(file))
    process = await asyncio.create_subprocess_exec(
        str(node_binary(ROOT)), "--input-type=module", "-e", SERVE, *files,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LINE_BYTES,
    )  # fmt: skip
    try:
        yield NodeChecks(process)
    finally:
        assert process.stdin
        process.stdin.close()
        await process.wait()
