"""A running computerd and a client for it, for the tests that need the real thing.

`start` runs the service as a process of its own, `start_sandboxed` inside bubblewrap as the first
process of its namespace and as uid 1000, as the engine does.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from computerd import process_tree

ROOT = Path(__file__).resolve().parents[3]
SERVICE = ROOT / "container/computerd"
PYTHON = "/usr/bin/python3"
SANDBOX_HOST_UID = 100_123

Frame = dict[str, Any]

_ids = count(1)


@dataclass
class Ran:
    """All frames of one command."""

    frames: list[Frame]

    @property
    def exit(self) -> Frame:
        return self.frames[-1]

    @property
    def text(self) -> str:
        return self.of()

    @property
    def stdout(self) -> str:
        return self.of("stdout")

    @property
    def stderr(self) -> str:
        return self.of("stderr")

    def of(self, *streams: str) -> str:
        return "".join(
            frame["text"]
            for frame in self.frames
            if frame["type"] == "output" and (not streams or frame["stream"] in streams)
        )


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Computer:
    """The service, and calls to it; each call has a connection of its own unless it says so."""

    process: subprocess.Popen[str]
    port: int
    workspace: Path
    home: Path
    log: Path
    streams: list[HTTPConnection] = field(default_factory=list)

    def connect(self, timeout: float = 120) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def raw(self, data: bytes = b"", timeout: float = 120) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        client.sendall(data)
        return client

    def call(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Answer:
        connection = self.connect()
        data = json.dumps(body).encode() if isinstance(body, dict | list) else body
        connection.request(method, path, data, headers or {})
        response = connection.getresponse()
        answer = Answer(response.status, dict(response.getheaders()), response.read())
        connection.close()
        return answer

    def open(self, command: str, timeout_s: float = 60, identifier: str = "") -> Iterator[Frame]:
        """Start a command and yield its frames as they come."""
        body = {"id": identifier or fresh_id(), "command": command, "timeout_s": timeout_s}
        return self.stream("POST", "/commands", body)

    def attach(self, identifier: str, offset: int = 0) -> Iterator[Frame]:
        return self.stream("GET", f"/commands/{identifier}?offset={offset}")

    def stream(self, method: str, path: str, body: Any = None) -> Iterator[Frame]:
        connection = self.connect()
        self.streams.append(connection)
        connection.request(method, path, json.dumps(body).encode() if body else None)
        response = connection.getresponse()
        assert response.status == 200, response.read()
        return frames_of(connection, response)

    def run(self, command: str, timeout_s: float = 60, identifier: str = "") -> Ran:
        return Ran(list(self.open(command, timeout_s, identifier)))

    def put(self, path: str, data: bytes, query: str = "", **headers: str) -> Answer:
        return self.call("PUT", f"/files/content?path={quote(path)}{query}", data, headers)

    def get(self, path: str) -> Answer:
        return self.call("GET", f"/files/content?path={quote(path)}")

    def read(self, path: str, **options: int) -> Answer:
        return self.call("POST", "/files/read", {"path": path, **options})

    def processes(self) -> list[str]:
        """The command lines of everything that descends from the service, zombies marked."""
        lines = subprocess.run(
            ["ps", "-eww", "-o", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        rows = {int(pid): (int(parent), state, args) for pid, parent, state, args in map(_columns, lines)}
        # As a tree: a child may have a lower number than its parent.
        found = process_tree.below(self.process.pid, {pid: row[0] for pid, row in rows.items()})
        return [f"{rows[pid][1]} {rows[pid][2]}" for pid in found]

    def stop(self) -> int:
        for connection in self.streams:
            connection.close()
        with self.process:
            self.process.terminate()
        return self.process.wait(120)


def _columns(line: str) -> list[str]:
    return line.split(None, 3)


def fresh_id() -> str:
    return f"t{os.getpid()}-{next(_ids)}"


def frames_of(connection: HTTPConnection, response: HTTPResponse) -> Iterator[Frame]:
    while line := response.readline():
        yield json.loads(line)
    connection.close()


def until(condition: Callable[[], bool], seconds: float = 120) -> None:
    """Wait for a condition that another process brings about."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.01)


def start(folder: Path, *options: str, env: dict[str, str] | None = None) -> Computer:
    """Run the service as a plain process."""
    workspace, home = folder / "workspace", folder / "home"
    workspace.mkdir(exist_ok=True)
    home.mkdir(exist_ok=True)
    argv = [PYTHON, "-I", "-B", str(SERVICE), "--listen", "127.0.0.1:0"]
    argv += ["--workspace", str(workspace), "--home", str(home), *options]
    return _launch(argv, folder, workspace, home, env if env is not None else {})


def start_sandboxed(
    folder: Path,
    *extra: str,
    env: dict[str, str] | None = None,
    group: Path | None = None,
    options: tuple[str, ...] = (),
) -> Computer:
    """Run the service as pid 1 of a sandbox, as uid 1000 inside and an ordinary user outside."""
    as_user = []
    if os.getuid() == 0:
        user = str(SANDBOX_HOST_UID)
        as_user = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"]
    for name in ("workspace", "home", "etc", "opt"):
        (folder / name).mkdir(exist_ok=True)
    shutil.copytree(SERVICE, folder / "opt/computerd", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "etc/passwd").write_text("berth:x:1000:1000::/home/berth:/bin/bash\n")
    (folder / "etc/group").write_text("berth:x:1000:\n")
    shutil.copy("/etc/profile", folder / "etc/profile")
    if as_user:
        for name in ("workspace", "home"):
            os.chown(folder / name, SANDBOX_HOST_UID, SANDBOX_HOST_UID)
        for parent in [folder, *folder.parents]:
            if parent.stat().st_mode & 0o005 != 0o005:
                parent.chmod(parent.stat().st_mode | 0o005)
    argv = [*as_user, *_bwrap(folder), *extra, "--remount-ro", "/"]
    for name, value in (env or {}).items():
        argv += ["--setenv", name, value]
    argv += [PYTHON, "-I", "-B", "/opt/berth/computerd", "--listen", "127.0.0.1:0", *options]
    if group is not None:
        argv = ["sh", "-c", 'echo 0 > "$0/cgroup.procs" && exec "$@"', str(group), *argv]
    return _launch(argv, folder, folder / "workspace", folder / "home", {"PATH": os.environ["PATH"]})


def _bwrap(folder: Path) -> list[str]:
    links = ("bin", "sbin", "lib", "lib64")
    files = ("passwd", "group", "profile")
    return [
        "bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--as-pid-1",
        "--uid", "1000", "--gid", "1000", "--die-with-parent", "--new-session", "--clearenv",
        "--ro-bind", "/usr", "/usr",
        *(word for link in links for word in ("--symlink", f"usr/{link}", f"/{link}")),
        "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/etc",
        *(word for name in files for word in ("--ro-bind", f"{folder}/etc/{name}", f"/etc/{name}")),
        "--ro-bind-try", "/etc/alternatives", "/etc/alternatives",
        "--bind", str(folder / "workspace"), "/workspace", "--bind", str(folder / "home"), "/home/berth",
        "--ro-bind", str(folder / "opt"), "/opt/berth", "--chdir", "/workspace",
    ]  # fmt: skip


def _launch(argv: list[str], folder: Path, workspace: Path, home: Path, env: dict[str, str]) -> Computer:
    log = folder / "computerd.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            argv, stdout=subprocess.PIPE, stderr=errors, text=True, env=env, cwd=folder
        )
    assert process.stdout is not None
    line = process.stdout.readline()
    match = re.search(r"listens on \S+:(\d+)", line)
    if not match:
        with process:
            process.kill()
        raise AssertionError(f"computerd did not start: {line!r} {log.read_text()}")
    return Computer(process, int(match[1]), workspace, home, log)
