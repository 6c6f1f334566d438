"""What operators see and do: owners as numbers and states, the deployment as a whole.

Nothing here holds content: no message, title, name of a file or a bot, command, output or address of a page.
Times are milliseconds since the epoch, amounts micro-dollars.
"""

from typing import Annotated, Literal

from pydantic import Field

from contracts.allowance import Circuits
from contracts.errors import ErrorCode
from contracts.limits import OPERATOR_OWNERS_A_PAGE
from contracts.records import Ban, EgressBreaker, Record
from contracts.states import ComputerState, RunState

Count = Annotated[int, Field(ge=0)]


class OwnerReport(Record):
    """What an owner's object tells of itself now and then; `errors` and `calls` are of the last day."""

    at_ms: int
    bots: Count = 0
    threads: Count = 0
    routines: Count = 0
    runs: dict[RunState, Count] = Field(default={})
    """Those that began in the last day, and all that are not finished."""
    errors: dict[ErrorCode, Count] = Field(default={})
    """Of runs, by their code."""
    calls: Count = 0
    """Of tools."""
    running_ms: Count = 0
    """For how long the computer has run, ever."""
    computer_micro: Count = 0
    """In this month of the owner's, as the next two."""
    model_micro: Count = 0
    balance_micro: int = 0


class Exemption(Record):
    """The platform's breakers do not hold for this owner; a ban does."""

    reason: str
    at_ms: int


class OperatorOwner(Record):
    owner_id: str
    first_ms: int
    seen_ms: int
    """When anything of them came into the record or a report last."""
    state: ComputerState | None = None
    """Of the computer; None where it never ran."""
    state_ms: int | None = None
    reason: str | None = None
    """Why it is in standby, as a word of the list in docs/lifecycle.md, where that was not its own wish."""
    ban: Ban | None = None
    exempt: Exemption | None = None
    deleted_ms: int | None = None
    """When everything of theirs was deleted; what stands here is all that is left."""
    report: OwnerReport | None = None


class OperatorOwners(Record):
    """The owner seen last comes first. `next` is what `before` takes for the page behind it."""

    items: list[OperatorOwner] = Field(max_length=OPERATOR_OWNERS_A_PAGE)
    next: str | None = None


OwnersShown = Literal["all", "awake", "banned", "exempt", "deleted"]


class Overview(Record):
    """The deployment in one look. Sums are over what owners told last."""

    version: str
    deployed: str = ""
    """Cloudflare's id of this version of the Worker; empty on the local platform."""
    owners: Count
    banned: Count
    deleted: Count
    computers: dict[ComputerState, Count] = Field(default={})
    runs: dict[RunState, Count] = Field(default={})
    errors: dict[ErrorCode, Count] = Field(default={})
    running_ms: Count = 0
    starts_good: Count = 0
    """Of computers, in the last ten minutes."""
    starts_failed: Count = 0
    circuits: Circuits
    breaker: EgressBreaker | None = None
    audit_head: str


class ExemptRequest(Record):
    reason: str = Field(min_length=1, max_length=500)
