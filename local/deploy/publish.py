"""Does what a plan says: the bucket, then the Worker with its secrets, image and page, by wrangler.

Each step may be done again: what is there already is found by the next plan. wrangler uploads code, secrets
and migrations as one version, so the Worker is never without a secret that it was to have.
"""

import json
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from local.bundle import ROOT
from local.launcher.errors import LauncherError
from local.launcher.tools import environment, node_command

WRANGLER = "wrangler/bin/wrangler.js"
LINES_OF_AN_ERROR = 12
# An image may take minutes to be built and sent; nothing else does.
WRANGLER_SECONDS = 3_600


def docker_answers() -> bool:
    if shutil.which("docker") is None:
        return False
    asked = ["docker", "info", "--format", "{{.ServerVersion}}"]
    try:
        return subprocess.run(asked, check=False, capture_output=True, timeout=20).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def revision() -> str:
    """The commit that is deployed, with a mark where the tree differs from it; empty outside of git."""
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(asked, cwd=ROOT, check=False, capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def deploy_worker(configuration: Path, account_id: str, secrets: Mapping[str, str], *, image: bool) -> None:
    """Raises LauncherError with the end of what wrangler said.

    The secrets go through a pipe: they are in no file and in no list of processes.
    """
    options = ["deploy", "--config", str(configuration), "--message", revision() or "without git"]
    if not image:
        options.append("--containers-rollout=none")
    if not secrets:
        wrangler(options, account_id)
        return
    with tempfile.TemporaryDirectory(prefix="berth-secrets-") as folder:
        pipe = Path(folder) / "secrets.json"
        os.mkfifo(pipe, 0o600)
        # It waits for whoever reads; a wrangler that never does leaves it behind as a daemon.
        threading.Thread(target=_write, args=(pipe, json.dumps(dict(secrets))), daemon=True).start()
        wrangler([*options, "--secrets-file", str(pipe)], account_id)


def wrangler(options: Sequence[str], account_id: str) -> str:
    """Run wrangler without any question; returns what it printed."""
    env = {**environment(), "CLOUDFLARE_ACCOUNT_ID": account_id, "CI": "1", "WRANGLER_SEND_METRICS": "false"}
    try:
        done = subprocess.run(
            node_command(WRANGLER, *options), cwd=ROOT, env=env, check=False, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=WRANGLER_SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise LauncherError(f"wrangler was not done after {WRANGLER_SECONDS // 60} minutes") from error
    if done.returncode:
        said = [line for line in done.stdout.splitlines() if line.strip()]
        raise LauncherError("wrangler did not succeed:\n" + "\n".join(said[-LINES_OF_AN_ERROR:]))
    return done.stdout


def _write(pipe: Path, text: str) -> None:
    try:
        pipe.write_text(text)
    except (BrokenPipeError, FileNotFoundError):
        # wrangler has ended without reading; what it said is told by who runs it.
        return
