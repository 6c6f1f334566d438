"""The system calls that no program in a computer may make, as a BPF program.

libseccomp, where the machine has it, compiles the list; the program goes to bubblewrap as a file
descriptor. The list is short and denies, so that Python, pip, git and Chromium's own sandbox
(which needs user namespaces, mounts and chroot) work. What matters most are doors that namespaces
do not close: keyrings, vsock and other socket families, and young kernel interfaces.
"""

import ctypes
import errno
import os
from dataclasses import dataclass

ALLOW = 0x7FFF0000
ACT_BADARCH = 2
MASKED_EQUAL, EQUAL, GREATER = 7, 4, 6


def errno_action(code: int) -> int:
    return 0x00050000 | code


FORBIDDEN = (
    "keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd", "kexec_load",
    "kexec_file_load", "init_module", "finit_module", "delete_module", "create_module",
    "query_module", "get_kernel_syms", "reboot", "swapon", "swapoff", "acct", "quotactl",
    "quotactl_fd", "syslog", "lookup_dcookie", "nfsservctl", "uselib", "vm86", "vm86old", "iopl",
    "ioperm", "open_by_handle_at", "name_to_handle_at", "settimeofday", "clock_settime",
    "clock_adjtime", "adjtimex", "stime", "move_pages",
)  # fmt: skip
"""Refused with EPERM."""

MISSING = ("io_uring_setup", "io_uring_enter", "io_uring_register", "fsopen", "fsconfig", "fsmount",
           "fspick", "open_tree", "move_mount", "mount_setattr")  # fmt: skip
"""Answered with ENOSYS, so that libraries fall back to what they did before these came."""

FORBIDDEN_IOCTLS = {"TIOCSTI": 0x5412, "TIOCLINUX": 0x541C}
"""Typing into a terminal that the computer shares with somebody else."""

FAMILIES = (1, 2, 10, 16)
"""Socket families offered: unix, inet, inet6 and netlink. vsock would reach past the namespaces."""


class _Compare(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


@dataclass(frozen=True)
class Rule:
    call: str
    action: int
    compare: tuple[int, int, int, int] | None = None
    """Argument number, operator, and its one or two operands."""


def rules() -> tuple[Rule, ...]:
    """Return the whole filter as data."""
    denied = errno_action(errno.EPERM)
    found = [Rule(call, denied) for call in FORBIDDEN]
    found += [Rule(call, errno_action(errno.ENOSYS)) for call in MISSING]
    found += [
        Rule("ioctl", denied, (1, MASKED_EQUAL, 0xFFFFFFFF, number)) for number in FORBIDDEN_IOCTLS.values()
    ]
    unknown = errno_action(errno.EAFNOSUPPORT)
    for family in range(max(FAMILIES) + 1):
        if family not in FAMILIES:
            found.append(Rule("socket", unknown, (0, EQUAL, family, 0)))
    found.append(Rule("socket", unknown, (0, GREATER, max(FAMILIES), 0)))
    return tuple(found)


def load_library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    except OSError:
        return None
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = (ctypes.c_uint32,)
    for name in ("seccomp_attr_set", "seccomp_export_bpf", "seccomp_release"):
        getattr(library, name).argtypes = None
    return library


def compile_filter() -> bytes | None:
    """Return the BPF program, or None where this machine has no libseccomp."""
    library = load_library()
    if library is None:
        return None
    context = ctypes.c_void_p(library.seccomp_init(ALLOW))
    library.seccomp_attr_set(context, ACT_BADARCH, ctypes.c_uint32(errno_action(errno.ENOSYS)))
    for rule in rules():
        _add(library, context, rule)
    program = os.memfd_create("seccomp")
    try:
        if library.seccomp_export_bpf(context, ctypes.c_int(program)) != 0:
            raise OSError("libseccomp could not write the filter")
        size = os.lseek(program, 0, os.SEEK_END)
        return os.pread(program, size, 0)
    finally:
        os.close(program)
        library.seccomp_release(context)


def _add(library: ctypes.CDLL, context: ctypes.c_void_p, rule: Rule) -> None:
    number = library.seccomp_syscall_resolve_name(rule.call.encode())
    if number < 0:
        return  # another architecture's call, or one that this libseccomp has not heard of
    compares = [_Compare(*rule.compare)] if rule.compare else []
    array = (_Compare * len(compares))(*compares)
    code = library.seccomp_rule_add_array(
        context, ctypes.c_uint32(rule.action), number, ctypes.c_uint(len(compares)), array
    )
    if code != 0:
        raise OSError(-code, f"libseccomp refused the rule for {rule.call}")


def as_descriptor(program: bytes) -> int:
    """Return a file descriptor from which bubblewrap can read the program."""
    descriptor = os.memfd_create("seccomp")
    os.write(descriptor, program)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
