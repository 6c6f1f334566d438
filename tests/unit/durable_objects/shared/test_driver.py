"""The driver: one task a key, faults kept to their own key, joining with a limit."""

import asyncio

from durable_objects.shared.driver import Driver


async def test_a_key_is_driven_once_however_often_it_is_started() -> None:
    driven: list[str] = []
    gate = asyncio.Event()

    async def drive(key: str) -> None:
        driven.append(key)
        await gate.wait()

    driver = Driver(drive, driven.append)
    for _ in range(3):
        driver.start("a")
    driver.start("b")
    gate.set()
    await driver.join(5)
    assert driven == ["a", "b"]


async def test_a_fault_is_reported_for_its_key_and_the_others_go_on() -> None:
    done: list[str] = []
    broken: list[str] = []

    async def drive(key: str) -> None:
        if key == "bad":
            raise RuntimeError("fault")
        done.append(key)

    driver = Driver(drive, broken.append)
    driver.start("bad")
    driver.start("good")
    await driver.join(5)
    assert (done, broken) == (["good"], ["bad"])


async def test_joining_gives_up_after_its_time_and_leaves_the_task_running() -> None:
    gate = asyncio.Event()
    done: list[str] = []

    async def drive(key: str) -> None:
        await gate.wait()
        done.append(key)

    driver = Driver(drive, done.append)
    driver.start("a")
    await driver.join(0.01)
    assert done == []
    gate.set()
    await driver.join(5)
    assert done == ["a"]


async def test_what_is_started_while_joining_is_waited_for_too() -> None:
    done: list[str] = []

    async def drive(key: str) -> None:
        if key == "first":
            driver.start("second")
        done.append(key)

    driver = Driver(drive, done.append)
    driver.start("first")
    await driver.join(5)
    assert done == ["first", "second"]
