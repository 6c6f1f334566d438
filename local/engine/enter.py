"""A program of its own: joins a running sandbox and runs one command there.

The engine starts it for `container.exec`, with descriptors of the sandbox's namespaces. It puts
itself under the computer's limits, joins, becomes the computer's user, gives up every capability,
loads the same system call filter, and only then runs the command. Standard library only: it is
started with `python3 -I -S` and imports nothing of the package.
"""

import ctypes
import fcntl
import json
import os
import signal
import sys
import termios
from typing import TypedDict

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 1, 24, 38, 22
SECCOMP_MODE_FILTER = 2
LAST_CAPABILITY = 63
INSTRUCTION_BYTES = 8
CANNOT_ENTER, NOT_FOUND = 126, 127
libc = ctypes.CDLL(None, use_errno=True)


class FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


class Order(TypedDict):
    """What the engine writes into the memory file whose descriptor is the argument."""

    groups: list[str]
    namespaces: list[int]
    user: int
    filter: str
    terminal: bool
    folder: str
    command: list[str]
    environment: dict[str, str]


def check(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def join(order: Order) -> None:
    for file in order["groups"]:
        with open(file, "w") as group:
            group.write(str(os.getpid()))
    if os.geteuid() == 0:
        os.setgroups([])
    for descriptor in order["namespaces"]:
        check(libc.setns(descriptor, 0), "setns")


def give_up_power(order: Order) -> None:
    user = order["user"]
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    for capability in range(LAST_CAPABILITY):
        # Numbers beyond those that the kernel knows are refused, which is as good.
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    program = bytes.fromhex(order["filter"])
    if program:
        block = FilterProgram(len(program) // INSTRUCTION_BYTES, program)
        check(libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(block)), "seccomp")


def run(order: Order) -> None:
    """Become the command. Only a child of the process that joined is in the sandbox's pids."""
    os.setsid()
    if order["terminal"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    give_up_power(order)
    os.chdir(order["folder"])
    for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    command = order["command"]
    os.execvpe(command[0], command, order["environment"])


def main() -> int:
    order: Order = json.loads(os.read(int(sys.argv[1]), 1 << 20))
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    try:
        join(order)
    except OSError as error:
        print(f"the sandbox cannot be entered: {error}", file=sys.stderr)
        return CANNOT_ENTER
    child = os.fork()
    if child == 0:
        try:
            run(order)
        except OSError as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(NOT_FOUND if isinstance(error, FileNotFoundError) else CANNOT_ENTER)
    for descriptor in (0, 1, 2):
        os.close(descriptor)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    # Interpreter shutdown would flush streams that are closed by then.
    os._exit(main())
