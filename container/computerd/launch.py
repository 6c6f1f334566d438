"""Handing a script to a supervisor: pipes, argument list, bound on processes.

A script of ordinary size is the argument of `bash -lc`, as everybody expects it. The kernel takes
no argument over 128 KiB, so a longer one travels in a memory file that has no name and is gone
before the first line of the script runs; `$0`, line numbers and messages are the same.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from . import frames, limits

if TYPE_CHECKING:
    from .supervisors import Pool, Supervisor

_PIPE_BYTES = 256 * 1024
_LONG_SCRIPT = b"IFS= read -r -d '' BERTH_SCRIPT <&3; exec 3<&-; eval \"unset -v BERTH_SCRIPT;$BERTH_SCRIPT\""


class Launched(NamedTuple):
    """A supervisor that has its order, and the ends of the pipes to read from."""

    supervisor: Supervisor
    pipes: dict[frames.Stream, int]


def launch(pool: Pool, script: bytes, environment: dict[str, str], process_bound: int) -> Launched:
    """Give the order; raises OSError when the computer has no room for another process."""
    out, out_end = pipe()
    err, err_end = pipe()
    given = [out_end, err_end]
    argv = [b"bash", b"-lc", b"--", script]
    try:
        if len(script) > limits.ARGUMENT_BYTES:
            given.append(_memory_file(script))
            argv[3] = _LONG_SCRIPT
        supervisor = _order(pool, argv, environment, process_bound, given)
    except OSError:
        os.close(out)
        os.close(err)
        raise
    finally:
        for fd in given:
            os.close(fd)
    return Launched(supervisor, {"stdout": out, "stderr": err})


def _order(
    pool: Pool, argv: list[bytes], environment: dict[str, str], bound: int, fds: list[int]
) -> Supervisor:
    while True:
        supervisor = pool.take()
        try:
            supervisor.run(argv, environment, 0 if supervisor.group.bounded else bound, fds)
        except (BrokenPipeError, ConnectionResetError):
            # A command killed it while it waited; nothing of this order has run.
            supervisor.lost = True
            pool.give_back(supervisor)
            continue
        return supervisor


def pipe() -> tuple[int, int]:
    """Two ends, of which ours does not block."""
    read, write = os.pipe2(os.O_CLOEXEC)
    os.set_blocking(read, False)
    # Of a user with very many pipes the kernel makes none larger; one of its own size does too.
    with suppress(PermissionError):
        fcntl.fcntl(read, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return read, write


def _memory_file(data: bytes) -> int:
    fd = os.memfd_create("command", os.MFD_CLOEXEC)
    written = 0
    while written < len(data):
        written += os.write(fd, data[written:])
    os.lseek(fd, 0, os.SEEK_SET)
    return fd
