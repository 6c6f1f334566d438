"""What a command needs on this machine, how to see whether it is there, and how to bring it.

Each requirement is a row: looking costs next to nothing, so a second start passes all of them in a moment.
What Debian has is installed only by root; everybody else is told the one command.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from local.bundle import ROOT
from local.launcher.errors import LauncherError, MissingError
from local.launcher.image import image_root
from local.launcher.terminal import say, step
from local.toolchain import NODE_PACKAGES

VENV = ROOT / ".berth/venv"
VENV_PYTHON = VENV / "bin/python"


@dataclass(frozen=True)
class Requirement:
    name: str
    why: str
    present: Callable[[], bool]
    bring: Callable[[], None]
    cure: str
    needed: bool = True
    """Else Berth runs without it, and what would use it says that it is not there."""


def ensure(requirements: Iterable[Requirement]) -> None:
    """Bring what is missing, in order."""
    for requirement in requirements:
        if requirement.present():
            continue
        if requirement.needed:
            _bring(requirement)
        elif in_venv():
            # A command comes by here twice, and only the second time in the environment.
            _try_to_bring(requirement)


def _bring(requirement: Requirement) -> None:
    with step(f"Bringing {requirement.name} ({requirement.why})"):
        requirement.bring()
    if not requirement.present():
        raise MissingError(requirement.name, requirement.cure)


def _try_to_bring(requirement: Requirement) -> None:
    try:
        if os.geteuid() != 0:
            raise MissingError(requirement.name, requirement.cure)
        _bring(requirement)
    except LauncherError as error:
        say(f"- Computers go without {requirement.why}: {error}")


def in_venv() -> bool:
    return sys.prefix == str(VENV)


def venv_ready() -> bool:
    return VENV_PYTHON.exists() and _stamp_matches(VENV / "berth-stamp", _venv_stamp())


def _venv_stamp() -> str:
    return _hash((ROOT / "requirements/host.txt").read_bytes() + sys.version.encode())


def _make_venv() -> None:
    if not VENV_PYTHON.exists():
        _run([sys.executable, "-m", "venv", str(VENV)])
    _run([
        str(VENV_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--require-hashes", "--requirement", str(ROOT / "requirements/host.txt"),
    ])  # fmt: skip
    (VENV / "berth-stamp").write_text(_venv_stamp())


def _packages_ready() -> bool:
    return _stamp_matches(ROOT / "node_modules/berth-stamp", _npm_stamp())


def _npm_stamp() -> str:
    return _hash((ROOT / "package-lock.json").read_bytes())


def _install_packages() -> None:
    _run(["npm", "ci", "--no-progress", "--loglevel", "error"])
    (ROOT / "node_modules/berth-stamp").write_text(_npm_stamp())


def _stamp_matches(file: Path, stamp: str) -> bool:
    return file.exists() and file.read_text() == stamp


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def debian(name: str, why: str, present: Callable[[], bool]) -> Requirement:
    cure = f"sudo apt-get install {name}"
    return Requirement(name, why, present, lambda: _apt_install(name, cure), cure)


def _apt_install(package: str, cure: str) -> None:
    if shutil.which("apt-get") is None:
        raise MissingError(package, "install it with this system's package manager")
    if os.geteuid() != 0:
        raise MissingError(package, cure)
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "--yes", "--no-install-recommends", package]
    if subprocess.run(install, check=False, capture_output=True, env=env).returncode:
        _run(["apt-get", "update"], env)
        _run(install, env)


def _run(command: Sequence[str], env: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=env, cwd=ROOT)
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise LauncherError(f"{' '.join(command[:3])} failed: {lines[-1] if lines else 'it said nothing'}")


def program(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name) is not None


def _library(name: str) -> Callable[[], bool]:
    folders = ("/lib", "/usr/lib", "/usr/lib64", "/usr/local/lib")
    return lambda: any(
        next(Path(folder).glob(f"**/{name}"), None) for folder in folders if Path(folder).is_dir()
    )


def _for_computers(name: str, why: str, present: Callable[[], bool]) -> Requirement:
    """Something of container/packages.txt for computers that run on this machine's own /usr."""
    found = debian(name, why, lambda: image_root() is not None or present())
    return replace(found, needed=False)


def _python_module(name: str) -> Callable[[], bool]:
    """Whether Debian's own Python, which is the computers', has a module."""
    folders = ("lib/python3", "lib/python3.*", "local/lib/python3.*")
    return lambda: any(
        next(Path("/usr").glob(f"{folder}/{kind}-packages/{name}"), None)
        for folder in folders
        for kind in ("dist", "site")
    )


def _venv_module() -> bool:
    """Debian ships Python without what makes an environment."""
    import ensurepip  # noqa: PLC0415 - its absence is what is looked for

    return bool(ensurepip.version())


def _can_make_venv() -> bool:
    try:
        return VENV_PYTHON.exists() or _venv_module()
    except ImportError:
        return False


VENV_MODULE = debian("python3-venv", "to make Python's environment", _can_make_venv)
PYTHON_PACKAGES = Requirement(
    "the Python packages", "from requirements/host.txt", venv_ready, _make_venv, "./berth dev brings them"
)
NPM = debian("npm", "to bring the JavaScript packages", program("npm"))
NODE_PACKAGES_READY = Requirement(
    "the JavaScript packages",
    f"workerd, Pyodide, {' or '.join(sorted(NODE_PACKAGES.values()))}",
    _packages_ready,
    _install_packages,
    "npm ci",
)
BUBBLEWRAP = debian("bubblewrap", "the sandbox of every computer", program("bwrap"))
SETPRIV = debian("util-linux", "so that no process outlives Berth", program("setpriv"))
SECCOMP = debian("libseccomp2", "to filter system calls", _library("libseccomp.so.2"))
POPPLER = _for_computers("poppler-utils", "the text of PDF files in a computer", program("pdftotext"))
PILLOW = _for_computers("python3-pil", "large pictures in a computer, made small", _python_module("PIL"))
CHROMIUM = debian("chromium", "for the browser tests", program("chromium"))
MMDEBSTRAP = debian("mmdebstrap", "to build the computer's system", program("mmdebstrap"))

PYTHON = (VENV_MODULE, PYTHON_PACKAGES)
JAVASCRIPT = (NPM, NODE_PACKAGES_READY)
SANDBOX = (BUBBLEWRAP, SETPRIV, SECCOMP)
COMPUTER = (POPPLER, PILLOW)
SERVE = (*PYTHON, *JAVASCRIPT, *SANDBOX, *COMPUTER)
DEPLOY = (*PYTHON, *JAVASCRIPT)
TEST = (*SERVE, CHROMIUM)
BUILD_IMAGE = (*PYTHON, MMDEBSTRAP)
EVERYTHING = (*TEST, MMDEBSTRAP)
