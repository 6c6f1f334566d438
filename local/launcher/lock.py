"""`./berth lock`: compiles the lock files anew from pyproject.toml and package.json.

A lock names versions and hashes and no address, so that it fits every index and mirror. What runs in the
Worker is resolved for the Worker's platform: each package has one wheel there, and only its hash is allowed.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from local.bundle import PLATFORM, ROOT
from local.launcher.errors import LauncherError
from local.launcher.requirements import VENV_PYTHON
from local.launcher.terminal import step
from local.launcher.tools import output_of, python_command, run

NO_ADDRESSES = (
    "--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links", "--no-emit-options",
    "--no-emit-trusted-host",
)  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    argparse.ArgumentParser(prog="berth lock").parse_args(arguments)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    edge = project["project"]["dependencies"]
    host = [row for group in project["dependency-groups"].values() for row in group]
    with step("Locking what runs in the Worker"):
        (ROOT / "requirements/edge.txt").write_text(edge_lock(_resolve(edge)))
    with step("Locking what runs on this machine, which takes minutes"):
        _compile([*edge, *host])
    with step("Locking the JavaScript packages"):
        _lock_packages()
    return 0


def edge_lock(report: dict[str, Any]) -> str:
    """Return the lock for what pip reports it would install."""
    rows = sorted(
        (
            item["metadata"]["name"].lower().replace("_", "-"),
            item["metadata"]["version"],
            item["download_info"]["archive_info"]["hashes"]["sha256"],
        )
        for item in report["install"]
    )
    return "".join(f"{name}=={version} \\\n    --hash=sha256:{digest}\n" for name, version, digest in rows)


def _resolve(requirements: Sequence[str]) -> dict[str, Any]:
    command = [
        str(VENV_PYTHON), "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed",
        "--report", "-", "--target", str(ROOT / "build/nowhere"), *PLATFORM, *requirements,
    ]  # fmt: skip
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise LauncherError(f"the Worker's packages cannot be resolved:\n{done.stderr.strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _compile(requirements: Sequence[str]) -> None:
    target = ROOT / "requirements/host.txt"
    with tempfile.TemporaryDirectory(prefix="berth-lock-") as folder:
        source = Path(folder) / "host.in"
        source.write_text("\n".join(requirements) + "\n")
        compiled = Path(folder) / "host.txt"
        # What is locked already stays, unless the project asks for another version.
        shutil.copy(target, compiled)
        done = run(
            python_command(
                "piptools", "compile", "--quiet", "--generate-hashes", "--allow-unsafe", "--strip-extras",
                *NO_ADDRESSES, "--output-file", str(compiled), str(source),
            )
        )  # fmt: skip
        if done.returncode:
            raise LauncherError(f"this machine's packages cannot be locked:\n{output_of(done)}")
        target.write_text(compiled.read_text())


def _lock_packages() -> None:
    done = run(["npm", "install", "--package-lock-only", "--loglevel", "error"])
    if done.returncode:
        raise LauncherError(f"the JavaScript packages cannot be locked:\n{output_of(done)}")
    if '"resolved"' in (ROOT / "package-lock.json").read_text():
        raise LauncherError("package-lock.json holds addresses: .npmrc is not in effect")
