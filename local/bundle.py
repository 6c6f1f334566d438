"""Builds what the Worker and the computer run, from the sources: `python3 -m local.bundle`.

build/worker/ holds our modules side by side, python_modules/ the vendored packages, build/computer/ the
service inside the computer. wrangler uploads the first two; the local host takes the same bytes as stored
archives. Each output has a stamp of what it was made from and is made again only when that has changed.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from local.javascript import ENTRY, LOCK, JavaScriptError, entries, module_of
from local.registry_hosts import (
    RegistryError,
    apt_registries,
    module_source,
    npm_registries,
    pip_registries,
)

ROOT = Path(__file__).resolve().parent.parent

PACKAGES = ("contracts", "durable_objects", "egress", "telemetry")
REGISTRIES = Path("egress/registries.py")
POLICY = "egress/policy.py"
POLICY_NEEDS = ("egress/", "contracts/", "telemetry/")
POLICY_CHECK = """
import sys
sys.path.insert(0, sys.argv[1])
from egress.policy import policy_for
from egress.registries import REGISTRIES
policy_for(REGISTRIES)
"""
# The SDK's own names: a module of ours called so would hide it.
RESERVED = ("workers", "workers.py", "asgi.py")

PLATFORM = (
    "--platform", "pyemscripten_2026_0_wasm32", "--python-version", "3.14",
    "--implementation", "cp", "--only-binary", ":all:",
)  # fmt: skip

# The interpreter of the computer's system.
COMPUTER_PYTHON = "/usr/bin/python3"

# What decides which registries pip and npm use, besides their settings in the environment.
SETTINGS_FILES = (
    "/etc/pip.conf", "/etc/xdg/pip/pip.conf", "~/.config/pip/pip.conf", "~/.pip/pip.conf",
    "/usr/etc/npmrc", "/usr/local/etc/npmrc", "~/.npmrc", "/etc/apt/sources.list", "/etc/apt/sources.list.d",
)  # fmt: skip
SETTINGS_PREFIXES = ("PIP_", "NPM_CONFIG_", "npm_config_")


class BundleError(Exception):
    """The bundle cannot be built; the message says what to change."""


@dataclass(frozen=True)
class Bundle:
    """Where the outputs lie, and what of them was made anew."""

    worker: Path
    worker_archive: Path
    modules: tuple[Path, ...]
    """JavaScript that Python imports by the files' names."""
    packages_archive: Path
    host_archive: Path
    computer: Path
    changed: frozenset[str]


def build(root: Path = ROOT) -> Bundle:
    """Bring every output up to date."""
    out = root / "build"
    out.mkdir(exist_ok=True)
    stamps = Stamps(out / "stamps.json")
    vendored = _digest({"edge.txt": root / "requirements/edge.txt"}, *PLATFORM)
    if stamps.renew("python_modules", vendored, root / "python_modules"):
        _vendor(root)
    runtime = tree(root / "local/worker_host/runtime")
    if stamps.renew("packages", _digest(runtime, vendored), out / "packages.zip"):
        write_archive(out / "packages.zip", tree(root / "python_modules") | runtime)
    sources = worker_sources(root)
    lock = {LOCK: root / LOCK} if entries(sources) else {}
    if stamps.renew("worker", _digest(sources | lock, _settings()), out / "worker", out / "worker.zip"):
        files = {name: path.read_bytes() for name, path in sources.items() if not name.endswith(ENTRY)}
        files |= _modules(root, entries(sources))
        files[str(REGISTRIES)] = _registries(root).encode()
        _check_policy(files)
        _sync(out / "worker", files)
        write_archive(out / "worker.zip", tree(out / "worker"))
    host = tree(root / "local/worker_host/inside")
    if stamps.renew("host", _digest(host), out / "host.zip"):
        write_archive(out / "host.zip", host)
    service = {f"computerd/{name}": path for name, path in tree(root / "container/computerd").items()}
    if stamps.renew("computer", _digest(service, COMPUTER_PYTHON), out / "computer"):
        _sync(out / "computer", {name: path.read_bytes() for name, path in service.items()})
        _compile(out / "computer")
    stamps.save()
    return Bundle(
        worker=out / "worker",
        worker_archive=out / "worker.zip",
        modules=tuple(out / "worker" / name for name in sorted(entries(sources))),
        packages_archive=out / "packages.zip",
        host_archive=out / "host.zip",
        computer=out / "computer",
        changed=stamps.changed,
    )


def worker_sources(root: Path = ROOT) -> dict[str, Path]:
    """Return every file of build/worker/ by its name there, and where it comes from."""
    found = dict(tree(root / "workers"))
    for package in PACKAGES:
        found |= {f"{package}/{name}": path for name, path in tree(root / package).items()}
    taken = [name for name in RESERVED if name in found or any(n.startswith(f"{name}/") for n in found)]
    if taken:
        raise BundleError(f"workers/ may not hold {taken[0]}: that name belongs to the Workers SDK")
    return found


def worker_homes(root: Path = ROOT) -> dict[str, str]:
    """Return where each module of build/worker/ has its source, for tracebacks."""
    return {name: str(path.relative_to(root)) for name, path in worker_sources(root).items()}


class Stamps:
    """What each output was made from, kept beside the outputs."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
        self._changed: set[str] = set()

    @property
    def changed(self) -> frozenset[str]:
        return frozenset(self._changed)

    def renew(self, name: str, stamp: str, *outputs: Path) -> bool:
        """Tell whether the output has to be made; if so it counts as made once `save` is called."""
        if self._known.get(name) == stamp and all(output.exists() for output in outputs):
            return False
        self._known[name] = stamp
        self._changed.add(name)
        return True

    def save(self) -> None:
        if self._changed:
            self._file.write_text(json.dumps(self._known, indent=2) + "\n")


def tree(folder: Path) -> dict[str, Path]:
    return {
        str(path.relative_to(folder)): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def _digest(files: Mapping[str, Path], *more: str) -> str:
    digest = hashlib.sha256("\0".join(more).encode())
    for name, path in files.items():
        digest.update(f"\0{name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _settings() -> str:
    """Return what the registries depend on, without asking pip and npm, which takes a second."""
    files = (Path(name).expanduser() for name in SETTINGS_FILES)
    stats = [f"{path}:{path.stat().st_mtime_ns}" for path in files if path.exists()]
    names = sorted(name for name in os.environ if name.startswith(SETTINGS_PREFIXES))
    return "\n".join([*stats, *(f"{name}={os.environ[name]}" for name in names)])


def _registries(root: Path) -> str:
    try:
        registries = pip_registries(_python(root)) + npm_registries("npm") + apt_registries("apt-get")
        return module_source((root / REGISTRIES).read_text(), registries)
    except RegistryError as error:
        raise BundleError(str(error)) from error


def _modules(root: Path, made: Mapping[str, Path]) -> dict[str, bytes]:
    try:
        return {name: module_of(root, path) for name, path in made.items()}
    except JavaScriptError as error:
        raise BundleError(f"JavaScript of the Worker cannot be made: {error}") from error


def _check_policy(files: Mapping[str, bytes]) -> None:
    """Load the egress policy as the Worker will. A broken one is refused, and the last good build stays."""
    if POLICY not in files:
        raise BundleError(f"{POLICY} is missing: a computer may not go out without a policy")
    with tempfile.TemporaryDirectory() as scratch:
        for name in (name for name in files if name.startswith(POLICY_NEEDS)):
            path = Path(scratch) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[name])
        command = [sys.executable, "-I", "-B", "-c", POLICY_CHECK, scratch]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise BundleError(f"the egress policy is refused: {done.stderr.strip().splitlines()[-1]}")


def _python(root: Path) -> Path:
    """Return a Python that has pip."""
    own = root / ".berth/venv/bin/python"
    return own if own.exists() else Path(sys.executable)


def _vendor(root: Path) -> None:
    """Install the packages that run in the Worker, for its platform and not for this one."""
    target = root / "python_modules"
    with tempfile.TemporaryDirectory(dir=root / "build") as scratch:
        command = [
            str(_python(root)), "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile",
            "--require-hashes", "--requirement", str(root / "requirements/edge.txt"),
            "--target", scratch, *PLATFORM,
        ]  # fmt: skip
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            raise BundleError(f"vendoring failed: {done.stderr.strip()}")
        shutil.rmtree(Path(scratch) / "bin", ignore_errors=True)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(scratch, target)


def _sync(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make the folder hold exactly these files, touching only those that differ."""
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    for name, path in tree(folder).items():
        if name not in files:
            path.unlink()


def _compile(folder: Path) -> None:
    """Compile the service ahead of its start, as the image does: there it can write nothing."""
    for cache in folder.rglob("__pycache__"):
        shutil.rmtree(cache)
    command = [
        COMPUTER_PYTHON,
        "-m",
        "compileall",
        "-q",
        "--invalidation-mode",
        "unchecked-hash",
        str(folder),
    ]
    if Path(COMPUTER_PYTHON).exists() and subprocess.run(command, check=False).returncode:
        raise BundleError("the computer's service does not compile")


def write_archive(file: Path, tree: Mapping[str, Path]) -> None:
    """Write a stored archive in one step, so that a reader never sees half of it."""
    scratch = file.with_suffix(".part")
    with zipfile.ZipFile(scratch, "w", zipfile.ZIP_STORED) as archive:
        for name, path in tree.items():
            # One date for all: the same files make the same bytes.
            archive.writestr(zipfile.ZipInfo(name), path.read_bytes())
    scratch.replace(file)


def main(_arguments: Iterable[str] = ()) -> int:
    try:
        bundle = build()
    except BundleError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"build: {', '.join(sorted(bundle.changed)) or 'nothing changed'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
