"""`./berth image`: builds the computer's system, the one of container/Dockerfile, as a folder.

Both are made from container/packages.txt. Computers use this system when it is there, else the machine's own
/usr; `./berth doctor` says which.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from local.bundle import ROOT
from local.launcher.errors import LauncherError
from local.launcher.terminal import say, step

IMAGE = ROOT / ".berth/image"
SUITE = "bookworm"


def image_root() -> Path | None:
    """Return the built system, if there is one."""
    root = IMAGE / "root"
    return root if root.is_dir() else None


def packages() -> list[str]:
    lines = (ROOT / "container/packages.txt").read_text().splitlines()
    return [name for line in lines if (name := line.partition("#")[0].strip())]


def version() -> str:
    """Return what tells one system from another: a snapshot fits only the one that it was made on."""
    return hashlib.sha256("\n".join(packages()).encode()).hexdigest()[:12]


def main(arguments: Sequence[str]) -> int:
    argparse.ArgumentParser(prog="berth image").parse_args(arguments)
    if os.geteuid() != 0:
        raise LauncherError("a system is made of files that belong to root: run sudo ./berth image")
    scratch = IMAGE / "root.part"
    shutil.rmtree(scratch, ignore_errors=True)
    IMAGE.mkdir(parents=True, exist_ok=True)
    with step(f"Building the computer's system from {len(packages())} packages"):
        done = subprocess.run(_mmdebstrap(scratch), check=False, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("E: ")]
        raise LauncherError(f"mmdebstrap failed: {lines[-1] if lines else done.stderr.strip()[-300:]}")
    shutil.rmtree(IMAGE / "root", ignore_errors=True)
    scratch.rename(IMAGE / "root")
    say(f"The computer's system is in {(IMAGE / 'root').relative_to(ROOT)}")
    return 0


def _mmdebstrap(target: Path) -> list[str]:
    hooks = [f"--customize-hook={hook}" for hook in _hooks(version())]
    return [
        "mmdebstrap", "--mode=root", "--variant=apt", f"--include={','.join(packages())}",
        "--aptopt=Apt::Install-Recommends false", "--dpkgopt=path-exclude=/usr/share/man/*",
        *hooks, SUITE, str(target),
    ]  # fmt: skip


def _hooks(version: str) -> list[str]:
    """Return what is done to the system once its packages are there, as in container/Dockerfile."""
    return [
        'chroot "$1" sh -c "command -v npm || apt-get install --yes --no-install-recommends npm"',
        'chroot "$1" find / -xdev -perm /6000 -type f -exec chmod a-s {} +',
        'chroot "$1" groupadd --gid 1000 berth',
        'chroot "$1" useradd --uid 1000 --gid 1000 --create-home --shell /bin/bash berth',
        'chroot "$1" install --directory --owner berth --group berth /workspace',
        'mkdir -p "$1/opt/berth"',
        f'echo {version} > "$1/etc/berth-image"',
    ]
