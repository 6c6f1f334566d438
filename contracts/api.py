"""The bodies of the HTTP API that are not records themselves."""

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, SecretStr, WithJsonSchema

from contracts.allowance import Allowance, CircuitChange, Circuits, Exhausted, GrantCreate, UsageReport
from contracts.archive import Archive
from contracts.audit import AuditCheck, AuditPage
from contracts.errors import Problem
from contracts.events import Event, LiveFrame
from contracts.limits import (
    CALLS_A_ROUND,
    COMMANDS_A_PAGE,
    EGRESS_RULE_DAYS_MAX,
    EVENTS_A_PAGE,
    KEY_CHARACTERS_MAX,
    MESSAGE_CHARACTERS_MAX,
    MODEL_NAME_CHARACTERS_MAX,
    PATH_CHARACTERS_MAX,
    RECORDED_ANSWERS_MAX,
    RECORDED_CHARACTERS_MAX,
    ROUNDS_A_RUN,
    ROUNDS_A_RUN_MAX,
    UPLOAD_NAME_CHARACTERS_MAX,
    UPLOADS_A_MESSAGE,
)
from contracts.members import (
    InvitationCode,
    InvitedTo,
    MemberChange,
    MemberInvitationCreate,
    MemberInvitationList,
    MemberInvitationMade,
    MemberList,
    MembershipList,
    WorkspaceCreate,
    WorkspaceName,
)
from contracts.notices import (
    EmailConfirm,
    EmailCreate,
    NoticeDeliveries,
    Notices,
    NoticeTest,
    SubscriptionCreate,
    WebhookCreate,
    WebhookMade,
)
from contracts.operators import ExemptRequest, OperatorOwner, OperatorOwners, Overview
from contracts.people import (
    LocalSignIn,
    SessionList,
    Ticket,
    TicketCreate,
    TokenCreate,
    TokenList,
    TokenMade,
)
from contracts.reasons import WORDS
from contracts.records import (
    Artifact,
    Bot,
    Computer,
    EgressRule,
    EgressStanding,
    Listing,
    Message,
    Owner,
    Record,
    Retained,
    Retention,
    Run,
    SearchHit,
    ShownCommand,
    Thread,
    UnfinishedUpload,
    Upload,
)
from contracts.routines import (
    Routine,
    RoutineCreate,
    RoutineDraft,
    RoutineHistory,
    RoutineList,
    RoutineNotice,
    RoutineRunNow,
    RoutineSettings,
    RoutineTimes,
)
from contracts.sign_in import (
    AccessJoin,
    InvitationList,
    InvitationMade,
    OidcStart,
    OidcStarted,
    PasskeyAnswer,
    PasskeyChange,
    PasskeyCreate,
    PasskeyOptions,
    RecoveryCodes,
    RecoverySignIn,
    SignedIn,
    SignInWays,
    SignUpPasskey,
    WaysIn,
)
from contracts.states import Effort, FirstStep, Locale, Provider
from contracts.texts import fits_a_row, one_line, readable
from contracts.trading import (
    IntentDecision,
    IntentList,
    Trading,
    TradingAccountConnect,
    TradingAccountList,
    TradingRefused,
    TradingRules,
    TradingSwitch,
    TradingVenue,
)

Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(readable)]
Rounds = Field(ge=1, le=ROUNDS_A_RUN_MAX)


def _sendable(key: SecretStr) -> SecretStr:
    # It becomes a header: whatever a header cannot carry would come back in the error of a fetch.
    if not re.fullmatch(rf"[!-~]{{0,{KEY_CHARACTERS_MAX}}}", key.get_secret_value()):
        raise ValueError(f"a key is at most {KEY_CHARACTERS_MAX} printable characters without spaces")
    return key


class RecordedCall(Record):
    tool: str = Field(min_length=1, max_length=100)
    arguments: dict[str, Any] = Field(default_factory=dict)


class RecordedAnswer(Record):
    """One answer of a recorded conversation: text, calls, or both."""

    text: str = ""
    reasoning: str = ""
    calls: list[RecordedCall] = Field(default=[], max_length=CALLS_A_ROUND)


def _bounded(answers: list[RecordedAnswer]) -> list[RecordedAnswer]:
    if any(not answer.text.strip() and not answer.calls for answer in answers):
        raise ValueError("every answer needs text or a call")
    if sum(len(answer.model_dump_json()) for answer in answers) > RECORDED_CHARACTERS_MAX:
        raise ValueError(f"a recording has at most {RECORDED_CHARACTERS_MAX} characters")
    return answers


Recording = Annotated[
    list[RecordedAnswer], Field(min_length=1, max_length=RECORDED_ANSWERS_MAX), AfterValidator(_bounded)
]


class ModelChoice(Record):
    """Settings of a model as they are given; the key goes in and never comes out again.

    Without `api_key` a stored key stays, for the same provider and address only; an empty one removes it. A
    `recording` is what `scripted` plays; without one the stored one stays.
    """

    # A key that is refused is not to be read in the refusal.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    provider: Provider = Provider.MANUAL
    base_url: str = Field(default="", max_length=2_000)
    model: str = Field(default="", max_length=MODEL_NAME_CHARACTERS_MAX)
    api_key: Annotated[SecretStr, AfterValidator(_sendable)] | None = None
    effort: Effort | None = None
    temperature: float | None = Field(default=None, ge=0, le=2, allow_inf_nan=False)
    recording: Recording | None = None


class BotCreate(Record):
    name: Name
    instructions: str = Field(default="", max_length=20_000)
    rounds: Annotated[int, Rounds] = ROUNDS_A_RUN
    model: ModelChoice = ModelChoice()


class BotChange(Record):
    name: Name | None = None
    instructions: str | None = Field(default=None, max_length=20_000)
    rounds: Annotated[int, Rounds] | None = None
    model: ModelChoice | None = None


class ThreadCreate(Record):
    bot_id: str
    title: Annotated[str, Field(max_length=200), AfterValidator(one_line)] = ""


class ThreadChange(Record):
    title: Name


class OwnerChange(Record):
    """What is not given stays as it is; a `retention` is taken as a whole."""

    locale: Locale | None = None
    retention: Retention | None = None
    time_zone: str | None = Field(default=None, min_length=1, max_length=100)
    first_steps: list[FirstStep] | None = Field(default=None, max_length=len(FirstStep))
    """Added to those that were taken."""
    name: WorkspaceName | None = None
    """Of a workspace; a person's own has none."""


class OwnerDelete(Record):
    """`confirm` is the owner's id, typed by the person; `at_once` is without the days to take it back.

    With `account` the person goes too: how they sign in, and their place in every workspace.
    """

    confirm: str = Field(min_length=1, max_length=200)
    at_once: bool = False
    account: bool = False


class OwnerDeleted(Record):
    """`at_ms` is when it begins, where it can be taken back until then.

    `finished` is false until then too, and where something did not answer: then it goes on by itself.
    """

    finished: bool
    at_ms: int | None = None


MessageText = Annotated[str, Field(max_length=MESSAGE_CHARACTERS_MAX), AfterValidator(fits_a_row)]


class MessageCreate(Record):
    """`client_id` is chosen by the client once; sending it again answers with the first result."""

    client_id: str = Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")
    text: MessageText
    upload_ids: list[str] = Field(default=[], max_length=UPLOADS_A_MESSAGE)
    during: Literal["steer", "queue"] = "steer"
    """What it is to a run under way: `steer` reaches it at its next step, `queue` waits for its end."""
    model: str | None = Field(default=None, min_length=1, max_length=MODEL_NAME_CHARACTERS_MAX)
    """Another model of the bot's provider; its run asks that one from the next answer on."""
    effort: Effort | None = None
    """Another effort than the bot's, for the same answers."""
    locale: Locale | None = None
    """The language of the page that it is written on; the owner's where there is none."""


class BranchCreate(Record):
    """Another thread with what came before a message of a person, and then the message, changed or again.

    `seq` is the message's; its files go along. `client_id` does what it does for a message.
    """

    client_id: str = Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")
    seq: int = Field(ge=1, lt=2**53)
    text: MessageText | None = None


class UploadBegin(Record):
    """A file that is to come in parts; smaller ones are sent whole."""

    name: str = Field(min_length=1, max_length=UPLOAD_NAME_CHARACTERS_MAX)
    media_type: str = Field(default="", max_length=1_000)
    size: int = Field(ge=1, lt=2**53)


class MessageAccepted(Record):
    message: Message
    seq: int
    run: Run


class Branched(Record):
    thread: Thread
    accepted: MessageAccepted


class ArtifactPage(Record):
    """Newest first; `more` says that there are older ones behind the last."""

    items: list[Artifact]
    more: bool


class ArtifactChange(Record):
    name: str = Field(min_length=1, max_length=255)


class CommandStopped(Record):
    """`asked` is true where the command was still running, as far as anybody knows: a computer that cannot be
    asked now is asked again. Its end comes as `tool.finished`."""

    asked: bool


class CommandPage(Record):
    """Commands of all threads, the newest first."""

    items: list[ShownCommand] = Field(max_length=COMMANDS_A_PAGE)
    more: bool


class FileMove(Record):
    """Where a file or folder goes; nothing that is there is written over."""

    to: str = Field(min_length=1, max_length=PATH_CHARACTERS_MAX)


class FilePlaced(Record):
    """Where a file or folder is now, from the workspace."""

    path: str


class BotList(Record):
    items: list[Bot]


class ThreadList(Record):
    items: list[Thread]


class SearchPage(Record):
    """Newest first; `more` says that there are older ones behind the last."""

    items: list[SearchHit]
    more: bool
    words_left_out: int = 0
    """How many words at the end of the query did not count, as they are too many."""


class EventPage(Record):
    items: list[Event] = Field(max_length=EVENTS_A_PAGE)
    head_seq: int


class AwakeOwners(Record):
    """Ids of the owners whose computers are not in standby."""

    owners: list[str]


class BanRequest(Record):
    """The reason is told to the owner, the model and the programs in the computer."""

    reason: str = Field(min_length=1, max_length=500)


class BreakerRequest(Record):
    """`exempt` are hosts, as receipts show them."""

    reason: str = Field(min_length=1, max_length=500)
    exempt: list[str] = Field(default=[], max_length=100)
    retry_after_s: float = Field(default=60, ge=1, le=86_400)


class EgressRuleCreate(Record):
    """`understood` says that the person was told what opening a host means."""

    host: str = Field(min_length=1, max_length=253)
    path: str = Field(default="/", min_length=1, max_length=1_000)
    days: int = Field(default=30, ge=1, le=EGRESS_RULE_DAYS_MAX)
    understood: Literal[True]


class EgressRuleList(Record):
    items: list[EgressRule]


class EgressQuestion(Record):
    """An address that a command might read; without a scheme it is https."""

    url: str = Field(min_length=1, max_length=2_000)


class EgressVerdict(Record):
    """What a command that starts now would meet there. `can_open` says that an own rule may open the host."""

    allowed: bool
    rule: str
    reason: str
    host: str
    can_open: bool


class ProblemDetails(Problem):
    """RFC 9457, media type `application/problem+json`."""

    type: str = "about:blank"
    title: str
    status: int


class Because(Record):
    """Of the details of a problem: why, with the facts of its sentence beside it."""

    reason: Annotated[str, WithJsonSchema({"enum": list(WORDS), "title": "Reason", "type": "string"})]


class Everything(Record):
    """Not a body: the root from which the schema, and so the web's types, is made."""

    because: Because
    trading_refused: TradingRefused
    owner: Owner
    owner_change: OwnerChange
    owner_delete: OwnerDelete
    owner_deleted: OwnerDeleted
    bot_create: BotCreate
    bot_change: BotChange
    bots: BotList
    thread_create: ThreadCreate
    thread_change: ThreadChange
    threads: ThreadList
    found: SearchPage
    message_create: MessageCreate
    message_accepted: MessageAccepted
    branch_create: BranchCreate
    branched: Branched
    command_stopped: CommandStopped
    commands: CommandPage
    file_move: FileMove
    file_placed: FilePlaced
    upload: Upload
    upload_begin: UploadBegin
    unfinished_upload: UnfinishedUpload
    artifact: Artifact
    artifacts: ArtifactPage
    artifact_change: ArtifactChange
    listing: Listing
    computer: Computer
    events: EventPage
    live: LiveFrame
    audit: AuditPage
    audit_check: AuditCheck
    overview: Overview
    operator_owners: OperatorOwners
    operator_owner: OperatorOwner
    exempt_request: ExemptRequest
    egress_rule_create: EgressRuleCreate
    egress_rules: EgressRuleList
    egress_question: EgressQuestion
    egress_verdict: EgressVerdict
    intents: IntentList
    intent_decision: IntentDecision
    trading: Trading
    trading_rules: TradingRules
    trading_switch: TradingSwitch
    trading_venue: TradingVenue
    trading_accounts: TradingAccountList
    trading_account_connect: TradingAccountConnect
    archive: Archive
    allowance: Allowance
    exhausted: Exhausted
    usage: UsageReport
    grant_create: GrantCreate
    circuits: Circuits
    circuit_change: CircuitChange
    notices: Notices
    notice_deliveries: NoticeDeliveries
    notice_test: NoticeTest
    subscription_create: SubscriptionCreate
    webhook_create: WebhookCreate
    webhook_made: WebhookMade
    email_create: EmailCreate
    email_confirm: EmailConfirm
    routine_create: RoutineCreate
    routine_settings: RoutineSettings
    routine: Routine
    routines: RoutineList
    routine_history: RoutineHistory
    routine_run_now: RoutineRunNow
    routine_draft: RoutineDraft
    routine_times: RoutineTimes
    routine_notice: RoutineNotice
    ban_request: BanRequest
    breaker_request: BreakerRequest
    standing: EgressStanding
    removed_by_age: Retained
    sign_in_ways: SignInWays
    passkey_answer: PasskeyAnswer
    passkey_options: PasskeyOptions
    passkey_create: PasskeyCreate
    passkey_change: PasskeyChange
    sign_up_passkey: SignUpPasskey
    oidc_start: OidcStart
    oidc_started: OidcStarted
    access_join: AccessJoin
    recovery_sign_in: RecoverySignIn
    recovery_codes: RecoveryCodes
    signed_in: SignedIn
    ways_in: WaysIn
    invitation_made: InvitationMade
    invitations: InvitationList
    memberships: MembershipList
    workspace_create: WorkspaceCreate
    members: MemberList
    member_change: MemberChange
    member_invitation_create: MemberInvitationCreate
    member_invitation_made: MemberInvitationMade
    member_invitations: MemberInvitationList
    invitation_code: InvitationCode
    invited_to: InvitedTo
    sessions: SessionList
    tokens: TokenList
    token_create: TokenCreate
    token_made: TokenMade
    ticket_create: TicketCreate
    ticket: Ticket
    local_sign_in: LocalSignIn
    problem: ProblemDetails
