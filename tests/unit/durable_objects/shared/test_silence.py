"""The limit on silence, and that it stays with one timer."""

import asyncio

import pytest

from durable_objects.shared.silence import silence_limit


async def test_silence_ends_the_block() -> None:
    with pytest.raises(TimeoutError):
        async with silence_limit(0.01):
            await asyncio.Event().wait()


async def test_whoever_is_heard_goes_on_with_one_timer_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    timers: list[float] = []
    now = 100.0
    real = loop.call_later

    def call_later(delay: float, *rest: object, **more: object) -> asyncio.TimerHandle:
        timers.append(delay)
        return real(3_600, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(loop, "call_later", call_later)
    monkeypatch.setattr(loop, "time", lambda: now)
    async with silence_limit(10) as heard:
        for _ in range(20_000):
            now += 0.001
            heard()
    assert timers == [10]


async def test_the_end_is_the_last_word_and_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    looks: list[tuple[float, object]] = []
    now = 100.0

    def call_later(delay: float, look: object) -> asyncio.TimerHandle:
        looks.append((delay, look))
        return asyncio.TimerHandle(now + delay, lambda: None, (), loop)

    monkeypatch.setattr(loop, "call_later", call_later)
    monkeypatch.setattr(loop, "time", lambda: now)

    async def hear_once() -> None:
        nonlocal now
        async with silence_limit(10) as heard:
            now = 104.0
            heard()
            now = 110.0
            looks[0][1]()  # type: ignore[operator]
            assert [delay for delay, _ in looks] == [10, 4.0]
            now = 114.0
            looks[1][1]()  # type: ignore[operator]
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await hear_once()


async def test_a_block_that_is_heard_for_ever_ends_all_the_same() -> None:
    until = asyncio.get_running_loop().time() + 0.01

    async def hear_for_ever() -> None:
        async with silence_limit(60, until=until) as heard:
            while True:
                heard()
                await asyncio.sleep(0)

    with pytest.raises(TimeoutError):
        await hear_for_ever()
    assert asyncio.get_running_loop().time() >= until


async def test_an_error_of_the_block_is_its_own() -> None:
    with pytest.raises(ValueError, match="own"):
        async with silence_limit(60):
            raise ValueError("own")
