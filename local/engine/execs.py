"""Commands that run inside a running container beside its own program: Docker's exec.

An exec is made, then started on a connection that it takes over. Without a terminal the output is
framed (stream number, length, bytes), with one it is raw. The end of the client's side is the end
of the command's input; the client going away leaves the command to itself, as with Docker.
"""

import asyncio
import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from local.engine.children import read_from, taken, watch, write_to
from local.engine.errors import AlreadyDoneError, MalformedRequestError, WrongStateError
from local.engine.groups import Groups
from local.engine.launch import Sandbox
from local.engine.running import Running
from local.engine.system import UID

CHUNK = 32 * 1024
PROGRAM = Path(__file__).with_name("enter.py")
STDOUT, STDERR = 1, 2
JOIN_ORDER = ("mnt", "pid", "net", "ipc", "uts")


def frame(stream: int, data: bytes) -> bytes:
    return struct.pack(">BxxxL", stream, len(data)) + data


@dataclass
class Exec:
    id: str
    container: str
    command: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    terminal: bool = False
    popen: subprocess.Popen[bytes] | None = None
    ended: asyncio.Future[int] | None = None
    master: int | None = None
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def exit_code(self) -> int | None:
        return self.ended.result() if self.ended is not None and self.ended.done() else None

    def start(self, running: Running, groups: Groups, program: bytes | None, attach: bool) -> None:
        if self.popen is not None:
            raise AlreadyDoneError("the exec has been started")
        slave = None
        if self.terminal:
            self.master, slave = pty.openpty()
        streams = slave if slave is not None else subprocess.PIPE if attach else subprocess.DEVNULL
        try:
            if isinstance(running, Sandbox):
                self.popen = self._enter(running, groups, program, streams)
            else:
                self.popen = self._plain(running, streams)
        finally:
            if slave is not None:
                os.close(slave)
        self.ended = watch(self.popen)

    def _enter(
        self, sandbox: Sandbox, groups: Groups, program: bytes | None, streams: int
    ) -> subprocess.Popen[bytes]:
        spaces = sandbox.spaces
        # Not kept from the start: by then bubblewrap had not yet made it.
        user = os.open(f"/proc/{sandbox.leader}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
        joined = [spaces.owner, *(spaces.descriptors[kind] for kind in JOIN_ORDER), user]
        order = {
            "groups": [str(file) for file in groups.join_files()],
            "namespaces": joined,
            "user": UID,
            "filter": (program or b"").hex(),
            "terminal": self.terminal,
            "folder": self.folder or "/workspace",
            "command": list(self.command),
            "environment": {**sandbox.environment, **self.environment},
        }
        paper = os.memfd_create("order")
        try:
            os.write(paper, json.dumps(order).encode())
            os.lseek(paper, 0, os.SEEK_SET)
            return subprocess.Popen(
                [sys.executable, "-I", "-S", str(PROGRAM), str(paper)],
                stdin=streams,
                stdout=streams,
                stderr=streams,
                pass_fds=[paper, *joined],
                cwd="/",
            )
        finally:
            os.close(paper)
            os.close(user)

    def _plain(self, running: Running, streams: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.command,
            stdin=streams,
            stdout=streams,
            stderr=streams,
            env={**running.environment, **self.environment},
            cwd=self.folder or running.environment["BERTH_WORKSPACE"],
            start_new_session=True,
        )

    def resize(self, columns: int, rows: int) -> None:
        if self.master is None:
            raise MalformedRequestError("the exec has no terminal")
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    async def stream(self, early: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry input and output between the command and its client until the command ends."""
        if self.popen is None or self.ended is None:
            raise WrongStateError("the exec has not been started")
        if self.master is not None:
            sink = await write_to(os.dup(self.master))
            outputs = [_raw(await read_from(os.dup(self.master)), writer)]
        else:
            sink = await write_to(taken(self.popen.stdin))
            outputs = [
                _framed(STDOUT, await read_from(taken(self.popen.stdout)), writer),
                _framed(STDERR, await read_from(taken(self.popen.stderr)), writer),
            ]
        feeding = asyncio.get_running_loop().create_task(_feed(early, reader, sink))
        try:
            await asyncio.gather(*outputs)
            await self.ended
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)
            sink.close()
            if self.master is not None:
                os.close(self.master)
                self.master = None


async def _feed(early: bytes, reader: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    try:
        data = early or await reader.read(CHUNK)
        while data:
            sink.write(data)
            await sink.drain()
            data = await reader.read(CHUNK)
        sink.close()
    except ConnectionError:
        pass  # the command has closed its input, or the client is gone


async def _framed(stream: int, source: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await source.read(CHUNK):
        await _send(writer, frame(stream, data))


async def _raw(source: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(CHUNK):
            await _send(writer, data)
    except OSError:
        pass  # a terminal whose last program has gone reads as an error


async def _send(writer: asyncio.StreamWriter, data: bytes) -> None:
    """Write unless the client has gone: its command may go on and must not block."""
    if not writer.is_closing():
        writer.write(data)
        try:
            await writer.drain()
        except ConnectionError:
            writer.close()
