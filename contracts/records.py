"""The nouns people see: bots, threads, messages, runs, commands, files, the computer.

All times are milliseconds since the epoch. The same models are the API's answers, the data of the
thread's events and, through the schema, the web's types.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from contracts.errors import ErrorCode, Problem
from contracts.limits import (
    MESSAGE_CHARACTERS_MAX,
    MODEL_NAME_CHARACTERS_MAX,
    REASONING_CHARACTERS,
    RETENTION_DAYS,
    RETENTION_DAYS_MAX,
    ROUNDS_A_RUN,
)
from contracts.states import CommandState, ComputerState, Effort, FirstStep, Locale, Provider, RunState


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelSettings(Record):
    """Which model a bot thinks with. `manual` needs none: a person types the commands.

    An empty `base_url` is the provider's own. Where an `effort` is named, no temperature is sent.
    """

    provider: Provider = Provider.MANUAL
    base_url: str = Field(default="", max_length=2_000)
    model: str = Field(default="", max_length=MODEL_NAME_CHARACTERS_MAX)
    effort: Effort | None = None
    temperature: float | None = None
    has_key: bool = False


class Bot(Record):
    id: str
    name: str
    instructions: str
    rounds: int = ROUNDS_A_RUN
    """How many answers of the model one run may take before it asks whether to go on."""
    model: ModelSettings
    created_ms: int


class Thread(Record):
    id: str
    bot_id: str
    title: str
    created_ms: int
    updated_ms: int
    head_seq: int
    branch_of: str | None = None
    """The thread whose beginning it shares."""
    routine_id: str | None = None
    """The routine whose runs it shows."""
    run: "Run | None" = None
    """The run it is at, else the newest, so that a list can show which threads are at work."""


class SnippetPart(Record):
    """A piece of a message; `hit` where it is what was searched for."""

    text: str
    hit: bool = False


class SearchHit(Record):
    """A message that was found: the one at `seq` of its thread. `id` is its place in the search."""

    id: int
    thread_id: str
    title: str
    seq: int
    message_id: str
    client_id: str | None = None
    role: Literal["user", "assistant"]
    at_ms: int
    snippet: list[SnippetPart]


class Upload(Record):
    """A file a person attached. `path` is where the computer has it, once it is there."""

    id: str
    name: str
    media_type: str
    size: int
    path: str | None = None


class UnfinishedUpload(Record):
    """A file that comes in parts of `part_bytes`, numbered from 1: `parts` are there. Ends at `until_ms`."""

    id: str
    name: str
    media_type: str
    size: int
    part_bytes: int
    parts: list[int]
    until_ms: int


class Artifact(Record):
    id: str
    thread_id: str
    run_id: str
    tool_call_id: str
    name: str
    media_type: str
    size: int
    sha256: str
    created_ms: int


class FolderEntry(Record):
    name: str
    kind: Literal["file", "folder", "link", "other"]
    size: int
    modified_ms: int


class Listing(Record):
    """A page of a folder of the computer. Not `live`: as it was last seen, at `at_ms`; nothing was woken."""

    path: str
    entries: list[FolderEntry]
    total: int
    cut: bool = False
    at_ms: int
    live: bool


class RoutineEntry(Record):
    """That a message is a routine's prompt: which one, set off by what, and due when."""

    routine_id: str
    name: str
    by: Literal["schedule", "person"]
    due_ms: int
    computer: bool = False
    """Whether this run may use the computer."""


class Message(Record):
    id: str
    role: Literal["user", "assistant"]
    text: str = Field(max_length=MESSAGE_CHARACTERS_MAX)
    run_id: str | None = None
    round: int | None = None
    client_id: str | None = None
    uploads: list[Upload] = []
    queued: bool = False
    """It is taken up when its run begins, after those before it."""
    tainted: bool = False
    """Text from outside may have had a part in it."""
    nonce: str | None = None
    """Of the envelope around the names of its uploads."""
    ended: Literal["length", "declined"] | None = None
    """Why an answer is not whole: it reached the model's limit, or the model would not go on."""
    routine: RoutineEntry | None = None
    """Nobody wrote it: a routine began with it."""
    model: str | None = None
    """The model that it was sent to, where that is not the bot's."""
    effort: Effort | None = None
    """The same of how hard the model shall think."""
    locale: Locale | None = None
    """The language of the page that it was written on."""
    created_ms: int


class Usage(Record):
    """Tokens of a model. `input` counts all that was read, also what came from a cache or went into one."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cache_written: int = 0


class Reasoning(Record):
    """What a model said to itself before an answer; `cut` says that only the beginning is kept."""

    id: str
    run_id: str
    round: int
    text: str = Field(max_length=REASONING_CHARACTERS)
    cut: bool = False
    tainted: bool = False
    """As of a message."""
    created_ms: int


class OwnerQuestion(Record):
    """What a run that waits for input needs. `id` is the call that asked.

    `continue` is Berth's own: the rounds are used up, and any message gives new ones.
    """

    id: str = ""
    kind: Literal["text", "choice", "file", "approval", "continue"]
    text: str = ""
    choices: list[str] = []


class TaintCause(Record):
    """What may have brought text from outside into a run: a call of its own, or a run before it.

    `what` is the beginning of the command or path, `hosts` are some of those that answered it.
    """

    kind: Literal["call", "run"]
    id: str
    tool: str = ""
    what: str = ""
    hosts: list[str] = []


class Run(Record):
    id: str
    thread_id: str
    state: RunState
    routine_id: str | None = None
    """The routine that set it going; None for a person."""
    tainted: bool
    taint: list[TaintCause] = []
    """The first causes; there may have been more."""
    question: OwnerQuestion | None = None
    rounds: int
    usage: Usage | None = None
    """Of all its answers, where the provider said it."""
    error: Problem | None = None
    reason: str | None = None
    created_ms: int
    updated_ms: int


class EgressReceipt(Record):
    """One kind of request a command made to the outside, and what the egress Worker said."""

    host: str
    method: str
    allowed: bool
    reason: str
    count: int
    code: ErrorCode | None = None
    """Why it was refused, where it was."""
    sent: int = 0
    """Bytes of addresses, headers and bodies: each can carry something out."""
    received: int = 0
    """Bytes of bodies."""


class CommandResult(Record):
    """How a command ended. `output` is what the model saw: the head and the tail of a long one."""

    id: str
    state: CommandState
    exit_code: int | None = None
    signal: int | None = None
    oom: bool = False
    banned: bool = False
    """It was ended because an operator had banned its computer."""
    workspace_full: bool = False
    """Over its limit when the command had ended, which may be why it was ended."""
    leftovers: int = 0
    duration_ms: int
    output: str
    output_bytes: int = 0
    cut_characters: int = 0
    """Of output that was left out unread, as behind a stop, its bytes."""
    cut_lines: int | None = 0
    """None where some of what was cut was left out unread."""
    log_path: str | None = None
    log_note: str | None = None
    egress: list[EgressReceipt] = []


class FileChange(Record):
    """What a call did to a file. Its diff is the call's `text`; `cut` says that the diff was too long for it.

    `compared` is false where there is no diff, because what was there before is no text.
    """

    path: str
    size: int
    created: bool = False
    compared: bool = True
    added: int = 0
    removed: int = 0
    cut: bool = False


class Picture(Record):
    """A picture that a call gave the model to see: at most as large as a model looks at."""

    media_type: str
    width: int
    height: int
    size: int


class ToolStart(Record):
    tool_call_id: str
    run_id: str
    round: int
    tool: str
    arguments: dict[str, Any]
    started_ms: int


class ToolFinish(Record):
    """`text` is the tool's answer to the model, without its envelope; `nonce` names that envelope."""

    tool_call_id: str
    run_id: str
    round: int
    tool: str
    ok: bool
    text: str
    nonce: str
    error: Problem | None = None
    command: CommandResult | None = None
    change: FileChange | None = None
    picture: Picture | None = None
    artifact_id: str | None = None
    finished_ms: int


class ShownCommand(Record):
    """A command of any thread, as its history shows it.

    In a list `command` is its beginning and `result.output` is left out; by itself it has both whole.
    No `finished_ms`: it runs, waits for its turn, or, where it is `over`, ended without a word.
    """

    id: str
    thread_id: str
    title: str
    command: str
    started_ms: int
    finished_ms: int | None = None
    over: bool
    result: CommandResult | None = None
    error: Problem | None = None


class RunningCommand(Record):
    id: str
    command: str
    thread_id: str
    origin: str
    since_ms: int


Unusable = Literal["snapshot_expired", "snapshot_of_other_image", "snapshot_failed", "backup_damaged"]
"""Why something newer was not what a computer woke with."""


class Restored(Record):
    """A computer woke with something else than the owner left: which files, as of when, from what.

    `as_of_ms` is None where nothing had been saved, and the workspace is a fresh one. `lost_ms` is when
    the computer stopped before it was saved. From a `backup` come /workspace and the home folder; what was
    elsewhere did not come back.
    """

    source: Literal["snapshot", "backup", "fresh"]
    woke_ms: int
    as_of_ms: int | None = None
    lost_ms: int | None = None
    older: bool = False
    """Whether something newer was saved, and could not be used."""
    unusable: list[Unusable] = []
    missing: int = 0
    """Files that could not be read when they were saved, or not be written now."""
    missing_names: list[str] = []
    """The first of them."""


class Ban(Record):
    """Why and since when an owner's computer may neither run nor go out. Its files are kept."""

    reason: str
    at_ms: int


class Computer(Record):
    state: ComputerState
    since_ms: int
    reason: str | None = None
    commands: list[RunningCommand] = []
    restored: Restored | None = None
    """What the owner has not been told yet."""
    ban: Ban | None = None


RetentionDays = Annotated[int, Field(ge=1, le=RETENTION_DAYS_MAX)]


class Retention(Record):
    """Days that things are kept after they happened; null keeps them for ever.

    `results` are the full texts of calls, `threads` those in which nothing happened for so long. Nothing in a
    thread is kept longer than threads are.
    """

    results: RetentionDays | None = RETENTION_DAYS
    pictures: RetentionDays | None = RETENTION_DAYS
    threads: RetentionDays | None = None


REMOVED_BY_AGE: Final = "removed_by_age"
"""The kind of the operators' entries whose details are a Retained."""


class Retained(Record):
    """How many were removed by age."""

    results: int = 0
    pictures: int = 0
    threads: int = 0


class Owner(Record):
    id: str
    locale: Locale
    network: str
    sandboxed: bool
    version: str
    providers: list[Provider] = []
    """Those that this deployment can ask."""
    platform_keys: list[Provider] = []
    """Those that need no key of the owner's at their own address."""
    takes_keys: bool = False
    """Whether an owner's keys can be kept here."""
    retention: Retention = Retention()
    retained: Retained = Retained()
    """What `retention` has removed so far."""
    time_zone: str | None = None
    """Of their days and months; UTC until they have named one."""
    first_steps: list[FirstStep] = []
    """Those that were taken, or waved away."""
    deletion_ms: int | None = None
    """When everything will be deleted, while that can be taken back; nothing else is answered until then."""
    deletion_takes_account: bool = False
    """Whether the person's account goes then too."""
    operator: bool = False
    """Whether who asks may operate this deployment."""
    name: str = ""
    """Of a workspace; empty for a person's own."""
    person_id: str = ""
    """Who asks."""
    role: Literal["owner", "member", "viewer"] = "owner"
    """What who asks is here."""


class EgressBreaker(Record):
    """While it is there, no computer may go out, but to the hosts that are exempt."""

    reason: str
    exempt: list[str] = []
    retry_after_s: float
    at_ms: int


class EgressStanding(Record):
    ban: Ban | None = None
    breaker: EgressBreaker | None = None


class EgressRule(Record):
    """What an owner has opened to the own computer: reads of a host, at a path and below, until a date."""

    id: str
    host: str
    path: str
    until_ms: int
    created_ms: int
