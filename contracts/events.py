"""The thread's record: persisted events with a `seq`, and live frames without one.

A persisted event is `{"type", "seq", "at_ms", "data"}`; `seq` counts from 1 without gaps in its
thread. A live frame is `{"type", "data"}`: a hint, made whole by a later persisted event. `hello`
opens every stream and `caught_up` follows the replay.
"""

from typing import Annotated, Literal

from pydantic import Field

from contracts.records import (
    Artifact,
    Computer,
    Message,
    Reasoning,
    Record,
    Restored,
    Run,
    ToolFinish,
    ToolStart,
    Upload,
)
from contracts.trading import Intent

PROTOCOL = 1


class Persisted(Record):
    seq: int
    at_ms: int


class MessageCreated(Persisted):
    type: Literal["message.created"] = "message.created"
    data: Message


class ReasoningCreated(Persisted):
    type: Literal["reasoning.created"] = "reasoning.created"
    data: Reasoning


class ToolStarted(Persisted):
    type: Literal["tool.started"] = "tool.started"
    data: ToolStart


class ToolFinished(Persisted):
    type: Literal["tool.finished"] = "tool.finished"
    data: ToolFinish


class ArtifactCreated(Persisted):
    type: Literal["artifact.created"] = "artifact.created"
    data: Artifact


class ApprovalRequested(Persisted):
    type: Literal["approval.requested"] = "approval.requested"
    data: Intent


class ApprovalDecided(Persisted):
    """By a person, a rule or the clock; `data` is the intent after it."""

    type: Literal["approval.decided"] = "approval.decided"
    data: Intent


class IntentUpdated(Persisted):
    type: Literal["intent.updated"] = "intent.updated"
    data: Intent


class RunStatus(Persisted):
    type: Literal["run.status"] = "run.status"
    data: Run


class ComputerStatus(Persisted):
    type: Literal["computer.status"] = "computer.status"
    data: Computer


class NoticeData(Record):
    """`code` picks the sentence in the reader's language; `text` is the English one."""

    code: Literal[
        "uploads_delivered",
        "uploads_waiting",
        "computer_restored",
        "verify_asked",
        "answer_asked",
        "report_asked",
        "routine_paused",
        "routine_month_used",
    ]
    text: str
    uploads: list[Upload] = Field(default=[])
    restored: Restored | None = None


class Notice(Persisted):
    type: Literal["notice"] = "notice"
    data: NoticeData


Event = Annotated[
    MessageCreated
    | ReasoningCreated
    | ToolStarted
    | ToolFinished
    | ArtifactCreated
    | RunStatus
    | ComputerStatus
    | Notice
    | ApprovalRequested
    | ApprovalDecided
    | IntentUpdated,
    Field(discriminator="type"),
]


class HelloData(Record):
    protocol: int
    thread_id: str
    head_seq: int
    computer: Computer


class Hello(Record):
    type: Literal["hello"] = "hello"
    data: HelloData


class CaughtUpData(Record):
    seq: int


class CaughtUp(Record):
    """Everything up to `seq` has been sent; what follows is new."""

    type: Literal["caught_up"] = "caught_up"
    data: CaughtUpData


class PartDeltaData(Record):
    """A piece of the answer being written: `offset` counts characters, `attempt` separates retries."""

    message_id: str
    run_id: str
    attempt: int
    offset: int
    text: str


class PartDelta(Record):
    type: Literal["part.delta"] = "part.delta"
    data: PartDeltaData


class ReasoningDelta(Record):
    """A piece of what a model says to itself; `message_id` is the id of the `reasoning.created` after it."""

    type: Literal["reasoning.delta"] = "reasoning.delta"
    data: PartDeltaData


class TitleChangedData(Record):
    thread_id: str
    title: str


class TitleChanged(Record):
    """The thread has another title, which the list of threads has too."""

    type: Literal["thread.titled"] = "thread.titled"
    data: TitleChangedData


class ToolOutputData(Record):
    """A piece of a running command's output: `offset` counts characters from its start.

    A jump in `offset` means that frames were left out to keep up; the whole is in the log.
    """

    tool_call_id: str
    stream: Literal["stdout", "stderr", "log"]
    offset: int
    text: str


class ToolOutput(Record):
    type: Literal["tool.output"] = "tool.output"
    data: ToolOutputData


LiveFrame = Annotated[
    Hello | CaughtUp | PartDelta | ReasoningDelta | ToolOutput | TitleChanged, Field(discriminator="type")
]
