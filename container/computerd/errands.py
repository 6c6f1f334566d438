"""computerd's side of a helper process: its start, its packets, its end. `errand.py` is the helper's side.

A helper that has opened up a folder and dies leaves that to be put right here.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import limits, process_tree
from .errors import InvalidRequest, Refusal, Unavailable, WorkspaceFull
from .loop import Bell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .loop import Loop
    from .supervisors import Helper, Pool

_PYTHON = "/usr/bin/python3"
_SERVICE = os.path.dirname(os.path.abspath(__file__))
_CONTROL = 3
_PACKET_BYTES = 64 * 1024
_HANDLE = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_ABOVE = 32
"""Descriptors are moved above all numbers that the helper wants for them."""

Packet = list[Any]


class Errands:
    """Starts helpers, all of which work in the two folders that are saved."""

    def __init__(self, loop: Loop, pool: Pool, home: str, workspace: str) -> None:
        self._loop = loop
        self._pool = pool
        self._paths = {"home": home, "workspace": workspace}

    @contextmanager
    def folders(self) -> Iterator[tuple[int, int]]:
        """Handles of the home folder and the workspace, whatever their modes. Raises OSError."""
        home, workspace = (os.open(path, _HANDLE) for path in self._paths.values())
        try:
            yield home, workspace
        finally:
            os.close(home)
            os.close(workspace)

    def start(
        self, kind: str, order: dict[str, object], fds: Iterable[int], hear: Callable[[Packet, int], None]
    ) -> Work:
        """Start `backup` or `restore` with more descriptors after those of the folders; raises Unavailable.

        `hear` gets every packet with its descriptor or -1, which is its own from then on.
        """
        order = {**order, "paths": self._paths, "memory_kib": limits.HELPER_MEMORY_KIB}
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            with theirs, self.folders() as folders:
                pid = _spawn([kind, json.dumps(order)], (theirs.fileno(), *folders, *fds))
        except OSError as error:
            ours.close()
            raise Unavailable(f"A helper could not be started: {error.strerror}.") from error
        ours.setblocking(False)
        work = Work(self._loop, ours, self._pool.watch(pid, kind), hear)
        self._loop.spawn(work.listen())
        return work


def _spawn(words: list[str], fds: Iterable[int]) -> int:
    """Start a helper; its descriptors count from 3. Raises OSError."""
    moved: list[int] = []
    try:
        moved.extend(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for fd in fds)
        actions: list[tuple[Any, ...]] = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            # What it prints is for the operator's log; standard output of the service is its starter's.
            (os.POSIX_SPAWN_DUP2, 2, 1),
            *((os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(moved, _CONTROL)),
        ]
        argv = [_PYTHON, "-I", "-B", _SERVICE, *words]
        return os.posix_spawn(_PYTHON, argv, {}, file_actions=actions, setsigmask=[])
    finally:
        for fd in moved:
            os.close(fd)


class Work:
    """One helper at work."""

    def __init__(
        self, loop: Loop, control: socket.socket, helper: Helper, hear: Callable[[Packet, int], None]
    ) -> None:
        self.bell = Bell(loop)
        """Rings at every packet and at the end."""
        self.over = False
        self.failure: Refusal | None = None
        """Why it ended before its time, where somebody said so."""
        self._loop = loop
        self._control = control
        self._helper = helper
        self._hear = hear
        self._opened: list[tuple[int, int]] = []
        self._silent_since = loop.clock()

    def tell(self, *message: object, fd: int | None = None) -> None:
        """One that has gone or does not read is noticed where it is waited for."""
        self._silent_since = self._loop.clock()
        if self.over:
            return
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], [] if fd is None else [fd])
        except (BrokenPipeError, ConnectionResetError, BlockingIOError):
            return

    async def until(self, done: Callable[[], bool], patience_s: float) -> bool:
        """Wait for what it was told to do; False when that takes longer than a caller waits. It goes on then.

        Raises why it ended before; one that gives no sign of life for `HELPER_SILENCE_S` is ended.
        """
        deadline = self._loop.clock() + patience_s
        while not done():
            if self.failure is not None:
                raise self.failure
            if self.over:
                raise Unavailable("The helper at this work ended before its time; try again.")
            now = self._loop.clock()
            silence = self._silent_since + limits.HELPER_SILENCE_S - now
            if silence <= 0:
                self.end(Unavailable("The helper at this work did not get on; try again."))
            elif deadline <= now:
                return False
            else:
                await self.bell.heard(min(silence, deadline - now))
        return True

    async def ended(self) -> None:
        """Wait until it has gone."""
        while not self.over:
            await self.bell.heard()

    def end(self, why: Refusal) -> None:
        """Kill it; nothing that it says is heard from here on."""
        if self.over or self.failure is not None:
            return
        self.failure = why
        if self._helper.status is None:
            process_tree.send([self._helper.pid], signal.SIGKILL)
        self.bell.ring()

    async def listen(self) -> None:
        control = self._control
        while await self._loop.readable(control.fileno()):
            try:
                data, fds, _, _ = socket.recv_fds(control, _PACKET_BYTES, 1, socket.MSG_CMSG_CLOEXEC)
            except (BlockingIOError, ConnectionResetError):
                # Reset once by a helper that went without reading all: its last words come after that.
                continue
            if not data:
                break
            self._silent_since = self._loop.clock()
            self._heard(json.loads(data), fds[0] if fds else -1)
            self.bell.ring()
        self._loop.forget(control.fileno())
        control.close()
        self._put_back()
        self.over = True
        self.bell.ring()

    def _heard(self, packet: Packet, fd: int) -> None:
        match packet:
            case ["opened", int(mode)]:
                self._opened.append((fd, mode))
            case ["closed"]:
                os.close(self._opened.pop()[0])
            case ["failed", str(kind), str(message)]:
                if self.failure is None:
                    self.failure = _refusal(kind, message)
            case _ if self.failure is None:
                self._hear(packet, fd)
            case _ if fd >= 0:
                os.close(fd)

    def _put_back(self) -> None:
        """What it had opened up, the innermost first."""
        for fd, mode in reversed(self._opened):
            try:
                os.chmod(f"/proc/self/fd/{fd}", mode)
            except OSError as error:
                print(f"computerd: a folder stays open: {error}", file=sys.stderr, flush=True)
            os.close(fd)
        self._opened.clear()


def _refusal(kind: str, message: str) -> Refusal:
    if kind == "full":
        return WorkspaceFull("The disk is full: delete something and try again.")
    if kind == "invalid":
        return InvalidRequest(f"The manifest cannot be used: {message}.")
    return Unavailable(f"It could not be done: {message}.")
