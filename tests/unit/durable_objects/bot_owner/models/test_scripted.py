"""The recorded conversation: the next answer is the one behind those that were given."""

import pytest

from contracts.api import RecordedAnswer, RecordedCall
from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    ModelError,
    Part,
    ReasoningPart,
    TextPart,
)
from durable_objects.bot_owner.models.scripted import PIECE, ScriptedModel
from tests.unit.durable_objects.bot_owner.models.wired import question

CALL = RecordedCall(tool="computer__exec", arguments={"command": "ls"})
RECORDING = [
    RecordedAnswer(text="x" * (PIECE + 1), reasoning="hm", calls=[CALL, CALL]),
    RecordedAnswer(text="done"),
]


async def played(given: int) -> list[Part]:
    return [part async for part in ScriptedModel(RECORDING).answer(question(given=lambda: given))]


async def test_an_answer_is_played_in_pieces() -> None:
    first: list[Part] = [ReasoningPart("hm"), TextPart("x" * PIECE), TextPart("x")]
    call = CallPart("computer__exec", {"command": "ls"})
    assert await played(0) == [*first, call, call, EndPart()]


async def test_it_goes_on_behind_what_was_given_and_ends() -> None:
    assert await played(1) == [TextPart("done"), EndPart()]
    with pytest.raises(ModelError, match="over"):
        await played(2)
