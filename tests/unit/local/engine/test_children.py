"""Pipes of children: their bytes arrive, and each descriptor is closed once."""

import os
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import uvloop

from local.engine.children import read_from, write_to

PIPES = 3_000
THREADS = 4


def on_a_loop_of_its_own(work: Coroutine[Any, Any, None]) -> None:
    """Run as the engine runs; here another loop is running already."""
    thread = threading.Thread(target=uvloop.run, args=(work,))
    thread.start()
    thread.join()


@contextmanager
def other_threads_opening_files() -> Iterator[list[OSError]]:
    """Yield what went wrong for threads that open files all the while."""
    wrong: list[OSError] = []
    done = threading.Event()

    def open_files() -> None:
        while not done.is_set():
            try:
                os.close(os.open(os.devnull, os.O_RDONLY))
            except OSError as error:
                wrong.append(error)

    threads = [threading.Thread(target=open_files) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    try:
        yield wrong
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_the_end_of_a_pipe_closes_no_descriptor_of_another_thread() -> None:
    seen = []

    async def read_pipes() -> None:
        for _ in range(PIPES):
            reading, writing = os.pipe()
            os.write(writing, b"x")
            os.close(writing)
            seen.append(await (await read_from(reading)).read())

    with other_threads_opening_files() as wrong:
        on_a_loop_of_its_own(read_pipes())
    assert seen == [b"x"] * PIPES
    assert wrong == []


def test_a_writer_that_is_closed_ends_the_pipe() -> None:
    seen = []

    async def write_and_read() -> None:
        reading, writing = os.pipe()
        writer = await write_to(writing)
        writer.write(b"all of it")
        writer.close()
        seen.append(await (await read_from(reading)).read())

    on_a_loop_of_its_own(write_and_read())
    assert seen == [b"all of it"]
