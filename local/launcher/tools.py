"""Runs the project's tools: Python's from the environment, JavaScript's with Node 22."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from local.bundle import ROOT
from local.toolchain import node_binary


def python_command(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", module, *arguments]


def node_command(script: str, *arguments: str) -> list[str]:
    """`script` is a path below node_modules/."""
    return [str(node_binary(ROOT)), str(ROOT / "node_modules" / script), *arguments]


def environment() -> dict[str, str]:
    """Return the environment in which programs started by our tools find Node 22 and our modules."""
    path = f"{node_binary(ROOT).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}


def run(
    command: Sequence[str], *, folder: Path = ROOT, quiet: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a tool to its end; its output is kept when quiet, else shown."""
    return subprocess.run(
        command, cwd=folder, env=environment(), check=False, text=True, capture_output=quiet
    )


def output_of(done: subprocess.CompletedProcess[str]) -> str:
    return "\n".join(part.rstrip() for part in (done.stdout, done.stderr) if part and part.strip())
