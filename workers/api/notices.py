"""Routes for notices: what an owner wants to be told of, where, and what became of it."""

from typing import Any

from fastapi import APIRouter, Request, Response

from api.egress import own_hosts
from api.owner import AskedOwner
from api.public_address import notice_url
from contracts.notices import (
    EmailConfirm,
    EmailCreate,
    NoticeChannel,
    NoticeDeliveries,
    Notices,
    NoticeSettings,
    NoticeTest,
    SubscriptionCreate,
    WebhookCreate,
    WebhookMade,
)

router = APIRouter(prefix="/notices", tags=["notices"])


def _base(request: Request) -> str:
    """Where this very request reached Berth: links in notices begin with it."""
    return str(request.base_url).rstrip("/")


@router.get("", response_model=Notices)
async def notices(owner: AskedOwner) -> Response:
    return await owner.answer("notices")


@router.put("/settings", response_model=Notices)
async def choose(owner: AskedOwner, body: NoticeSettings) -> Response:
    return await owner.answer("choose_notices", body=body.model_dump(mode="json"))


@router.get("/deliveries", response_model=NoticeDeliveries)
async def deliveries(owner: AskedOwner) -> Response:
    """The newest first."""
    return await owner.answer("notice_deliveries")


@router.post("/subscriptions", response_model=Notices, status_code=201)
async def subscribe(owner: AskedOwner, request: Request, body: SubscriptionCreate) -> Response:
    """A browser, by its `PushSubscription`. Its place has the id `sub_` and 32 hex digits of the endpoint's
    SHA-256; asked again it is renewed."""
    endpoint = notice_url(body.endpoint, own_hosts(request))
    fields: dict[str, Any] = body.model_dump(mode="json")
    return await owner.answer("subscribe", 201, body=fields, url=endpoint, base=_base(request))


@router.delete("/subscriptions/{subscription_id}", status_code=204)
async def unsubscribe(owner: AskedOwner, subscription_id: str) -> Response:
    await owner.call("unsubscribe", id=subscription_id)
    return Response(status_code=204)


@router.put("/webhook", response_model=WebhookMade)
async def set_webhook(owner: AskedOwner, request: Request, body: WebhookCreate) -> Response:
    """Instead of the one before, with a new secret, which no other answer holds."""
    url = notice_url(body.url, own_hosts(request))
    return await owner.answer("set_webhook", body={"url": url}, base=_base(request))


@router.delete("/webhook", status_code=204)
async def remove_webhook(owner: AskedOwner) -> Response:
    await owner.call("remove_notice_places", channel=NoticeChannel.WEBHOOK)
    return Response(status_code=204)


@router.put("/email", response_model=Notices)
async def ask_email(owner: AskedOwner, body: EmailCreate) -> Response:
    """Send a code to an address; it is used when the code has come back."""
    return await owner.answer("ask_email", body=body.model_dump())


@router.post("/email/confirm", response_model=Notices)
async def confirm_email(owner: AskedOwner, request: Request, body: EmailConfirm) -> Response:
    return await owner.answer("confirm_email", body=body.model_dump(), base=_base(request))


@router.delete("/email", status_code=204)
async def remove_email(owner: AskedOwner) -> Response:
    await owner.call("remove_notice_places", channel=NoticeChannel.EMAIL)
    return Response(status_code=204)


@router.post("/test", response_model=NoticeDeliveries)
async def test(owner: AskedOwner, body: NoticeTest) -> Response:
    """Send one to the places of a channel now; the answer says what became of it."""
    return await owner.answer("test_notice", body=body.model_dump(mode="json"))
