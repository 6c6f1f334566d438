"""What this machine allows, found by trying: `python -m local.engine --probe` prints it as JSON.

`./berth doctor` shows the result. The engine itself starts with the same look, and refuses in one
sentence where sandboxes cannot work.
"""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from local.engine import anyip, cgroups, namespaces, seccomp
from local.engine.cgroups import Kind
from local.engine.errors import MachineRefusesError
from local.engine.sandbox import NAMESPACES

TRY_SECONDS = 20.0
PROBE_USER = 1_900_065_535


@dataclass(frozen=True)
class Probe:
    bwrap: str | None
    namespaces: bool
    namespaces_note: str
    limits: Kind
    freezer: bool
    seccomp: bool
    as_root: bool
    catches: bool
    """Whether programs that ignore the proxy can be caught."""
    catches_note: str

    def require(self, *, limits: bool) -> str:
        """Return bubblewrap's path, or refuse with the reason and the cure."""
        if self.bwrap is None:
            raise MachineRefusesError("bubblewrap is missing: install the package bubblewrap")
        if not self.namespaces:
            raise MachineRefusesError(
                f"this machine allows no sandbox ({self.namespaces_note}); "
                "--unsandboxed runs computers without any protection"
            )
        if limits and self.limits == "rlimits":
            raise MachineRefusesError("no cgroup is writable here, and --require-limits was given")
        return self.bwrap


def look(group: str) -> Probe:
    """Try what the engine needs. `group` is the name of the cgroup to try with; it is left."""
    bwrap = shutil.which("bwrap")
    as_root = os.geteuid() == 0
    note = try_namespaces(bwrap, as_root) if bwrap is not None else "no bubblewrap"
    found = cgroups.find(group)
    uncaught = try_routes()
    return Probe(
        bwrap=bwrap,
        namespaces=note == "",
        namespaces_note=note,
        limits=found.kind,
        freezer=found.unified is not None or "freezer" in dict(found.v1),
        seccomp=seccomp.load_library() is not None,
        as_root=as_root,
        catches=uncaught == "",
        catches_note=uncaught,
    )


def try_namespaces(bwrap: str, as_root: bool) -> str:
    """Return why a sandbox cannot be made; nothing if it can."""
    command = [bwrap, *NAMESPACES, "--uid", "1000", "--gid", "1000", "--ro-bind", "/usr", "/usr"]
    for name in ("bin", "lib", "lib64"):
        if Path("/", name).exists():
            command += ["--ro-bind", f"/{name}", f"/{name}"]
    command += ["--proc", "/proc", "--dev", "/dev", "--as-pid-1", "--", "/usr/bin/true"]
    user = PROBE_USER if as_root else None
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=TRY_SECONDS,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
            cwd="/",
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    return done.stderr.decode(errors="replace").strip() or f"bubblewrap ended {done.returncode}"


def try_routes() -> str:
    """Return why connections that ignore the proxy cannot be caught; nothing if they can."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            namespaces.new_network()
            anyip.bring_up()
            anyip.route_to_loopback()
            for port in anyip.PORTS:
                anyip.listener(port)
        except OSError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as note:
        found = note.read().decode()
    os.waitpid(child, 0)
    return found


def as_json(probe: Probe) -> Mapping[str, object]:
    return asdict(probe)
