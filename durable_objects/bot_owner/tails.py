"""The live tail of what is under way, so that somebody who comes late sees it at once.

Kept in memory only, the last 64 Ki characters of each: a hint like every live frame. When this
object loses its memory the tail begins anew, and the persisted event still holds the whole.
"""

from typing import Protocol

from contracts.events import PartDelta, PartDeltaData, ReasoningDelta, ToolOutput, ToolOutputData
from contracts.limits import LIVE_TAIL_CHARACTERS
from contracts.records import Record


class Live(Protocol):
    """Shows a live frame to whoever watches a thread."""

    def __call__(self, thread_id: str, frame: Record) -> None: ...


class LiveTails:
    def __init__(self) -> None:
        self._outputs: dict[str, tuple[str, ToolOutputData]] = {}
        self._answers: dict[str, tuple[str, PartDeltaData]] = {}
        self._thoughts: dict[str, tuple[str, PartDeltaData]] = {}

    def add(self, thread_id: str, frame: Record) -> None:
        match frame:
            case ToolOutput(data=data):
                self._add_output(thread_id, data)
            case PartDelta(data=data):
                _join(self._answers, thread_id, data)
            case ReasoningDelta(data=data):
                _join(self._thoughts, thread_id, data)

    def _add_output(self, thread_id: str, data: ToolOutputData) -> None:
        known = self._outputs.get(data.tool_call_id)
        if known and known[1].offset + len(known[1].text) == data.offset:
            before = known[1]
            text = before.text + data.text
            cut = max(0, len(text) - LIVE_TAIL_CHARACTERS)
            stream = data.stream if before.stream == data.stream else "log"
            data = data.model_copy(
                update={"offset": before.offset + cut, "text": text[cut:], "stream": stream}
            )
        self._outputs[data.tool_call_id] = (thread_id, data)

    def drop_call(self, tool_call_id: str) -> None:
        self._outputs.pop(tool_call_id, None)

    def drop_answer(self, run_id: str) -> None:
        self._answers.pop(run_id, None)
        self._thoughts.pop(run_id, None)

    def of(self, thread_id: str) -> list[Record]:
        outputs: list[Record] = [
            ToolOutput(data=data) for where, data in self._outputs.values() if where == thread_id
        ]
        answers: list[Record] = [
            PartDelta(data=data) for where, data in self._answers.values() if where == thread_id
        ]
        thoughts: list[Record] = [
            ReasoningDelta(data=data) for where, data in self._thoughts.values() if where == thread_id
        ]
        return outputs + thoughts + answers


def _join(known: dict[str, tuple[str, PartDeltaData]], thread_id: str, data: PartDeltaData) -> None:
    """Add a piece to what is being written by its run, or begin anew with it."""
    before = known.get(data.run_id)
    if before and before[1].message_id == data.message_id and before[1].attempt == data.attempt:
        data = data.model_copy(update={"offset": 0, "text": before[1].text + data.text})
    known[data.run_id] = (thread_id, data)
