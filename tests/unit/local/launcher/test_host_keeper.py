"""A host that ends is started again on the spot, and given up when it ends again and again."""

from pathlib import Path
from typing import Any

import pytest

from local.launcher.host_keeper import QUICK_DEATHS, QUICK_SECONDS, HostKeeper
from local.stack import StackError


class Stack:
    """A host that ends when the test says so, and whose next starts may fail."""

    state = Path("/state")

    def __init__(self) -> None:
        self.now = 0.0
        self.running = True
        self.failing = 0
        self.starts = 0

    @property
    def host(self) -> "Stack":
        return self

    def revive_host(self) -> None:
        self.starts += 1
        if self.failing:
            self.failing -= 1
            raise StackError("the Worker did not start")
        self.running = True

    def die_after(self, seconds: float) -> None:
        self.now += seconds
        self.running = False


@pytest.fixture
def stack() -> Stack:
    return Stack()


@pytest.fixture
def keeper(stack: Any) -> HostKeeper:
    return HostKeeper(stack, lambda: stack.now)


def test_one_that_runs_is_left_alone(stack: Stack, keeper: HostKeeper) -> None:
    assert not keeper.look()
    assert stack.starts == 0


def test_one_that_ended_serves_again_after_one_look(stack: Stack, keeper: HostKeeper) -> None:
    stack.die_after(1)
    assert keeper.look()
    assert not keeper.look()
    assert stack.starts == 1


def test_one_that_dies_now_and_then_is_never_given_up(stack: Stack, keeper: HostKeeper) -> None:
    for _ in range(3 * QUICK_DEATHS):
        stack.die_after(QUICK_SECONDS)
        assert keeper.look()


def test_a_longer_life_makes_up_for_short_ones(stack: Stack, keeper: HostKeeper) -> None:
    for _ in range(3):
        for _ in range(QUICK_DEATHS - 1):
            stack.die_after(1)
            assert keeper.look()
        stack.die_after(QUICK_SECONDS)
        assert keeper.look()


def test_one_that_dies_at_once_each_time_is_given_up_with_the_place_of_its_log(
    stack: Stack, keeper: HostKeeper
) -> None:
    for _ in range(QUICK_DEATHS - 1):
        stack.die_after(1)
        assert keeper.look()
    stack.die_after(1)
    with pytest.raises(StackError, match=r"ended 5 times .* its log is /state/logs/host\.log$"):
        keeper.look()
    assert stack.starts == QUICK_DEATHS - 1


def test_a_start_that_fails_is_tried_again_at_the_next_look(stack: Stack, keeper: HostKeeper) -> None:
    stack.failing = 2
    stack.die_after(60)
    assert not keeper.look()
    assert not keeper.look()
    assert keeper.look()


def test_starts_that_fail_are_given_up(stack: Stack, keeper: HostKeeper) -> None:
    stack.failing = 100
    stack.die_after(60)
    for _ in range(QUICK_DEATHS):
        assert not keeper.look()
    with pytest.raises(StackError):
        keeper.look()
    assert stack.starts == QUICK_DEATHS
