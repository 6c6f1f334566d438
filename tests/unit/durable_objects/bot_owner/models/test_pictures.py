"""Which pictures of a conversation a model is shown: the newest, within a number and within bytes."""

import pytest

from contracts.limits import PICTURES_A_QUESTION, PICTURES_BYTES_A_QUESTION
from durable_objects.bot_owner.conversation import Turn, UserTurn
from durable_objects.bot_owner.models.pictures import newest
from tests.unit.durable_objects.bot_owner.models.wired import looked, question


async def shown(count: int, size: int = 3) -> list[int]:
    async def stored(_key: str) -> bytes:
        return b"x" * size

    history: list[Turn] = [UserTurn("look", 1), *(looked(number) for number in range(count))]
    found = await newest(question(history, stored), history)
    return [number for number in range(count) if f"call_{number}" in found]


@pytest.mark.parametrize(("count", "first"), [(0, 0), (8, 0), (9, 4), (12, 4), (13, 8), (16, 8)])
async def test_the_oldest_are_left_out_four_at_a_time(count: int, first: int) -> None:
    assert PICTURES_A_QUESTION == 8
    assert await shown(count) == list(range(first, count))


async def test_together_they_have_no_more_bytes_than_the_limit() -> None:
    half = PICTURES_BYTES_A_QUESTION // 2
    assert await shown(3, half) == [1, 2]
    assert await shown(3, half + 1) == [2]
