"""The floor of this machine: the least that running commands over HTTP can cost in Python.

`POST /` with a command: `bash -lc` runs it, its output is streamed as it comes, and the answer ends with a
NUL and the exit code. No sandbox, no log, no limits, no ids, nothing that survives anything. It prints its
port. uvloop would be slower: it forks where Python uses vfork.
"""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT

from aiohttp import web


async def run(request: web.Request) -> web.StreamResponse:
    command = await request.text()
    process = await asyncio.create_subprocess_exec(
        "bash", "-lc", command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
    )
    response = web.StreamResponse()
    await response.prepare(request)
    while process.stdout and (chunk := await process.stdout.read(1 << 18)):
        await response.write(chunk)
    await response.write_eof(b"\0%d" % await process.wait())
    return response


async def main() -> None:
    application = web.Application()
    application.router.add_post("/", run)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    sys.stdout.write(f"{runner.addresses[0][1]}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
