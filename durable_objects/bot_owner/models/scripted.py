"""The `scripted` model: plays a recorded conversation, for demonstrations and tests.

The next answer is the one behind as many as the thread has already, so it does not matter what the person
says, and a question that is asked again gets the same answer. What Berth asks for by itself, such as a look
at the present state before a run ends, is an answer of the recording like any other. Text comes in pieces,
as from a model.
"""

from collections.abc import AsyncGenerator, Sequence

from contracts.api import RecordedAnswer
from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    ModelError,
    Part,
    Question,
    ReasoningPart,
    TextPart,
)

PIECE = 24


class ScriptedModel:
    reads_results = True
    reads_history = False

    def __init__(self, recording: Sequence[RecordedAnswer]) -> None:
        self._recording = recording

    async def answer(self, question: Question) -> AsyncGenerator[Part, None]:
        given = question.given()
        if given >= len(self._recording):
            raise ModelError("recording_over")
        answer = self._recording[given]
        for start in range(0, len(answer.reasoning), PIECE):
            yield ReasoningPart(answer.reasoning[start : start + PIECE])
        for start in range(0, len(answer.text), PIECE):
            yield TextPart(answer.text[start : start + PIECE])
        for call in answer.calls:
            yield CallPart(call.tool, dict(call.arguments))
        yield EndPart()
