"""Tasks that wait for descriptors, bells, moments and threads."""

import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from computerd.loop import Bell, Loop

Body = Callable[[Loop], Coroutine[Any, Any, None]]


def run(body: Body) -> Loop:
    loop = Loop()

    async def main() -> None:
        try:
            await body(loop)
        finally:
            loop.stop()

    loop.spawn(main())
    loop.run()
    return loop


def test_a_descriptor_wakes_who_waits_for_it() -> None:
    seen: list[object] = []

    async def body(loop: Loop) -> None:
        read, write = os.pipe()
        seen.append(await loop.readable(read, 0.01))
        seen.append(await loop.writable(write))
        os.write(write, b"x")
        seen.append(await loop.readable(read))
        seen.append(os.read(read, 10))
        os.close(write)
        seen.append(await loop.readable(read))
        seen.append(os.read(read, 10))
        loop.forget(read)
        os.close(read)

    run(body)
    assert seen == [False, True, True, b"x", True, b""]


def test_a_bell_wakes_everybody_and_remembers_nothing() -> None:
    seen = []

    async def body(loop: Loop) -> None:
        bell = Bell(loop)
        bell.ring()

        async def listener(name: str) -> None:
            seen.append((name, await bell.heard(5)))

        loop.spawn(listener("a"))
        loop.spawn(listener("b"))
        await loop.breathe()
        bell.ring()
        await loop.breathe()
        seen.append(("c", await bell.heard(0.01)))
        assert bell.listeners == []

    run(body)
    assert seen == [("a", True), ("b", True), ("c", False)]


def test_deadlines_fire_in_their_order_and_old_ones_are_forgotten() -> None:
    seen = []

    async def body(loop: Loop) -> None:
        bell = Bell(loop)

        async def waiter(name: str, seconds: float) -> None:
            await loop.sleep(seconds)
            seen.append(name)

        async def rung() -> None:
            for _ in range(1000):
                await bell.heard(60)
            seen.append("rung")

        loop.spawn(waiter("late", 0.06))
        loop.spawn(waiter("early", 0.02))
        loop.spawn(rung())
        for _ in range(1001):
            await loop.breathe()
            bell.ring()
        await loop.sleep(0.1)
        assert len(loop._timers) < 10

    run(body)
    # Who was rung a thousand times may have taken longer than the first deadline.
    assert [name for name in seen if name != "rung"] == ["early", "late"]
    assert "rung" in seen


def test_a_later_deadline_after_an_early_one_is_kept() -> None:
    seen = []

    async def body(loop: Loop) -> None:
        bell = Bell(loop)
        loop.spawn(ring_after(loop, bell, 0.02))
        began = loop.clock()
        assert await bell.heard(1.0)
        assert not await bell.heard(1.1)
        seen.append(loop.clock() - began >= 1.11)

    run(body)
    assert seen == [True]


async def ring_after(loop: Loop, bell: Bell, seconds: float) -> None:
    await loop.sleep(seconds)
    bell.ring()


def test_a_cancelled_task_ends_where_it_waits() -> None:
    seen = []

    async def body(loop: Loop) -> None:
        read, write = os.pipe()

        async def waiting() -> None:
            try:
                await loop.readable(read)
            finally:
                seen.append("ended")

        task = loop.spawn(waiting())
        await loop.breathe()
        loop.cancel(task)
        loop.cancel(task)
        os.write(write, b"x")
        await loop.sleep(0.01)
        loop.forget(read)
        os.close(read)
        os.close(write)

    run(body)
    assert seen == ["ended"]


def test_a_task_that_fails_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, _error, _trace: reported.append(kind))
    seen = []

    async def body(loop: Loop) -> None:
        async def failing() -> None:
            raise ZeroDivisionError

        loop.spawn(failing())
        await loop.breathe()
        seen.append("alive")

    run(body)
    assert (reported, seen) == ([ZeroDivisionError], ["alive"])


def test_a_thread_holds_up_nobody_and_its_error_arrives() -> None:
    seen: list[object] = []

    async def body(loop: Loop) -> None:
        gate_read, gate_write = os.pipe()

        async def other() -> None:
            seen.append("other")
            os.write(gate_write, b"x")

        def blocking() -> None:
            seen.append(os.read(gate_read, 1))
            raise OSError(28, "full")

        loop.spawn(other())
        with pytest.raises(OSError, match="full"):
            await loop.in_thread(blocking)
        os.close(gate_read)
        os.close(gate_write)

    run(body)
    assert sorted(map(str, seen)) == ["b'x'", "other"]


def test_only_a_task_can_wait() -> None:
    with pytest.raises(RuntimeError):
        Loop().sleep(1).send(None)
