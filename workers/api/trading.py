"""Routes for approvals, the kill switch and the owner's rules.

A decision is a POST with the digest of what was shown: no link, message or page of another address makes one.
"""

from fastapi import APIRouter, Response

from api.owner import Caller
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
async def approvals(owner: Caller, *, pending: bool = True) -> Response:
    return await owner.answer("approvals", pending=pending)


@router.get("/approvals/{intent_id}", response_model=Intent)
async def approval(owner: Caller, intent_id: str) -> Response:
    return await owner.answer("approval", id=intent_id)


@router.post("/approvals/{intent_id}/decision", response_model=Intent)
async def decide(owner: Caller, intent_id: str, body: IntentDecision) -> Response:
    """Lines that are not approved are declined. `approval_changed` names the intent to look at instead."""
    return await owner.answer("decide_approval", id=intent_id, body=body.model_dump())


@router.get("/trading", response_model=Trading)
async def trading(owner: Caller) -> Response:
    return await owner.answer("trading")


@router.put("/trading/switch", response_model=Trading)
async def set_switch(owner: Caller, body: TradingSwitch) -> Response:
    return await owner.answer("set_trading_switch", body=body.model_dump(mode="json"))


@router.put("/trading/rules", response_model=Trading)
async def set_rules(owner: Caller, body: TradingRules) -> Response:
    return await owner.answer("set_trading_rules", body=body.model_dump(mode="json"))


@router.put("/trading/venue", response_model=Trading)
async def set_venue(owner: Caller, body: TradingVenue) -> Response:
    """Where what is proposed from now on goes. `hyperliquid` needs the id of a connected account."""
    return await owner.answer("set_trading_venue", body=body.model_dump(mode="json"))


@router.get("/trading/accounts", response_model=TradingAccountList)
async def accounts(owner: Caller) -> Response:
    return await owner.answer("trading_accounts")


@router.post("/trading/accounts", response_model=TradingAccount, status_code=201)
async def connect_account(owner: Caller, body: TradingAccountConnect) -> Response:
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
async def remove_account(owner: Caller, account_id: str) -> Response:
    """Forget an account and its key. What waits for approval of it is withdrawn."""
    await owner.call("remove_trading_account", id=account_id)
    return Response(status_code=204)


@router.put("/trading/approvals", response_model=Trading)
async def set_approvals(owner: Caller, body: ApprovalSettings) -> Response:
    return await owner.answer("set_trading_approvals", body=body.model_dump(mode="json"))
