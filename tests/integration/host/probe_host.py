"""Runs the probe Worker of this folder on the host, from a bundle that a test may change."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from local import worker_config
from local.bundle import ROOT, build, tree, write_archive
from local.worker_process import WorkerHost

WORKER = Path(__file__).parent / "worker"
DEADLINE_SECONDS = 120.0


class ProbeHost:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bundle = folder / "bundle/worker.zip"
        self.log = folder / "host.log"
        self.write_bundle()
        built = build(ROOT)
        config = replace(
            worker_config.read(WORKER / "wrangler.toml"),
            state=str(folder / "state"),
            cache=str(ROOT / ".berth/cache"),
            bundle=str(self.bundle),
            packages=str(built.packages_archive),
            host_files=str(built.host_archive),
            watch=True,
            homes={"probe_entry.py": "tests/integration/host/worker/probe_entry.py"},
        )
        self.host = WorkerHost(config, root=ROOT, log=self.log)
        self.url = ""

    def write_bundle(self, changes: Mapping[str, str] | None = None) -> None:
        """Write the Worker's files as one archive, some of them changed."""
        files = {name: path for name, path in tree(WORKER).items() if name.endswith(".py")}
        scratch = self.folder / "changed"
        scratch.mkdir(exist_ok=True)
        for name, source in (changes or {}).items():
            (scratch / name).write_text(source)
            files[name] = scratch / name
        self.bundle.parent.mkdir(parents=True, exist_ok=True)
        write_archive(self.bundle, files)

    def start(self) -> None:
        self.url = self.host.start().url

    def get(self, path: str, **query: Any) -> Any:
        return self._json("GET", path, query, None)

    def post(self, path: str, body: Any, **query: Any) -> Any:
        return self._json("POST", path, query, json.dumps(body))

    def _json(self, method: str, path: str, query: Mapping[str, Any], body: str | None) -> Any:
        url = f"{self.url}/api/{path}"
        response = httpx.request(method, url, params=query, content=body, timeout=DEADLINE_SECONDS)
        assert response.status_code == 200, response.text
        return response.json()

    def log_text(self) -> str:
        return self.log.read_text(errors="replace")


def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition; fail when it does not come true."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "the awaited condition did not come true"
        time.sleep(0.02)
