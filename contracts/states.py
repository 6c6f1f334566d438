"""The words for states and effects, used alike by the objects, the API, the web and the docs."""

from enum import StrEnum


class ComputerState(StrEnum):
    STANDBY = "standby"
    STARTING = "starting"
    RUNNING = "running"


class RunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    WAITING_APPROVAL = "waiting_approval"
    WAITING_INPUT = "waiting_input"
    WAITING_TAKEOVER = "waiting_takeover"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


RUN_ENDED = frozenset({RunState.DONE, RunState.FAILED, RunState.STOPPED})


class CommandState(StrEnum):
    ACCEPTED = "accepted"
    RUNNING = "running"
    EXITED = "exited"
    SIGNALLED = "signalled"
    TIMED_OUT = "timed_out"
    STOPPED = "stopped"
    LOST = "lost"


COMMAND_ENDED = frozenset(CommandState) - {CommandState.ACCEPTED, CommandState.RUNNING}


class Locale(StrEnum):
    ENGLISH = "en"
    SIMPLIFIED_CHINESE = "zh-Hans"
    TRADITIONAL_CHINESE = "zh-Hant"


class FirstStep(StrEnum):
    """What somebody new is offered to try."""

    COMMAND = "command"
    FILE = "file"
    ORDER = "order"
    SETTINGS = "settings"


class Origin(StrEnum):
    """Who set a run going: a person in the chat, or a routine."""

    CHAT = "chat"
    ROUTINE = "routine"


class CircuitState(StrEnum):
    """Of a breaker of the platform: all may, nobody may, or some may to see whether all is well again."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


class Provider(StrEnum):
    """Who answers a bot, by the protocol that is spoken."""

    MANUAL = "manual"
    SCRIPTED = "scripted"
    OPENAI = "openai"
    """Chat completions, of OpenAI or of any server that speaks them."""
    OPENAI_RESPONSES = "openai_responses"
    ANTHROPIC = "anthropic"
    WORKERS_AI = "workers_ai"


# Those that are asked over HTTP, at an address and with a key.
REMOTE = frozenset({Provider.OPENAI, Provider.OPENAI_RESPONSES, Provider.ANTHROPIC})
# Those that have several models, of which a bot or a message names one.
WITH_MODELS = REMOTE | {Provider.WORKERS_AI}


class Effort(StrEnum):
    """How much a model shall think before it answers."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Effect(StrEnum):
    """What a tool can change; what needs a person's approval is decided from this."""

    READ = "read"
    COMPUTER_LOCAL = "computer_local"
    COMPUTER_EFFECT = "computer_effect"
    VENUE_WRITE = "venue_write"


class IntentState(StrEnum):
    """Of what is to be done at the venue; `approved` and later ones name what a person or a rule let go."""

    PENDING = "pending"
    APPROVED = "approved"
    SUBMITTING = "submitting"
    UNKNOWN = "unknown"
    EXECUTED = "executed"
    PARTIALLY_EXECUTED = "partially_executed"
    REJECTED_BY_VENUE = "rejected_by_venue"
    DECLINED = "declined"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


INTENT_ENDED = frozenset(IntentState) - {
    IntentState.PENDING,
    IntentState.APPROVED,
    IntentState.SUBMITTING,
    IntentState.UNKNOWN,
}


class SwitchState(StrEnum):
    """The kill switch: everything, only what makes a position smaller, or only cancelling."""

    ACTIVE = "active"
    REDUCING = "reducing"
    HALTED = "halted"


class RoutineState(StrEnum):
    """`finished`: it was to run once, and has."""

    ACTIVE = "active"
    PAUSED = "paused"
    FINISHED = "finished"


class RoutineOutcome(StrEnum):
    """What came of a time at which a routine was due; only `started` has a run."""

    STARTED = "started"
    OVERLAP = "overlap"
    """The run before it had not ended."""
    CHECK = "check"
    """A check did not hold."""
    CHECK_FAILED = "check_failed"
    """A check could not be made."""
    MONTH_USED = "month_used"
    """Its cost of this month was used up."""
