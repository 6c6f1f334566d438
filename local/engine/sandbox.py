"""The bubblewrap command line of a computer, and of the tools that handle its files.

Both are pure: values in, arguments out. A computer gets the read-only system, its own writable
folders and nothing else. A tool (copy, tar, delete) sees the folders that it works on at the very
paths they have inside, runs as the computer's own host user, and is root only over that user's
files: no link or name made inside a computer can lead it to a file of the host.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from local.engine.system import UID, System

NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
BASE_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/home/berth",
    "LANG": "C.UTF-8",
}


@dataclass(frozen=True)
class Folder:
    """A folder of the host that appears inside."""

    source: str
    target: str
    read_only: bool = False

    def arguments(self) -> list[str]:
        return ["--ro-bind" if self.read_only else "--bind", self.source, self.target]


@dataclass(frozen=True)
class Plan:
    """All that one computer's sandbox is made from."""

    system: System
    folders: Sequence[Folder]
    certificates: str
    command: Sequence[str]
    environment: Mapping[str, str]
    tmp_bytes: int
    cgroups: Sequence[Folder] = field(default_factory=tuple)


def computer_arguments(plan: Plan, bwrap: str, info: int, block: int, seccomp: int | None) -> list[str]:
    found = [bwrap, *NAMESPACES, "--die-with-parent", "--new-session", "--as-pid-1"]
    found += ["--hostname", "berth", "--uid", str(UID), "--gid", str(UID)]
    found += ["--info-fd", str(info), "--block-fd", str(block)]
    if seccomp is not None:
        found += ["--seccomp", str(seccomp)]
    found += plan.system.arguments()
    found += Folder(plan.certificates, "/etc/cloudflare", True).arguments()
    found += ["--proc", "/proc", "--dev", "/dev"]
    for target in ("/tmp", "/dev/shm", *(["/var/tmp"] if plan.system.has_var else [])):
        found += ["--perms", "1777", "--size", str(plan.tmp_bytes), "--tmpfs", target]
    found += ["--dir", "/run/berth"]
    for folder in (*plan.folders, *plan.cgroups):
        found += folder.arguments()
    found += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/workspace", "--clearenv"]
    for name, value in plan.environment.items():
        found += ["--setenv", name, value]
    return [*found, "--", *plan.command]


def tool_arguments(
    system: System, bwrap: str, folders: Sequence[Folder], command: Sequence[str]
) -> list[str]:
    found = [bwrap, *NAMESPACES, "--die-with-parent", "--new-session", "--as-pid-1"]
    found += ["--uid", "0", "--gid", "0"]
    found += ["--cap-add", "CAP_DAC_OVERRIDE", "--cap-add", "CAP_FOWNER", "--cap-add", "CAP_FSETID"]
    found += [*system.arguments(), "--proc", "/proc", "--dev", "/dev"]
    for folder in sorted(folders, key=lambda folder: folder.target):
        found += folder.arguments()
    found += ["--remount-ro", "/dev", "--remount-ro", "/", "--clearenv"]
    found += ["--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LC_ALL", "C.UTF-8"]
    return [*found, "--", *command]
