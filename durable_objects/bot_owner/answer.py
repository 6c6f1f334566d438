"""One answer of a model as it comes: shown live in frames of a useful size, and whole at its end."""

import asyncio
import logging
from contextlib import aclosing
from dataclasses import replace

from contracts.errors import ErrorCode
from contracts.events import PartDelta, PartDeltaData, ReasoningDelta
from contracts.limits import (
    CALLS_A_ROUND,
    MESSAGE_BYTES_MAX,
    MESSAGE_CHARACTERS_MAX,
    MODEL_TRIES,
    REASONING_CHARACTERS,
)
from contracts.reasons import Why
from contracts.texts import written_bytes
from durable_objects.bot_owner.envelope import blank
from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    Model,
    ModelError,
    Part,
    Question,
    ReasoningPart,
    TextPart,
)
from durable_objects.bot_owner.tails import Live
from durable_objects.shared.sql import Row
from telemetry.counters import count
from telemetry.spans import span

log = logging.getLogger(__name__)

DELTA_CHARACTERS = 1_000
NOTHING = {
    "length": (ErrorCode.MODEL_UNAVAILABLE, "model_cut"),
    "declined": (ErrorCode.MODEL_DECLINED, "model_declined"),
}


class Answer:
    """`ids` are those of its message and of its reasoning; `attempt` tells it from one that was cut short."""

    def __init__(self, live: Live, run: Row, ids: tuple[str, str], attempt: int) -> None:
        self.message_id, self.reasoning_id = ids
        self.calls: list[CallPart] = []
        self.end = EndPart()
        self._cut = False
        self._written = 0
        self._text = DeltaWriter(live, run, self.message_id, attempt, PartDelta)
        self._reasoning = DeltaWriter(live, run, self.reasoning_id, attempt, ReasoningDelta)

    @property
    def text(self) -> str:
        """What it says. Blank text says nothing, and providers refuse it in what they are sent."""
        text = self._text.text()
        return "" if blank(text) else text

    @property
    def reasoning(self) -> str:
        return self._reasoning.text()

    @property
    def begun(self) -> bool:
        return bool(self._text.length or self._reasoning.length or self.calls)

    def add(self, part: Part) -> None:
        """Take a part. Raises ModelError where there are too many calls."""
        match part:
            case TextPart(text):
                self._reasoning.flush()
                self._say(text)
            case ReasoningPart(text):
                # What is past the limit is not kept either.
                if self._reasoning.length <= REASONING_CHARACTERS:
                    self._reasoning.add(text)
            case CallPart():
                self.calls.append(part)
                if len(self.calls) > CALLS_A_ROUND:
                    raise ModelError(Why("model_many_calls", most=CALLS_A_ROUND), started=True)
            case EndPart():
                self.end = part

    def _say(self, text: str) -> None:
        """What is more than a message may be is left out."""
        fitting = text[: MESSAGE_CHARACTERS_MAX - self._text.length]
        self._written += written_bytes(fitting)
        if self._cut or self._written > MESSAGE_BYTES_MAX:
            fitting = ""
        self._cut = self._cut or fitting != text
        self._text.add(fitting)

    def broken_off(self) -> None:
        """Nobody waits for the rest: what was said stays, no call of it is made."""
        self.calls = []
        self.end = EndPart()

    def finished(self) -> None:
        """It is complete. Raises ModelError where it ended without a word and not by itself."""
        self._reasoning.flush()
        self._text.flush()
        if self._cut:
            self.end = replace(self.end, stop="length")
        if self.end.stop in NOTHING and not self.text and not self.calls:
            code, reason = NOTHING[self.end.stop]
            raise ModelError(reason, code=code, started=True)


async def write(model: Model, question: Question, answer: Answer) -> None:
    """Have the model write the answer; it is asked again with a pause where nothing had begun.

    Raises ModelError.
    """
    for attempt in range(1, MODEL_TRIES + 1):
        try:
            with span("model", "client", attempt=attempt):
                async with aclosing(model.answer(question)) as parts:
                    async for part in parts:
                        answer.add(part)
                answer.finished()
            count("model_answers", outcome="ok")
        except ModelError as error:
            count("model_answers", outcome=error.code)
            if not error.may_retry or answer.begun or attempt == MODEL_TRIES:
                raise
            log.warning("model try %d failed as %s", attempt, error.code)
            await asyncio.sleep(error.pause_s(attempt))
        else:
            return


class DeltaWriter:
    """Joins the pieces of a text into live frames; the first goes out at once."""

    def __init__(
        self,
        live: Live,
        run: Row,
        message_id: str,
        attempt: int,
        frame: type[PartDelta | ReasoningDelta],
    ) -> None:
        self._live = live
        self._run = run
        self._message_id = message_id
        self._attempt = attempt
        self._frame = frame
        self._pieces: list[str] = []
        self._waiting: list[str] = []
        self._shown = 0
        self.length = 0

    def text(self) -> str:
        return "".join(self._pieces)

    def add(self, text: str) -> None:
        if not text:
            return
        self._pieces.append(text)
        self._waiting.append(text)
        self.length += len(text)
        if not self._shown or self.length - self._shown >= DELTA_CHARACTERS or "\n" in text:
            self.flush()

    def flush(self) -> None:
        piece = "".join(self._waiting)
        if not piece:
            return
        # Fewer and larger: an answer may come in very many.
        self._pieces[len(self._pieces) - len(self._waiting) :] = [piece]
        self._waiting = []
        data = PartDeltaData(
            message_id=self._message_id,
            run_id=self._run["id"],
            attempt=self._attempt,
            offset=self._shown,
            text=piece,
        )
        self._shown += len(piece)
        self._live(self._run["thread_id"], self._frame(data=data))
