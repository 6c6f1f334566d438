"""Notices: what reaches an owner who has no page open, over which channel, and what became of it.

A notice says what happened, with which bot and in which thread. It holds nothing of what was said there.
"""

import re
from base64 import urlsafe_b64decode
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, model_validator

from contracts.limits import NOTICE_URL_CHARACTERS_MAX
from contracts.records import Record

MINUTES_A_DAY = 24 * 60
EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,63}")


class NoticeKind(StrEnum):
    APPROVAL = "approval"
    """Orders wait for the owner."""
    INPUT = "input"
    """A run needs an answer to go on."""
    FAILURE = "failure"
    """A run has failed."""
    ALLOWANCE = "allowance"
    """The computer's allowance is used up."""
    ROUTINE = "routine"
    """A routine was paused."""
    TEST = "test"
    """The owner has asked for one."""


# What an owner can switch: a test is asked for.
CHOSEN_KINDS = tuple(kind for kind in NoticeKind if kind is not NoticeKind.TEST)


class NoticeChannel(StrEnum):
    PUSH = "push"
    WEBHOOK = "webhook"
    EMAIL = "email"


class NoticeState(StrEnum):
    PENDING = "pending"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"


NoticeReason = Literal[
    "page_open",
    "quiet_hours",
    "email_limit",
    "answered",
    "expired",
    "switched_off",
    "place_gone",
    "thread_gone",
    "too_many",
    "refused",
    "redirected",
    "unreachable",
    "unreadable",
    "not_set_up",
]
"""Why a notice waits, was dropped or has failed."""


class QuietHours(Record):
    """From one minute of the owner's day to another, over midnight where `until` is the sooner one."""

    begin: int = Field(ge=0, lt=MINUTES_A_DAY)
    until: int = Field(ge=0, lt=MINUTES_A_DAY)

    @model_validator(mode="after")
    def _is_a_while(self) -> "QuietHours":
        if self.begin == self.until:
            raise ValueError("quiet hours need a beginning and another end")
        return self


class ChannelChoice(Record):
    on: bool = True
    kinds: list[NoticeKind] = Field(default=list(CHOSEN_KINDS), max_length=len(NoticeKind))
    quiet: bool = True
    """Whether quiet hours hold for it."""


class NoticeSettings(Record):
    push: ChannelChoice = ChannelChoice()
    webhook: ChannelChoice = ChannelChoice()
    email: ChannelChoice = ChannelChoice()
    titles: bool = True
    """Whether a notice may name its thread."""
    while_open: bool = False
    """Whether one is sent although a page is open."""
    quiet: QuietHours | None = None


class NoticePlace(Record):
    """Where notices go: a browser, a webhook or an address of mail."""

    id: str
    channel: NoticeChannel
    shown: str
    """The name of the browser, the host of the webhook or the address of mail."""
    created_ms: int
    used_ms: int | None = None
    """When it last took a notice."""


class NoticeDelivery(Record):
    """One notice on its way to one place."""

    id: str
    event: str
    """The same for all places that a notice goes to."""
    kind: NoticeKind
    channel: NoticeChannel
    thread_id: str | None
    state: NoticeState
    reason: NoticeReason | None
    status: int | None
    """What the other side answered last."""
    tries: int
    created_ms: int
    updated_ms: int
    due_ms: int | None
    """When it is tried next."""


class Notices(Record):
    """All that the settings show. `push_key` is the application server's, None where none is set up."""

    settings: NoticeSettings
    time_zone: str
    push_key: str | None
    email_available: bool
    keeps_secrets: bool
    """Whether this deployment can keep where notices go; else there is nowhere to send one."""
    places: list[NoticePlace]
    email_asked: str | None
    """An address that waits for its code."""


class NoticeDeliveries(Record):
    items: list[NoticeDelivery]


def _bytes_of(text: str, size: int) -> str:
    try:
        found = urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))
    except ValueError as error:
        raise ValueError("this is not base64url") from error
    if len(found) != size:
        raise ValueError(f"this must have {size} bytes")
    return text.rstrip("=")


def _point(text: str) -> str:
    return _bytes_of(text, 65)


def _secret(text: str) -> str:
    return _bytes_of(text, 16)


class SubscriptionKeys(Record):
    """As a browser gives them: the uncompressed point of its key, and its secret."""

    p256dh: Annotated[str, Field(max_length=120, pattern=r"^[A-Za-z0-9_-]+=*$"), AfterValidator(_point)]
    auth: Annotated[str, Field(max_length=40, pattern=r"^[A-Za-z0-9_-]+=*$"), AfterValidator(_secret)]


class SubscriptionCreate(Record):
    endpoint: str = Field(min_length=1, max_length=NOTICE_URL_CHARACTERS_MAX)
    keys: SubscriptionKeys
    shown: str = Field(default="", max_length=100)


class WebhookCreate(Record):
    url: str = Field(min_length=1, max_length=NOTICE_URL_CHARACTERS_MAX)


class WebhookMade(Record):
    """The only answer that holds the secret."""

    place: NoticePlace
    secret: str


def _address(text: str) -> str:
    if not EMAIL.fullmatch(text):
        raise ValueError("this is not an address of mail")
    return text


class EmailCreate(Record):
    address: Annotated[str, Field(max_length=254), AfterValidator(_address)]


class EmailConfirm(Record):
    code: str = Field(pattern=r"^[0-9]{6}$")


class NoticeTest(Record):
    channel: NoticeChannel
