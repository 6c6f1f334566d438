"""Builds the page, when something it is made of has changed."""

import hashlib
from pathlib import Path

from local.bundle import ROOT
from local.launcher.errors import LauncherError
from local.launcher.terminal import step
from local.launcher.tools import node_command, output_of, run

WEB = ROOT / "web"
STAMP = ROOT / "build/web-stamp"
# What is made, not written.
LEFT_OUT = frozenset({"dist", "dist-gallery", "node_modules", "test"})


def build_page() -> None:
    stamp = _stamp()
    if STAMP.exists() and STAMP.read_text() == stamp and (WEB / "dist/index.html").exists():
        return
    with step("Building the page"):
        done = run(node_command("vite/bin/vite.js", "build", "--logLevel", "error"), folder=WEB)
        if done.returncode:
            raise LauncherError(f"the page does not build:\n{output_of(done)}")
        STAMP.parent.mkdir(exist_ok=True)
        STAMP.write_text(stamp)


def _stamp() -> str:
    digest = hashlib.sha256((ROOT / "package-lock.json").read_bytes())
    for path in _sources():
        digest.update(f"{path.relative_to(WEB)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources() -> list[Path]:
    return sorted(
        path
        for path in WEB.rglob("*")
        if path.is_file() and not LEFT_OUT.intersection(path.relative_to(WEB).parts)
    )
