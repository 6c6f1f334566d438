"""`./berth doctor`: every requirement with a tick, or with what cures its absence.

It changes nothing. What the machine allows for the sandbox is asked from the engine itself.
"""

import argparse
import json
import subprocess
from collections.abc import Sequence

from local.bundle import ROOT
from local.launcher.image import image_root
from local.launcher.requirements import EVERYTHING, MMDEBSTRAP, VENV_PYTHON, venv_ready
from local.launcher.terminal import cross, say, tick

LIMITS = {
    "cgroup-v2": "memory, processes and CPU are limited by cgroup v2",
    "cgroup-v1": "memory, processes and CPU are limited by cgroup v1",
    "rlimits": "only each process is limited: no cgroup of this machine is writable",
}


def main(arguments: Sequence[str]) -> int:
    argparse.ArgumentParser(prog="berth doctor").parse_args(arguments)
    missing = 0
    for requirement in EVERYTHING:
        if requirement.present():
            tick(f"{requirement.name}: {requirement.why}")
        elif not requirement.needed or requirement is MMDEBSTRAP:
            say(f"- {requirement.name}: {requirement.why}, if you want to. {requirement.cure}")
        else:
            missing += 1
            cross(f"{requirement.name}: {requirement.why}. Cure: {requirement.cure}")
    if venv_ready():
        missing += _machine()
    root = image_root()
    what = "the one built by ./berth image" if root else "this machine's /usr; ./berth image builds its own"
    tick(f"the computer's system: {what}")
    return 1 if missing else 0


def _machine() -> int:
    """Say what the sandbox can rely on here; return the number of things that are not there."""
    command = [str(VENV_PYTHON), "-m", "local.engine", "--probe"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        cross(f"the sandbox: {done.stderr.strip()}")
        return 1
    found = json.loads(done.stdout)
    if not found["namespaces"]:
        cross(f"the sandbox: {found['namespaces_note'] or 'this machine allows no namespaces'}")
        return 1
    tick("the sandbox: namespaces for processes, network and users")
    tick(f"the computer's limits: {LIMITS.get(found['limits'], found['limits'])}")
    if found["catches"]:
        tick("programs that ignore the proxy: caught and judged like all others")
    else:
        say(f"- programs that ignore the proxy reach nothing here: {found['catches_note']}")
    if found["seccomp"]:
        tick("the filter of system calls: on")
    else:
        cross("the filter of system calls: off. Cure: sudo apt-get install libseccomp2")
    return 0
