"""Starting a sandbox: bubblewrap is held back until its limits and sockets are in place.

bubblewrap tells the first process's id on one pipe and waits on another. In between the engine
puts that process under its limits, opens its namespaces and makes its sockets, so nothing inside
ever runs without them. A pidfd reports the end; no thread waits and nothing polls.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from local.engine import seccomp
from local.engine.children import read_from, taken, watch
from local.engine.errors import StartFailedError
from local.engine.groups import Groups
from local.engine.namespaces import Doors, Namespaces, doors_inside, sockets_inside

START_SECONDS = 20.0
STOCK = 64
PROXY_PORT = 3128
CONSOLE_BYTES = 16 * 1024


@dataclass
class Process:
    """A child of the engine: its end is a future, its output's tail is kept."""

    popen: subprocess.Popen[bytes]
    ended: asyncio.Future[int]
    console: deque[bytes] = field(default_factory=deque)

    def tail(self) -> str:
        return b"".join(self.console)[-CONSOLE_BYTES:].decode(errors="replace").strip()


@dataclass
class Sandbox:
    process: Process
    leader: int
    """The id, on the host, of the first process inside."""
    handle: int
    spaces: Namespaces
    doors: Doors
    stock: list[socket.socket]
    environment: Mapping[str, str] = field(default_factory=dict)

    def signal(self, number: int) -> None:
        if not self.process.ended.done():
            # It may have ended already, and the report is on its way.
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.handle, number)

    def take_socket(self) -> socket.socket:
        """Return a socket of the sandbox's network that is not connected yet."""
        if not self.stock:
            self.stock = sockets_inside(self.spaces, STOCK, None)
        return self.stock.pop()

    def address(self, port: int) -> tuple[str, int]:
        return "127.0.0.1", port

    def close(self) -> None:
        for item in self.stock:
            item.close()
        self.doors.close()
        self.spaces.close()
        os.close(self.handle)


def spawn(arguments: Sequence[str], *, user: int | None, pass_fds: Sequence[int]) -> Process:
    """Start a child as `user` and watch for its end; its output goes to the tail that is kept."""
    popen = subprocess.Popen(
        arguments,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=pass_fds,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        cwd="/",
        umask=0o022,
    )
    return adopt(popen)


def adopt(popen: subprocess.Popen[bytes]) -> Process:
    """Take on a child that has been started: watch for its end, keep its output's tail."""
    process = Process(popen, watch(popen))
    _keep_console(process)
    return process


def _keep_console(process: Process) -> None:
    loop = asyncio.get_running_loop()
    pipe = taken(process.popen.stdout)
    os.set_blocking(pipe, False)

    def on_output() -> None:
        data = os.read(pipe, CONSOLE_BYTES)
        if not data:
            loop.remove_reader(pipe)
            os.close(pipe)
            return
        process.console.append(data)
        while sum(map(len, process.console)) - len(process.console[0]) > CONSOLE_BYTES:
            process.console.popleft()

    loop.add_reader(pipe, on_output)


async def start_sandbox(
    arguments: Callable[[int, int, int | None], Sequence[str]],
    *,
    user: int | None,
    groups: Groups,
    program: bytes | None,
) -> Sandbox:
    """Run bubblewrap as `user`; `arguments` gets the info, block and seccomp descriptors."""
    info_read, info_write = os.pipe()
    block_read, block_write = os.pipe()
    filter_fd = seccomp.as_descriptor(program) if program is not None else None
    given = [fd for fd in (info_write, block_read, filter_fd) if fd is not None]
    try:
        command = arguments(info_write, block_read, filter_fd)
        process = spawn(command, user=user, pass_fds=given)
    finally:
        for descriptor in given:
            os.close(descriptor)
    try:
        first = await _first_process(info_read, process)
        sandbox = await _equip(process, first, groups)
        os.write(block_write, b"!")
    except BaseException:
        process.popen.kill()
        await process.ended
        raise
    finally:
        os.close(info_read)
        os.close(block_write)
    return sandbox


async def _equip(process: Process, first: int, groups: Groups) -> Sandbox:
    # The kernel may take its time over the first change of a group after a quiet while.
    joining = asyncio.create_task(asyncio.to_thread(groups.join, first))
    handle = os.pidfd_open(first)
    try:
        spaces = Namespaces.of(first)
        # In a thread: it waits until bubblewrap has brought the loopback up.
        doors, stock = await asyncio.to_thread(doors_inside, spaces, STOCK, PROXY_PORT)
    except BaseException:
        os.close(handle)
        raise
    finally:
        await joining
    return Sandbox(process, first, handle, spaces, doors, stock)


async def _first_process(pipe: int, process: Process) -> int:
    """Read bubblewrap's report; an end of file instead of it means that it gave up."""
    reader = await read_from(os.dup(pipe))
    try:
        report = await asyncio.wait_for(reader.readuntil(b"}"), START_SECONDS)
    except (asyncio.IncompleteReadError, TimeoutError) as error:
        process.popen.kill()
        await process.ended
        raise StartFailedError(f"bubblewrap did not start: {process.tail() or error}") from error
    return int(json.loads(report)["child-pid"])
