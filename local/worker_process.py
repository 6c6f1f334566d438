"""The Worker host as a process: started from a configuration, asked for its address, stopped or killed."""

import itertools
import json
import os
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from local.child import Child, ChildError
from local.toolchain import node_binary
from local.worker_config import HostConfig

READY_SECONDS = 180.0
RELOAD_SECONDS = 120.0
HEAP_SECONDS = 60.0
ORDER_SECONDS = 120.0

Events = Callable[[Mapping[str, Any]], None]


class HostError(Exception):
    """The Worker host did not come up, or ended; the message says why."""


@dataclass(frozen=True)
class Ready:
    """What the host says when it serves."""

    url: str
    heap_mb: int

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])


class WorkerHost:
    """One Worker on one port, which it keeps when it is started again."""

    def __init__(self, config: HostConfig, *, root: Path, log: Path, echo: bool = False) -> None:
        self._config = config
        self._root = root
        self._log = log
        self._echo = echo
        self._child: Child | None = None
        self._orders = itertools.count(1)

    @property
    def child(self) -> Child:
        if self._child is None:
            raise HostError("the Worker host has not been started")
        return self._child

    @property
    def running(self) -> bool:
        return self._child is not None and self._child.running

    def start(self, events: Events = lambda _event: None) -> Ready:
        if not self._config.is_closed_enough:
            raise HostError(
                "with the sign-in `local` nobody outside this machine may reach it,"
                f" and {self._config.host} is no loopback address"
            )
        state = Path(self._config.state)
        state.mkdir(parents=True, exist_ok=True)
        file = state / "host.json"
        # It holds what the Worker knows as secrets.
        file.touch(mode=0o600)
        file.write_text(json.dumps(self._config.as_json(), indent=2))
        script = self._root / "local/worker_host/host.mjs"
        command = [str(node_binary(self._root)), str(script), str(file)]
        self._child = Child("the Worker host", command, log=self._log, echo=self._echo)
        event = self._await("ready", READY_SECONDS, events)
        ready = Ready(event["url"], event["heap_mb"])
        self._config = replace(self._config, port=ready.port)
        return ready

    def await_reload(self) -> Mapping[str, Any]:
        """Wait until it has taken a changed bundle, or failed to."""
        return self._await("reloaded", RELOAD_SECONDS)

    def await_restart(self) -> Mapping[str, Any]:
        """Wait until it has started a workerd that had ended by itself."""
        return self._await("restarted", RELOAD_SECONDS)

    def heap_bytes(self) -> int:
        """Ask for the memory of Python in the Worker, which never shrinks: the most that it has needed."""
        os.kill(self.child.pid, signal.SIGUSR2)
        return int(self._await("heap_bytes", HEAP_SECONDS)["heap_bytes"])

    def order(self, what: str, **more: Any) -> dict[str, Any]:
        """Have a host that was started with `faults` do something to its Worker, and return its answer."""
        number = next(self._orders)
        self.child.write_line(json.dumps({"do": what, "number": number, **more}))
        deadline = time.monotonic() + ORDER_SECONDS
        while True:
            event = self._next(deadline)
            if event.get("order") == number:
                if "error" in event:
                    raise HostError(f"{what}: {event['error']}")
                return event

    def events(self) -> list[dict[str, Any]]:
        """Return what it has reported since the last look."""
        return [json.loads(line) for line in self.child.drain()]

    def stop(self) -> None:
        if self._child is not None:
            self._child.stop()

    def kill(self) -> None:
        """Kill it and workerd, as a crash would."""
        self.child.kill()

    def _await(self, key: str, seconds: float, events: Events = lambda _event: None) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while True:
            event = self._next(deadline)
            events(event)
            if "failed" in event:
                raise HostError(f"the Worker did not start: {event['failed']}")
            if key in event:
                return event

    def _next(self, deadline: float) -> dict[str, Any]:
        try:
            event: dict[str, Any] = json.loads(self.child.next_line(deadline))
        except ChildError as error:
            raise HostError(str(error)) from error
        return event
