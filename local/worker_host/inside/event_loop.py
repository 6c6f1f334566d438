"""A ready queue for Pyodide's event loop.

Pyodide hands every `call_soon` to JavaScript by itself: a proxy, a timer and two crossings each. Here the
callbacks wait in a deque and one microtask runs them all, in their order. A loop that never rests would keep
workerd from its input that way, so after a burst of rounds the rest goes through a timer.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import Any

import js
from pyodide.ffi import create_once_callable, create_proxy
from pyodide.webloop import WebLoop

ROUNDS_A_BURST = 200

_ready: deque[asyncio.Handle] = deque()
_scheduled = False
_draining = False


def install() -> None:
    """Make every loop of Pyodide use the queue."""
    global _schedule  # noqa: PLW0603 - JavaScript's function, known only once the runtime is up
    pump = create_proxy(_pump)

    def schedule() -> None:
        js.queueMicrotask(pump)

    _schedule = schedule
    WebLoop.call_soon = _call_soon


def _schedule() -> None:
    raise RuntimeError("the loop is not installed")


def _call_soon(
    loop: WebLoop, callback: Callable[..., Any], *args: Any, context: Context | None = None
) -> asyncio.Handle:
    global _scheduled  # noqa: PLW0603 - one queue per interpreter, which has one thread
    handle = asyncio.Handle(callback, args, loop, context=context)
    _ready.append(handle)
    if not _scheduled and not _draining:
        _scheduled = True
        _schedule()
    return handle


def drain() -> None:
    """Run what is ready, and what becomes ready by it, until nothing is or the burst is used up."""
    global _draining  # noqa: PLW0603 - as above
    if _draining:
        return
    _draining = True
    rounds = 0
    try:
        while _ready and rounds < ROUNDS_A_BURST:
            rounds += 1
            for _ in range(len(_ready)):
                handle = _ready.popleft()
                if not handle.cancelled():
                    handle._run()  # noqa: SLF001 - what every event loop does with its handles
    finally:
        _draining = False
        if _ready:
            _rest()


def _pump() -> None:
    global _scheduled  # noqa: PLW0603 - as above
    _scheduled = False
    drain()


def _rest() -> None:
    """Leave what is ready to a timer, so that input and output get their turn.

    The timer takes these callbacks with it: it belongs to the event that made it, and must not run
    callbacks that another event queues meanwhile.
    """
    global _ready
    waiting, _ready = _ready, deque()

    def resume() -> None:
        _ready.extendleft(reversed(waiting))
        drain()

    js.setTimeout(create_once_callable(resume), 0)
