"""What the engine's tests stand on: an engine, a workerd with a test Worker, and a box in it.

`Box` speaks to one Durable Object of worker.mjs; everything it does goes through workerd's own
`ctx.container`. `Docker` speaks to the engine's socket directly, for what workerd never says.
"""

import contextlib
import hashlib
import http.client
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
MODULES = Path(os.environ.get("BERTH_NODE_MODULES", ROOT / "node_modules"))
IMAGE = os.environ.get("BERTH_TEST_IMAGE", "berth-computer:test")
INSIDE = (HERE / "inside.py").read_text()
SERVER = ["/usr/bin/python3", "-I", "-c", INSIDE]
# A crowd of TLS handshakes takes a minute or two on a busy machine.
DEADLINE_SECONDS = 240.0


T = TypeVar("T")


def wait_for(what: str, test: Callable[[], T | None]) -> T:
    """Return the first true result of `test`, looked for until the deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        if found := test():
            return found
        select.select([], [], [], 0.01)
    raise TimeoutError(f"{what} did not happen in {DEADLINE_SECONDS} s")


@dataclass
class EngineProcess:
    """`python -m local.engine` with a state folder of its own."""

    folder: Path
    options: tuple[str, ...] = ()
    python: tuple[str, ...] = (sys.executable,)
    process: subprocess.Popen[str] | None = None
    banner: str = ""

    @property
    def socket(self) -> Path:
        return self.folder / "e.sock"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    def start(self) -> "EngineProcess":
        command = [*self.python, "-m", "local.engine", "--socket", str(self.socket)]
        command += ["--state", str(self.state), *self.options]
        with (self.folder / "engine.log").open("a") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        self.banner = self.process.stdout.readline()
        assert self.banner.startswith("engine listens on"), self.log()
        return self

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self._reap()

    def stop(self) -> int:
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self._reap()

    def _reap(self) -> int:
        assert self.process is not None
        assert self.process.stdout is not None
        code = self.process.wait(DEADLINE_SECONDS)
        self.process.stdout.close()
        self.process = None
        return code

    def groups(self, container: str = "") -> list[Path]:
        """Return the cgroups of this engine, or of one of its containers."""
        name = "berth-" + hashlib.sha256(str(self.state).encode()).hexdigest()[:10]
        roots = [Path("/sys/fs/cgroup"), *Path("/sys/fs/cgroup").iterdir()]
        return [root / name / container for root in roots if (root / name / container).is_dir()]

    def log(self) -> str:
        return (self.folder / "engine.log").read_text()


@dataclass
class Rig:
    """workerd with worker.mjs in it, on the engine at `socket`."""

    socket: Path
    folder: Path
    process: subprocess.Popen[str] | None = None
    url: str = ""

    def start(self) -> "Rig":
        config = self.folder / "rig.json"
        entries = {"socket": str(self.socket), "state": str(self.folder / "objects")}
        config.write_text(json.dumps({**entries, "image": IMAGE, "modules": str(MODULES)}))
        with (self.folder / "rig.log").open("a") as log:
            self.process = subprocess.Popen(
                [str(MODULES / ".bin/node"), str(HERE / "rig.mjs"), str(config)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            if line.startswith("{"):
                self.url = json.loads(line)["url"]
                return self
        raise AssertionError((self.folder / "rig.log").read_text())

    def kill(self) -> None:
        """Kill workerd and its host as a crash would, giving neither time for anything."""
        assert self.process is not None
        for process in (*children_of(self.process.pid), self.process.pid):
            os.kill(process, signal.SIGKILL)
        self._reap()

    def kill_workerd(self) -> None:
        assert self.process is not None
        for process in children_of(self.process.pid):
            os.kill(process, signal.SIGKILL)

    def answers(self, box: "Box") -> Any:
        """Return the box's state, or nothing while nobody serves."""
        try:
            return box.call("state")
        except (OSError, http.client.HTTPException):
            return None

    def stop(self) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.close()
        self._reap()

    def _reap(self) -> None:
        assert self.process is not None
        self.process.wait(DEADLINE_SECONDS)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self.process = None

    def box(self, name: str) -> "Box":
        return Box(self, name)


def children_of(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    found = [int(child) for child in listed]
    return [grandchild for child in found for grandchild in children_of(child)] + found


class OperationError(Exception):
    """The Worker's operation threw."""


@dataclass
class Box:
    """One Durable Object and its container."""

    rig: Rig
    name: str

    def call(self, operation: str, **arguments: Any) -> Any:
        with contextlib.closing(self._connect()) as connection:
            connection.request("POST", f"/{self.name}/{operation}", json.dumps(arguments))
            response = connection.getresponse()
            answer = json.loads(response.read())
        if response.status != 200:
            raise OperationError(answer["failed"])
        return answer

    def start(self, *, server: bool = True, keep: bool = True, **options: Any) -> "Box":
        """With `keep` it stays while its object is idle: on a busy machine that is soon."""
        options.setdefault("enableInternet", False)
        options.setdefault("entrypoint", SERVER)
        self.call("start", **options)
        if keep:
            self.call("keep", milliseconds=600_000)
        if server:
            wait_for("the server inside", self._serves)
        return self

    def _serves(self) -> bool:
        try:
            return bool(self.fetch("/boot")["status"] == 200)
        except OperationError:
            return False

    def fetch(self, path: str, port: int = 8080, **init: Any) -> Any:
        return self.call("fetch", port=port, path=path, **init)

    def request(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Send a request through to port 8080 of the container."""
        with contextlib.closing(self._connect()) as connection:
            connection.request(method, f"/{self.name}/port/8080{path}", body)
            response = connection.getresponse()
            return response.status, response.read()

    def exec(self, *argv: str, **options: Any) -> Any:
        return self.call("exec", argv=list(argv), **options)

    def sh(self, script: str) -> str:
        """Run a script in the container; return its output, standard error last."""
        done = self.exec("/bin/bash", "-c", script)
        return str(done["stdout"]) + str(done["stderr"])

    def python(self, program: str) -> str:
        done = self.exec("/usr/bin/python3", "-I", "-c", program)
        return str(done["stdout"]) + str(done["stderr"])

    def web_socket_url(self, path: str) -> str:
        return self.rig.url.replace("http:", "ws:") + f"/{self.name}/port/8080{path}"

    def _connect(self) -> http.client.HTTPConnection:
        host, _, port = self.rig.url.removeprefix("http://").partition(":")
        return http.client.HTTPConnection(host, int(port), timeout=DEADLINE_SECONDS)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=DEADLINE_SECONDS)
        self._path = str(path)

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(DEADLINE_SECONDS)
        self.sock.connect(self._path)


@dataclass
class Docker:
    """The engine's own socket."""

    socket: Path

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        with contextlib.closing(UnixConnection(self.socket)) as connection:
            connection.request(method, path, data)
            response = connection.getresponse()
            return response.status, response.read()

    def get(self, path: str) -> Any:
        status, body = self.call("GET", path)
        assert status == 200, body
        return json.loads(body)

    def post(self, path: str, body: Any = None) -> Any:
        status, answer = self.call("POST", path, body if body is not None else b"")
        assert status < 300, answer
        return json.loads(answer) if answer else None

    @contextlib.contextmanager
    def streaming(self, method: str, path: str) -> Iterator[Iterator[Any]]:
        """Yield the JSON lines of an answer that does not end."""
        with contextlib.closing(UnixConnection(self.socket)) as connection:
            connection.request(method, path)
            response = connection.getresponse()
            yield (json.loads(line) for line in response)
            response.close()

    def raw(self, data: bytes) -> bytes:
        """Send bytes as they are and return everything that comes back."""
        with contextlib.closing(UnixConnection(self.socket)) as connection:
            connection.connect()
            connection.sock.sendall(data)
            connection.sock.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.sock.recv(65536), b""))


def running(engine: EngineProcess) -> Iterator[EngineProcess]:
    engine.start()
    try:
        yield engine
    finally:
        if engine.process is not None:
            engine.stop()
