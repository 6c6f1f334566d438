"""A computer for tests: a container that refuses what the real one refuses, and a service inside it.

The service speaks computerd's frames and, like it, never runs an id twice in one boot. A test
decides what each command does and when the machine or the connection breaks.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from typing import Any

from durable_objects.bot_computer.container import ContainerError
from durable_objects.bot_computer.follow import UnreachableError

Say = Callable[[dict[str, Any]], None]


class Run:
    """One command in the machine: what it said, and whether it has ended."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.frames: list[dict[str, Any]] = []
        self.news = asyncio.Event()
        self.ended = False

    def say(self, frame: dict[str, Any]) -> None:
        self.frames.append(frame)
        self.ended = self.ended or frame["type"] == "exited"
        self.news.set()

    @property
    def end(self) -> int:
        return next((f["end"] for f in reversed(self.frames) if f["type"] == "output"), 0)

    def out(self, text: str) -> None:
        start = self.end
        end = start + len(text.encode())
        self.say({"type": "output", "stream": "stdout", "offset": start, "end": end, "text": text})

    def exit(self, code: int = 0, **more: Any) -> None:
        self.say({"type": "exited", "exit_code": code, "signal": None, "duration_ms": 1, **more})


class FakeMachine:
    """Container and Wire in one: what runs in the container dies with it."""

    def __init__(self) -> None:
        self.running = False
        self.image: str | None = "image-1"
        self.files: dict[str, bytes] = {}
        """What lies in the workspace."""
        self.snapshots_kept: dict[str, dict[str, bytes]] = {}
        self.refused_snapshots: set[str] = set()
        self.hang_snapshots = False
        self.starts: list[str | None] = []
        self.snapshots = 0
        self.attached = 0
        self.kept: list[int] = []
        self.boots = 0
        self.runs: dict[str, Run] = {}
        self.executed: list[str] = []
        self.refuse_start = False
        self.die_at_start = False
        self.deaf = False
        self.read = 0
        """Bytes of frames that were given to readers."""
        self.refuse_snapshot = False
        self.slow_start: asyncio.Event | None = None
        self.slow_snapshot: asyncio.Event | None = None
        self.cut = asyncio.Event()
        self._gone = asyncio.Event()
        self.arrived = asyncio.Event()

    # the container

    async def start(self, snapshot: str | None) -> None:
        if self.running:
            raise ContainerError("start() on a running container")
        if self.refuse_start:
            raise ContainerError("no capacity")
        self.starts.append(snapshot)
        if snapshot and self.hang_snapshots:
            await asyncio.Event().wait()
        if snapshot in self.refused_snapshots:
            raise ContainerError("no such snapshot")
        self.files = dict(self.snapshots_kept[snapshot]) if snapshot else {}
        self.running = True
        self.boots += 1
        self._gone = asyncio.Event()
        if self.die_at_start:
            self.die()

    async def attach(self) -> None:
        if not self.running:
            raise ContainerError("not running")
        self.attached += 1

    async def keep(self, ms: int) -> None:
        if not self.running:
            raise ContainerError("not running")
        self.kept.append(ms)

    async def snapshot(self) -> str:
        if not self.running or self.refuse_snapshot:
            raise ContainerError("snapshot failed")
        if self.slow_snapshot:
            await self.slow_snapshot.wait()
        self.snapshots += 1
        name = f"snapshot-{self.snapshots}"
        self.snapshots_kept[name] = dict(self.files)
        return name

    async def destroy(self) -> None:
        self.die()

    async def gone(self) -> None:
        await self._gone.wait()

    def die(self) -> None:
        """The container vanishes with everything in it."""
        self.running = False
        self.runs = {}
        self.files = {}
        self._gone.set()
        self.break_connections()

    def break_connections(self) -> None:
        self.cut.set()
        self.cut = asyncio.Event()

    # the service

    async def boot(self) -> str:
        if self.slow_start and not self.slow_start.is_set():
            await self.slow_start.wait()
        if not self.running:
            raise UnreachableError("nothing listens")
        return f"boot-{self.boots}"

    async def stop(self, command_id: str) -> None:
        if self.deaf or command_id not in self.runs:
            raise UnreachableError("nothing listens")
        self.runs[command_id].exit(0, stopped=True)

    async def run(
        self, command_id: str, command: str, timeout_s: int, offset: int, tail: int | None
    ) -> AsyncGenerator[bytes, None]:
        if not self.running:
            raise UnreachableError("nothing listens")
        if command_id not in self.runs:
            self.runs[command_id] = Run(command)
            self.executed.append(command_id)
        self.arrived.set()
        run = self.runs[command_id]
        start = offset if tail is None else max(offset, run.end - tail)
        return self._stream(run, self.cut, offset, start)

    async def _stream(
        self, run: Run, cut: asyncio.Event, offset: int, start: int
    ) -> AsyncGenerator[bytes, None]:
        sent = 0
        broken = asyncio.ensure_future(cut.wait())
        try:
            if start > offset:
                yield json.dumps(_left_out(offset, start)).encode() + b"\n"
            while True:
                for frame in run.frames[sent:]:
                    if frame.get("end", start + 1) > start:
                        line = json.dumps(frame).encode() + b"\n"
                        self.read += len(line)
                        yield line
                sent = len(run.frames)
                if run.ended:
                    return
                run.news.clear()
                news = asyncio.ensure_future(run.news.wait())
                await asyncio.wait({news, broken}, return_when=asyncio.FIRST_COMPLETED)
                news.cancel()
                if broken.done():
                    raise UnreachableError("the connection broke")
        finally:
            broken.cancel()


def _left_out(offset: int, start: int) -> dict[str, Any]:
    text = f"\n[{start - offset} left out]\n"
    span = {"offset": offset, "end": start, "left_out": start - offset}
    return {"type": "output", "stream": "log", "text": text, **span}
