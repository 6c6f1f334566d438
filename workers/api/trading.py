"""Routes for approvals, the kill switch and the owner's rules.

A decision is a POST with the digest of what was shown: no link, message or page of another address makes one.
"""

from fastapi import APIRouter, Response

from api.owner import Caller
from contracts.trading import Intent, IntentDecision, IntentList, Trading, TradingRules, TradingSwitch

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
