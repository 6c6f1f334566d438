"""Routes for approvals, the kill switch and the owner's rules.

A decision is a POST with the digest of what was shown: no link, message or page of another address makes one.
"""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from api.owner import AskedOwner
from contracts.limits import INTENTS_A_PAGE
from contracts.paper import PaperSettings
from contracts.trading import (
    ApprovalSettings,
    Intent,
    IntentDecision,
    IntentList,
    Trading,
    TradingAccount,
    TradingAccountConnect,
    TradingAccountList,
    TradingRules,
    TradingSwitch,
    TradingVenue,
)

router = APIRouter(tags=["trading"])


@router.get("/approvals", response_model=IntentList)
async def approvals(
    owner: AskedOwner,
    *,
    pending: bool = True,
    before: Annotated[str | None, Query(max_length=64)] = None,
    limit: Annotated[int, Query(ge=1, le=INTENTS_A_PAGE)] = INTENTS_A_PAGE,
) -> Response:
    """The newest first; `before` is the id of the last one of the page before."""
    return await owner.answer("approvals", pending=pending, before=before, limit=limit)


@router.get("/approvals/{intent_id}", response_model=Intent)
async def approval(owner: AskedOwner, intent_id: str) -> Response:
    return await owner.answer("approval", id=intent_id)


@router.post("/approvals/{intent_id}/decision", response_model=Intent)
async def decide(owner: AskedOwner, intent_id: str, body: IntentDecision) -> Response:
    """Lines that are not approved are declined. `approval_changed` names the intent to look at instead."""
    return await owner.answer("decide_approval", id=intent_id, body=body.model_dump())


@router.get("/trading", response_model=Trading)
async def trading(owner: AskedOwner) -> Response:
    return await owner.answer("trading")


@router.put("/trading/switch", response_model=Trading)
async def set_switch(owner: AskedOwner, body: TradingSwitch) -> Response:
    return await owner.answer("set_trading_switch", body=body.model_dump(mode="json"))


@router.put("/trading/rules", response_model=Trading)
async def set_rules(owner: AskedOwner, body: TradingRules) -> Response:
    return await owner.answer("set_trading_rules", body=body.model_dump(mode="json"))


@router.get("/trading/paper", response_model=PaperSettings)
async def paper(owner: AskedOwner) -> Response:
    return await owner.answer("paper_settings")


@router.put("/trading/paper", response_model=PaperSettings)
async def set_paper(owner: AskedOwner, body: PaperSettings) -> Response:
    """The market of the paper venue from now on; money, positions and open orders stay."""
    return await owner.answer("set_paper_settings", body=body.model_dump(mode="json"))


@router.put("/trading/venue", response_model=Trading)
async def set_venue(owner: AskedOwner, body: TradingVenue) -> Response:
    """Where what is proposed from now on goes. `hyperliquid` needs the id of a connected account."""
    return await owner.answer("set_trading_venue", body=body.model_dump(mode="json"))


@router.get("/trading/accounts", response_model=TradingAccountList)
async def accounts(owner: AskedOwner) -> Response:
    return await owner.answer("trading_accounts")


@router.post("/trading/accounts", response_model=TradingAccount, status_code=201)
async def connect_account(owner: AskedOwner, body: TradingAccountConnect) -> Response:
    """Connect an account to watch it; with the key of an agent of it, to trade for it.

    What is wrong is 422 `invalid_request` with a `reason` in its details: `unknown_address`, `agent_address`,
    `sub_account`, `bad_key`, `account_key`, `unknown_agent`, `other_account`, `agent_expired`, `too_many`.
    """
    fields = body.model_dump(mode="json")
    if body.agent_key is not None:
        # Readable again: the owner's object is where it goes.
        fields["agent_key"] = body.agent_key.get_secret_value()
    return await owner.answer("connect_trading_account", 201, body=fields)


@router.delete("/trading/accounts/{account_id}", status_code=204)
async def remove_account(owner: AskedOwner, account_id: str) -> Response:
    """Forget an account and its key. What waits for approval of it is withdrawn."""
    await owner.call("remove_trading_account", id=account_id)
    return Response(status_code=204)


@router.put("/trading/approvals", response_model=Trading)
async def set_approvals(owner: AskedOwner, body: ApprovalSettings) -> Response:
    return await owner.answer("set_trading_approvals", body=body.model_dump(mode="json"))
