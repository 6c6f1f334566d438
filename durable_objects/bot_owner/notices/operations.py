"""What the API asks about notices, as a table of named operations. Addresses were checked by the API."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from contracts.notices import (
    EmailConfirm,
    EmailCreate,
    NoticeChannel,
    NoticeDeliveries,
    NoticeSettings,
    NoticeTest,
    SubscriptionCreate,
    WebhookCreate,
)
from contracts.records import Record
from durable_objects.bot_owner.notices.desk import NoticeDesk
from durable_objects.bot_owner.notices.setup import NoticeSetup

Fields = Mapping[str, Any]
Operation = Callable[[Fields], Awaitable[Any]]


def notice_operations(desk: NoticeDesk, setup: NoticeSetup) -> dict[str, Operation]:
    return _choices(desk, setup) | _places(setup)


def _choices(desk: NoticeDesk, setup: NoticeSetup) -> dict[str, Operation]:
    async def notices(_fields: Fields) -> Record:
        return setup.shown()

    async def choose(fields: Fields) -> Record:
        return setup.choose(NoticeSettings.model_validate(fields["body"]))

    async def test(fields: Fields) -> Record:
        return NoticeDeliveries(items=await desk.test(NoticeTest.model_validate(fields["body"]).channel))

    async def deliveries(_fields: Fields) -> Record:
        return NoticeDeliveries(items=desk.deliveries())

    return {
        "notices": notices,
        "choose_notices": choose,
        "test_notice": test,
        "notice_deliveries": deliveries,
    }


def _places(setup: NoticeSetup) -> dict[str, Operation]:
    async def subscribe(fields: Fields) -> Record:
        wanted = SubscriptionCreate.model_validate(fields["body"])
        return await setup.subscribe(wanted, fields["url"], fields["base"])

    async def unsubscribe(fields: Fields) -> None:
        setup.unsubscribe(fields["id"])

    async def set_webhook(fields: Fields) -> Record:
        return await setup.set_webhook(WebhookCreate.model_validate(fields["body"]).url, fields["base"])

    async def ask_email(fields: Fields) -> Record:
        return await setup.ask_email(EmailCreate.model_validate(fields["body"]))

    async def confirm_email(fields: Fields) -> Record:
        return await setup.confirm_email(EmailConfirm.model_validate(fields["body"]).code, fields["base"])

    async def remove(fields: Fields) -> None:
        setup.remove(NoticeChannel(fields["channel"]))

    return {
        "subscribe": subscribe,
        "unsubscribe": unsubscribe,
        "set_webhook": set_webhook,
        "ask_email": ask_email,
        "confirm_email": confirm_email,
        "remove_notice_places": remove,
    }
