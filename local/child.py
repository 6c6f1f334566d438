"""A child process that says on its standard output, one line at a time, how it is doing.

It leads a process group of its own, so that what it starts dies with it, and it is told to end when its
parent ends, however that happens. Its standard error goes to a log file, and to the terminal if wanted.
"""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

# A parent that was killed before setpriv had asked for the signal is looked for once, by its number.
_UNLESS_ORPHANED = ("sh", "-c", 'parent=$1; shift; [ "$PPID" = "$parent" ] && exec "$@"', "sh")


class ChildError(Exception):
    """A child process did not come up, or ended by itself."""


class Child:
    """One running process."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        log: Path,
        env: Mapping[str, str] | None = None,
        echo: bool = False,
    ) -> None:
        self.name = name
        self._log = log
        self._echo = echo
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        log.parent.mkdir(parents=True, exist_ok=True)
        # setpriv: a parent that is killed leaves nobody behind. To the kernel the parent is the thread that
        # is here now: it has to be one that lives as long as the child is wanted.
        self._process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", "--", *_UNLESS_ORPHANED, str(os.getpid()), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=None if env is None else dict(env),
            start_new_session=True,
        )
        self._readers = [
            threading.Thread(target=read, args=(stream,), daemon=True)
            for read, stream in (
                (self._read_lines, self._process.stdout),
                (self._copy_log, self._process.stderr),
            )
        ]
        for reader in self._readers:
            reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def next_line(self, deadline: float) -> str:
        """Return its next line; a process that ends or stays silent beyond the deadline has failed."""
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise ChildError(f"{self.name} did not answer in time; its log is {self._log}") from None
        if line is None:
            self._process.wait()
            raise ChildError(f"{self.name} ended with {self._ending()}; its log is {self._log}")
        return line

    def drain(self) -> list[str]:
        """Return the lines that have come and were not looked at."""
        lines: list[str] = []
        while not self._lines.empty():
            if (line := self._lines.get()) is not None:
                lines.append(line)
        return lines

    def write_line(self, line: str) -> None:
        """Say something to it on its standard input."""
        if self._process.stdin is not None:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()

    def close_stdin(self) -> None:
        """Let it see what it would see if this process were gone."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def stop(self, grace_seconds: float = 30.0) -> None:
        """Ask it to end, then make it."""
        if self.running:
            self._process.terminate()
            try:
                self._process.wait(grace_seconds)
            except subprocess.TimeoutExpired:
                sys.stderr.write(f"{self.name} did not stop in {grace_seconds:.0f} s and is killed\n")
        self.kill()

    def kill(self) -> None:
        """Kill it and everything in its process group."""
        with contextlib.suppress(ProcessLookupError):  # nobody of the group is left
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for reader in self._readers:
            reader.join(timeout=5)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _ending(self) -> str:
        code = self._process.returncode
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def _read_lines(self, stream: IO[bytes]) -> None:
        for line in stream:
            self._lines.put(line.decode(errors="replace").rstrip("\n"))
        self._lines.put(None)

    def _copy_log(self, stream: IO[bytes]) -> None:
        with self._log.open("ab", buffering=0) as log:
            while chunk := os.read(stream.fileno(), 65536):
                log.write(chunk)
                if self._echo:
                    sys.stderr.buffer.write(chunk)
                    sys.stderr.flush()
