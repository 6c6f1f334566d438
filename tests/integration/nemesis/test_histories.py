"""A fixed set of random histories under faults; `./berth soak` runs others for as long as it is told.

They share one stack, each with owners of its own.
"""

import asyncio

import pytest

from local.stack import LocalStack
from tests.integration.egress.outside import Outside
from tests.integration.nemesis.checkers import problems
from tests.integration.nemesis.runner import LONG, QUICK, planned, run_history

SEEDS = (11, 34, 69)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", SEEDS)
async def test_a_history_keeps_every_promise(faulty_stack: LocalStack, outside: Outside, seed: int) -> None:
    history = await run_history(faulty_stack, outside, seed, QUICK)
    found = problems(history)
    assert not found, "\n".join([*found, history.told(), f"again: ./berth soak --minutes 2 --seed {seed}"])
    assert len(history.faults) == QUICK.faults


def test_a_seed_is_always_the_same_plan() -> None:
    assert planned(7, LONG) == planned(7, LONG)
    assert planned(7, LONG) != planned(8, LONG)
    assert asyncio.iscoroutinefunction(planned(7, LONG).faults[0][1])
