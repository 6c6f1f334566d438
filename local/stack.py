"""The local platform as processes: the container engine and the Worker host.

`with LocalStack(state) as stack:` gives a served Berth at `stack.url`, asked with `stack.headers`, and takes
everything down again at the end. `./berth dev`, the demo, the benchmarks and the tests all start it here.
"""

import fcntl
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from local import worker_config
from local.bundle import ROOT, Bundle, build, worker_homes
from local.child import Child, ChildError
from local.keys import new_sealing_key, new_sign_in_token, new_vapid_key
from local.worker_process import Events, HostError, WorkerHost

ENGINE_SECONDS = 60.0
# Push services write to it when something is wrong with what they get; here nobody reads that.
VAPID_SUBJECT = "mailto:nobody@berth.invalid"
# It is served on loopback only, to the one person who started it.
# A month of a computer that never sleeps is 55 dollars: nobody is stopped by the allowance here.
LOCAL_VARS = {"BERTH_SIGN_IN": "local", "BERTH_ALLOWANCE_A_MONTH": "100"}
# What the kernel allows for the path of a socket, without its closing zero.
SOCKET_PATH_BYTES = 107


class StackError(Exception):
    """The local platform could not be started; the message says why and what to do."""


class LocalStack:
    """One engine and one host on a state folder that nobody else uses meanwhile."""

    def __init__(  # noqa: PLR0913 - options with names, all of them
        self,
        state: Path,
        *,
        port: int = 0,
        vars: Mapping[str, str] | None = None,  # noqa: A002 - as wrangler.toml calls them
        unsandboxed: bool = False,
        echo: bool = False,
        watch: bool = False,
        image_root: Path | None = None,
        outside: str | None = None,
        faults: bool = False,
        events: Events = lambda _event: None,
        root: Path = ROOT,
    ) -> None:
        self.state = state.resolve()
        self.url = ""
        self.token = ""
        self.heap_mb = 0
        self.engine_socket: Path | None = None
        self._root = root
        self._port = port
        self._vars = {**LOCAL_VARS, **(vars or {}), **({"BERTH_UNSANDBOXED": "1"} if unsandboxed else {})}
        self._unsandboxed = unsandboxed
        self._echo = echo
        self._watch = watch
        self._image_root = image_root
        self._outside = outside
        self._faults = faults
        self._events = events
        self._cleanup = ExitStack()
        self._engine: Child | None = None
        self._engine_options: list[str] = []
        self._host: WorkerHost | None = None

    def __enter__(self) -> Self:
        try:
            self._lock()
            self.token = self._kept("sign-in-token", new_sign_in_token)
            bundle = build(self._root)
            socket = self.engine_socket = self._socket_path()
            self._engine_options = self._options_of_engine(bundle, socket)
            self._engine = self._start_engine()
            config = self._host_config(bundle, socket)
            self._host = WorkerHost(
                config, root=self._root, log=self.state / "logs/host.log", echo=self._echo
            )
            self.start_host()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def headers(self) -> dict[str, str]:
        """With them a program is the person of the host name that it asks."""
        return {"authorization": f"Bearer {self.token}"}

    @property
    def address(self) -> str:
        """For a browser: the page there signs in and forgets the token again."""
        return f"{self.url.replace('127.0.0.1', 'localhost')}/#token={self.token}"

    @property
    def host(self) -> WorkerHost:
        if self._host is None:
            raise StackError("the host has not been started")
        return self._host

    @property
    def host_pid(self) -> int:
        return self.host.child.pid

    @property
    def engine_pid(self) -> int:
        if self._engine is None:
            raise StackError("the engine has not been started")
        return self._engine.pid

    def revive_engine(self) -> bool:
        """Start the engine again if it has ended, and the host. False while it runs. Raises StackError.

        The computers ended with it. workerd asks the old engine for ever, so it has to be a new one too.
        """
        if self._engine is None or self._engine.running:
            return False
        self._engine.kill()  # its pipes
        self.stop_host()
        self._engine = self._start_engine()
        self.start_host()
        return True

    def revive_host(self) -> None:
        """Start a host that has ended again, on its port and with its state.

        Its workerd may have outlived it, and then has the port. The engine and its computers live on. Raises
        StackError; then the host is down.
        """
        self.kill_host()
        try:
            self.start_host()
        except StackError:
            self.kill_host()
            raise

    def start_host(self) -> None:
        """Start the host, on the port it had before if it was started before."""
        try:
            ready = self.host.start(self._events)
        except HostError as error:
            raise StackError(str(error)) from error
        self.url, self.heap_mb = ready.url, ready.heap_mb

    def kill_host(self) -> None:
        """Kill the host and workerd as a crash would; the engine and its computers live on."""
        self.host.kill()

    def stop_host(self) -> None:
        self.host.stop()

    def host_events(self) -> list[dict[str, Any]]:
        """Return what the host has reported since the last look: reloads, restarts."""
        return self.host.events()

    def stop(self) -> None:
        if self._host is not None:
            self._host.stop()
        if self._engine is not None:
            self._engine.stop()
        self._cleanup.close()

    def _options_of_engine(self, bundle: Bundle, socket: Path) -> list[str]:
        options: list[str | Path] = ["--socket", socket, "--state", self.state / "engine"]
        options += ["--computer", bundle.computer]
        if self._image_root is not None:
            options += ["--image-root", self._image_root]
        if self._unsandboxed:
            options.append("--unsandboxed")
        return list(map(str, options))

    def _start_engine(self) -> Child:
        command = [sys.executable, "-m", "local.engine", *self._engine_options]
        env = {**os.environ, "PYTHONPATH": str(self._root)}
        log = self.state / "logs/engine.log"
        engine = Child("the container engine", command, log=log, env=env, echo=self._echo)
        try:
            engine.next_line(time.monotonic() + ENGINE_SECONDS)
        except ChildError as error:
            engine.kill()
            raise StackError(f"{error}: {_last_line(log)}") from error
        return engine

    def _host_config(self, bundle: Bundle, socket: Path) -> worker_config.HostConfig:
        kept = {
            "BERTH_LOCAL_TOKEN": self.token,
            "BERTH_KEY_ENCRYPTION_KEYS": f"local:{self._kept('key-encryption-key', new_sealing_key)}",
            "BERTH_VAPID_KEY": self._kept("vapid-key", new_vapid_key),
            "BERTH_VAPID_SUBJECT": VAPID_SUBJECT,
        }
        config = worker_config.read(self._root / "wrangler.toml").with_vars({**kept, **self._vars})
        return replace(
            config,
            state=str(self.state / "worker"),
            cache=str(self._root / ".berth/cache"),
            bundle=str(bundle.worker_archive),
            modules=tuple(map(str, bundle.modules)),
            packages=str(bundle.packages_archive),
            host_files=str(bundle.host_archive),
            port=self._port,
            engine_socket=str(socket),
            outside=self._outside,
            faults=self._faults,
            watch=self._watch,
            homes=worker_homes(self._root),
        )

    def _kept(self, name: str, make: Callable[[], str]) -> str:
        """A key of this deployment: made once and kept with the state, for its user alone to read.

        It lies beside what it protects: whoever can read the whole folder can read what it seals as well.
        """
        file = self.state / name
        if not file.exists():
            made = self.state / f"{name}.new"
            made.touch(mode=0o600)
            made.write_text(make())
            made.replace(file)
        return file.read_text()

    def _lock(self) -> None:
        """Keep others off the state folder for as long as this process lives."""
        self.state.mkdir(parents=True, exist_ok=True)
        lock = self._cleanup.enter_context((self.state / "lock").open("w"))
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"another Berth is running on {self.state}; stop it or give another --state"
            raise StackError(message) from None

    def _socket_path(self) -> Path:
        path = self.state / "engine.sock"
        if len(os.fsencode(path)) <= SOCKET_PATH_BYTES:
            return path
        folder = self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="berth-"))
        return Path(folder) / "engine.sock"


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return lines[-1] if lines else "it said nothing"
