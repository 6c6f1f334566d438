"""Processes that the engine starts: their end as a future, their pipes as streams.

A pidfd reports the end, so no thread waits and nothing polls; the exit code counts signals as a
shell does. Pipes are duplicated before a transport takes them, for it closes what it was given; and each
descriptor is closed by one owner, once.
"""

import asyncio
import os
import subprocess
from typing import IO

SIGNALLED = 128
CHUNK = 64 * 1024


def watch(popen: subprocess.Popen[bytes]) -> asyncio.Future[int]:
    """Return a future of the child's exit code."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()
    handle = os.pidfd_open(popen.pid)

    def on_end() -> None:
        loop.remove_reader(handle)
        os.close(handle)
        code = popen.wait()
        ended.set_result(code if code >= 0 else SIGNALLED - code)

    loop.add_reader(handle, on_end)
    return ended


def taken(pipe: IO[bytes] | None) -> int:
    """Return a child's pipe as a descriptor that is the caller's to close."""
    if pipe is None:
        raise ValueError("the child was started without this pipe")
    with pipe:
        return os.dup(pipe.fileno())


class HandedOver:
    """A descriptor that is the event loop's from now on, as the file object that uvloop asks for.

    uvloop has libuv close the descriptor and closes the file object after it. With a real one that is a
    second close, of a number that another thread may have been given in between.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        return self._descriptor

    def close(self) -> None:
        """Do nothing: libuv has closed it."""


class UntilTheEnd(asyncio.StreamReaderProtocol):
    """Closes the pipe at its end. A plain one stays open, for an answer, until garbage is collected."""

    def eof_received(self) -> bool:
        super().eof_received()
        return False


async def read_from(descriptor: int) -> asyncio.StreamReader:
    """Return a stream of what comes from the descriptor, which is uvloop's to close."""
    reader = asyncio.StreamReader(limit=CHUNK)
    await asyncio.get_running_loop().connect_read_pipe(lambda: UntilTheEnd(reader), HandedOver(descriptor))
    return reader


async def write_to(descriptor: int) -> asyncio.StreamWriter:
    """Return a stream into the descriptor, which is uvloop's to close."""
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, HandedOver(descriptor)
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)
