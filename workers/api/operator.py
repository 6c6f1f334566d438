"""Routes for operators: the owners as numbers, whose computer may not run, the breakers, the record.

Nothing here answers with content, see `contracts/operators.py`. With the sign-in `local`, the operator is the
person at this machine, at the plain name `localhost`.
"""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query

from api.owner import AskedOwner, OwnerObject
from api.platform import PlatformObject
from contracts.allowance import Allowance, CircuitChange, CircuitName, Circuits, GrantCreate
from contracts.api import BanRequest, BreakerRequest
from contracts.audit import AuditCheck, AuditPage, actor_of
from contracts.operators import ExemptRequest, OperatorOwner, OperatorOwners, Overview, OwnersShown
from contracts.people import Caller, Right
from contracts.records import EgressStanding, Retained
from durable_objects.shared.permission import check_credential

router = APIRouter(prefix="/operator", tags=["operator"])


class Operator:
    """An operator at work: what they ask of Platform, and what they do under their name."""

    def __init__(self, env: Any, caller: Caller) -> None:
        self.env = env
        self.caller = caller
        self._platform = PlatformObject(env)

    async def ask(self, question: str, **fields: Any) -> Any:
        return await self._platform.ask(question, **fields)

    async def do(self, operation: str, **fields: Any) -> Any:
        return await self._platform.operate(actor_of(self.caller), operation, **fields)


async def operator(asked: AskedOwner) -> Operator:
    check_credential(asked.caller, Right.OPERATE)
    return Operator(asked.env, asked.caller)


OwnerId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
OwnerIdAsked = Annotated[str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
AnOperator = Annotated[Operator, Depends(operator)]
Behind = Annotated[int, Query(ge=0, lt=2**52)]


@router.get("/overview", response_model=Overview)
async def overview(caller: AnOperator) -> Any:
    """The deployment in one look."""
    return await caller.ask("overview")


@router.get("/owners", response_model=OperatorOwners)
async def owners(
    caller: AnOperator,
    shown: OwnersShown = "all",
    before: Annotated[str, Query(pattern=r"^([0-9]{1,15}\.[A-Za-z0-9_-]{1,64})?$")] = "",
    find: Annotated[str, Query(pattern=r"^[A-Za-z0-9_-]{0,64}$")] = "",
) -> Any:
    """The one seen last comes first. `before` is the `next` of the page in front, `find` how an id begins."""
    return await caller.ask("owners", shown=shown, before=before, find=find)


@router.get("/owners/{owner_id}", response_model=OperatorOwner)
async def owner(caller: AnOperator, owner_id: OwnerId) -> Any:
    return await caller.ask("owner", owner_id=owner_id)


@router.get("/owners/{owner_id}/standing", response_model=EgressStanding)
async def standing(caller: AnOperator, owner_id: OwnerId) -> Any:
    return await caller.ask("standing", owner_id=owner_id)


@router.put("/owners/{owner_id}/ban", response_model=EgressStanding)
async def ban(caller: AnOperator, owner_id: OwnerId, body: BanRequest) -> Any:
    """Its computer ends what it runs, saves its files and does not wake any more.

    What it is fetching is cut within three seconds at the latest.
    """
    return await caller.do("ban", owner_id=owner_id, body=body.model_dump())


@router.delete("/owners/{owner_id}/ban", response_model=EgressStanding)
async def lift(caller: AnOperator, owner_id: OwnerId) -> Any:
    return await caller.do("lift", owner_id=owner_id)


@router.put("/owners/{owner_id}/exemption", response_model=EgressStanding)
async def exempt(caller: AnOperator, owner_id: OwnerId, body: ExemptRequest) -> Any:
    """The breakers do not hold for this owner any more. What their computer costs still counts."""
    return await caller.do("exempt", owner_id=owner_id, body=body.model_dump())


@router.delete("/owners/{owner_id}/exemption", response_model=EgressStanding)
async def end_exemption(caller: AnOperator, owner_id: OwnerId) -> Any:
    return await caller.do("end_exemption", owner_id=owner_id)


@router.post("/owners/{owner_id}/grants", response_model=Allowance)
async def grant(caller: AnOperator, owner_id: OwnerId, body: GrantCreate) -> Any:
    """Add to an owner's allowance once: it stays until it is used. The same `id` again adds nothing."""
    return await OwnerObject(caller.env, caller.caller, owner_id).call("grant", body=body.model_dump())


@router.get("/retention", response_model=Retained)
async def removed_by_age(caller: AnOperator) -> Any:
    """What the retention settings of all owners have removed, ever."""
    return await caller.ask("removed_by_age")


@router.get("/circuits", response_model=Circuits)
async def circuits(caller: AnOperator) -> Any:
    """The breakers of all computers, what they cost today and in this hour of UTC, and what they may cost."""
    return await caller.ask("circuits")


@router.put("/circuits/{name}", response_model=Circuits)
async def change_circuit(caller: AnOperator, name: CircuitName, body: CircuitChange) -> Any:
    """Open until the next day, let a little through, or close and forget what was spent until now."""
    await caller.do("change_circuit", name=name, body=body.model_dump())
    return await caller.ask("circuits")


@router.put("/breaker", response_model=EgressStanding)
async def trip(caller: AnOperator, body: BreakerRequest) -> Any:
    """No computer can reach anything any more but the hosts that are exempt."""
    return await caller.do("trip", body=body.model_dump())


@router.delete("/breaker", response_model=EgressStanding)
async def reset(caller: AnOperator) -> Any:
    return await caller.do("reset")


@router.get("/audit", response_model=AuditPage)
async def audit(
    caller: AnOperator,
    owner_id: OwnerIdAsked = None,
    kind: Annotated[str | None, Query(pattern=r"^[a-z_]{1,64}$")] = None,
    before: Annotated[int | None, Query(ge=0, lt=2**52)] = None,
) -> Any:
    """The record, newest first. `before` is the `n` of the last entry of the page in front."""
    return await caller.ask("audit", owner_id=owner_id, kind=kind, before=before)


@router.get("/audit/check", response_model=AuditCheck)
async def check(
    caller: AnOperator,
    after: Behind = 0,
    head: Annotated[str | None, Query(pattern=r"^[0-9a-f]{64}$")] = None,
) -> Any:
    """Follow the chain of the record, some thousand entries at a time. `head` is one noted earlier."""
    return await caller.ask("check_audit", after=after, head=head)
