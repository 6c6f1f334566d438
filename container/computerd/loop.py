"""A small event loop: coroutines, epoll, deadlines.

asyncio would do the same with 8 MB more memory and 40 ms more start, which is most of what an
idle computer may cost. A task waits for one thing at a time: a file descriptor, a `Bell`, a
thread, or a moment. Waking is level-triggered and one-shot, so nothing is polled and no event
is lost. Everything runs in one thread; a function without `await` is never interrupted.
"""

from __future__ import annotations

import os
import select
import sys
import time
from _thread import start_new_thread
from collections import deque
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator


class _Suspend:
    def __await__(self) -> Generator[None, bool, bool]:
        return (yield)


_SUSPEND = _Suspend()


class Task:
    """A running coroutine and what it waits for."""

    __slots__ = ("bell", "coroutine", "deadline", "done", "fd", "timer")

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self.coroutine = coroutine
        self.fd = -1
        self.bell: Bell | None = None
        self.deadline: float | None = None
        self.timer: float | None = None
        self.done = False


class Bell:
    """Wakes everybody who listens; ringing with nobody there is forgotten."""

    __slots__ = ("listeners", "loop")

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.listeners: list[Task] = []

    def ring(self) -> None:
        heard, self.listeners = self.listeners, []
        for task in heard:
            task.bell = None
            self.loop.wake(task, True)

    async def heard(self, timeout: float | None = None) -> bool:
        """Wait for the next ring; False when `timeout` seconds passed without one."""
        task = self.loop.current
        task.bell = self
        self.listeners.append(task)
        self.loop.set_deadline(task, timeout)
        return await _SUSPEND


class Loop:
    """Runs tasks until `stop`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._epoll = select.epoll()
        self._known: set[int] = set()
        self._waiting: dict[int, Task] = {}
        self._ready: deque[tuple[Task, bool | None]] = deque()
        self._timers: list[tuple[float, int, Task]] = []
        self._count = 0
        self._running = False
        self._current: Task | None = None

    @property
    def current(self) -> Task:
        if self._current is None:
            raise RuntimeError("only a task of the loop can wait")
        return self._current

    def spawn(self, coroutine: Coroutine[Any, Any, None]) -> Task:
        task = Task(coroutine)
        # A coroutine that has not begun takes nothing but None.
        self._ready.append((task, None))
        return task

    def cancel(self, task: Task) -> None:
        """End a task where it waits; its `finally` blocks run."""
        if task.done:
            return
        task.done = True
        self._leave(task)
        task.coroutine.close()

    def stop(self) -> None:
        self._running = False

    def run(self) -> None:
        self._running = True
        while self._running:
            # Only what is ready now: tasks that make each other ready may not starve the rest.
            for _ in range(len(self._ready)):
                task, value = self._ready.popleft()
                if not task.done:
                    self._step(task, value)
            self._poll()

    async def readable(self, fd: int, timeout: float | None = None) -> bool:
        return await self._wait_fd(fd, select.EPOLLIN | select.EPOLLRDHUP, timeout)

    async def writable(self, fd: int, timeout: float | None = None) -> bool:
        return await self._wait_fd(fd, select.EPOLLOUT, timeout)

    async def sleep(self, seconds: float) -> None:
        self.set_deadline(self.current, seconds)
        await _SUSPEND

    async def breathe(self) -> None:
        """Let everybody else have a turn."""
        self._ready.append((self.current, True))
        await _SUSPEND

    async def in_thread(self, function: Callable[[], None]) -> None:
        """Run a function that may block for long, such as fsync, and raise what it raises."""
        finished = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        raised: list[Exception] = []

        def body() -> None:
            try:
                function()
            except Exception as error:  # noqa: BLE001 - it is raised again where it is waited for
                raised.append(error)
            os.eventfd_write(finished, 1)

        start_new_thread(body, ())
        await self.readable(finished)
        self.forget(finished)
        os.close(finished)
        if raised:
            raise raised[0]

    def forget(self, fd: int) -> None:
        """Must come before a descriptor that was waited for is closed."""
        if fd in self._known:
            self._known.discard(fd)
            self._waiting.pop(fd, None)
            self._epoll.unregister(fd)

    def wake(self, task: Task, value: bool) -> None:
        task.deadline = None
        self._ready.append((task, value))

    def set_deadline(self, task: Task, timeout: float | None) -> None:
        if timeout is None:
            task.deadline = None
            return
        task.deadline = when = self.clock() + timeout
        # One timer a task is enough: one that fires early is set again for the deadline.
        if task.timer is None or task.timer > when:
            task.timer = when
            self._count += 1
            heappush(self._timers, (when, self._count, task))

    async def _wait_fd(self, fd: int, events: int, timeout: float | None) -> bool:
        task = self.current
        task.fd = fd
        self._waiting[fd] = task
        if fd in self._known:
            self._epoll.modify(fd, events | select.EPOLLONESHOT)
        else:
            self._epoll.register(fd, events | select.EPOLLONESHOT)
            self._known.add(fd)
        self.set_deadline(task, timeout)
        return await _SUSPEND

    def _leave(self, task: Task) -> None:
        if task.fd >= 0:
            self._waiting.pop(task.fd, None)
            task.fd = -1
        if task.bell is not None:
            task.bell.listeners.remove(task)
            task.bell = None
        task.deadline = None

    def _step(self, task: Task, value: bool | None) -> None:
        self._current = task
        try:
            task.coroutine.send(value)
        except StopIteration:
            task.done = True
        except Exception as error:  # noqa: BLE001 - the border: one task fails alone, and is reported
            task.done = True
            self.report(error)
        finally:
            self._current = None

    def report(self, error: Exception) -> None:
        """The border: a task that fails ends alone, and the operator's log says how."""
        sys.excepthook(type(error), error, error.__traceback__)

    def _poll(self) -> None:
        timeout: float = -1
        if self._ready or not self._running:
            timeout = 0
        elif self._timers:
            timeout = max(0.0, self._timers[0][0] - self.clock())
        for fd, _events in self._epoll.poll(timeout):
            task = self._waiting.pop(fd, None)
            if task is not None:
                task.fd = -1
                self.wake(task, True)
        if self._timers:
            self._fire(self.clock())

    def _fire(self, now: float) -> None:
        while self._timers and self._timers[0][0] <= now:
            when, _, task = heappop(self._timers)
            if task.timer == when:
                task.timer = None
            if task.deadline is None or task.done:
                continue
            if task.deadline > now:
                self.set_deadline(task, task.deadline - now)
                continue
            self._leave(task)
            self._ready.append((task, False))
