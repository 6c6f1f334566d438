"""A stand-in that answers while a test of the browser waits: Playwright has the test's own loop."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager

from tests.browser.browsing import PATIENCE_MS


@contextmanager
def serving(served: AbstractAsyncContextManager[str]) -> Iterator[str]:
    """The stand-in's address, while it is served from a thread of its own."""
    ready: list[str] = []
    up, down = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with served as url:
            ready.append(url)
            up.set()
            await down.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert up.wait(PATIENCE_MS / 1000)
        yield ready[0]
    finally:
        loop.call_soon_threadsafe(down.set)
        thread.join()
        loop.close()
