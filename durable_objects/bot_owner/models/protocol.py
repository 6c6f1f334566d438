"""What the run loop asks of a model: a conversation, tools and settings in, parts of an answer out.

A model yields text, reasoning and calls as they come, calls whole, and last an `EndPart`. Whatever goes
wrong is a `ModelError`; `started` says whether anything of the answer was seen, for only an answer that
had not begun may be asked for again.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from contracts.errors import ErrorCode
from contracts.limits import RETRY_AFTER_SECONDS_MAX
from contracts.reasons import Why, because
from contracts.records import Usage
from contracts.states import Effort
from durable_objects.bot_owner.conversation import Turn, UserTurn


@dataclass(frozen=True)
class TextPart:
    text: str


@dataclass(frozen=True)
class ReasoningPart:
    """What the model says to itself, where its provider gives it."""

    text: str


@dataclass(frozen=True)
class CallPart:
    """A tool call: `arguments` is a JSON object, or None where the model's text was not one.

    A text in it that is long may be a `LongText`. `raw` is the beginning of what came.
    """

    tool: str
    arguments: dict[str, Any] | None
    raw: str = ""


@dataclass(frozen=True)
class EndPart:
    """The last part of a complete answer."""

    stop: Literal["done", "length", "declined"] = "done"
    """`length`: the model's own limit cut it off; `declined`: the model or its provider would not go on."""
    usage: Usage | None = None
    kept: str = ""
    """What this provider wants to see again with the next question, as JSON text; see `kept.py`."""


Part = TextPart | ReasoningPart | CallPart | EndPart


@dataclass(frozen=True)
class Settings:
    """How a bot wants to be answered. An empty `base_url` is the provider's own address."""

    base_url: str
    model: str
    effort: Effort | None = None
    temperature: float | None = None
    provider: str = ""

    @property
    def owner(self) -> str:
        """Whose an answer is, as `kept.py` writes it: the provider and the model."""
        return f"{self.provider} {self.model}"

    @property
    def sampling(self) -> dict[str, float]:
        """The temperature as a field of a request, where it may be sent: models that think take none."""
        return {} if self.temperature is None or self.effort else {"temperature": self.temperature}


def _nothing_kept(_key: tuple[str, int]) -> str:
    return ""


@dataclass(frozen=True)
class Question:
    """Everything a model is given for one answer.

    `news` are the person's messages that no earlier answer has seen; `history` builds the whole
    conversation, them included, for a model that reads it.
    """

    system: str
    news: list[UserTurn]
    history: Callable[[], list[Turn]]
    tools: Callable[[], list[dict[str, Any]]]
    locale: Callable[[], str]
    picture: Callable[[str], Awaitable[bytes | None]]
    """The bytes behind a picture's key, for a model that sees; None where they are gone."""
    thread_id: str = ""
    """Names the conversation to a provider that caches its beginning."""
    kept: Callable[[tuple[str, int]], str] = _nothing_kept
    """(run id, round) -> what the answer of that round ended with, see `EndPart.kept`."""
    given: Callable[[], int] = lambda: 0
    """How many answers the thread has already."""


class ModelError(Exception):
    """The provider failed. `problem` is for people, by a reason of `contracts/reasons.py` with its facts.

    It never holds a key or a whole body.

    `retry_after_s` is None where asking again is of no use. `told` says that the provider named the time
    itself; otherwise each further try waits twice as long.
    """

    def __init__(
        self,
        why: str | Why,
        *,
        code: ErrorCode = ErrorCode.MODEL_UNAVAILABLE,
        started: bool = False,
        retry_after_s: float | None = None,
        told: bool = False,
    ) -> None:
        self.problem = because(code, why, retry_after_s=retry_after_s)
        super().__init__(self.problem.message)
        self.code = code
        self.started = started
        self.retry_after_s = retry_after_s
        self.told = told

    @property
    def too_long(self) -> bool:
        """Whether the conversation was more than the model takes: less of it may do."""
        return self.code == ErrorCode.MODEL_CONTEXT_FULL

    @property
    def may_retry(self) -> bool:
        wait = self.retry_after_s
        return wait is not None and wait <= RETRY_AFTER_SECONDS_MAX and not self.started

    def pause_s(self, attempt: int) -> float:
        """How long to wait before the next try; `attempt` is the one that failed, from 1."""
        wait = self.retry_after_s or 0.0
        return wait if self.told else min(wait * 2 ** (attempt - 1), RETRY_AFTER_SECONDS_MAX)


class Model(Protocol):
    reads_results: bool
    """Whether the results of its calls are shown to it, for another round."""
    reads_history: bool
    """Whether it is sent the conversation."""

    def answer(self, question: Question) -> AsyncGenerator[Part, None]: ...


class Provider(Protocol):
    """A model that is asked with a key, which may be empty; `keyed.py` makes a `Model` of it."""

    def stream(self, question: Question, key: str) -> AsyncGenerator[Part, None]: ...
