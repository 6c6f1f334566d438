"""The parts of notices, put together for one owner."""

from collections.abc import Callable
from dataclasses import dataclass

from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.key_safe import KeySafe
from durable_objects.bot_owner.notices.choices import NoticeChoices
from durable_objects.bot_owner.notices.desk import NoticeDesk, PostOffice
from durable_objects.bot_owner.notices.mail_address import MailAddress
from durable_objects.bot_owner.notices.places import Places
from durable_objects.bot_owner.notices.setup import NoticeSetup
from durable_objects.shared.context import Context


@dataclass(frozen=True)
class NoticeParts:
    desk: NoticeDesk
    setup: NoticeSetup


def notice_parts(  # noqa: PLR0913 - what an owner gives, all by name
    context: Context,
    owner_id: str,
    *,
    catalog: Catalog,
    safe: KeySafe,
    office: PostOffice,
    time_zone: Callable[[], str],
    page_open: Callable[[], bool],
    ring_by: Callable[[int], None],
) -> NoticeParts:
    places, choices = Places(context, safe, owner_id), NoticeChoices(catalog, time_zone)
    desk = NoticeDesk(
        context,
        catalog=catalog,
        places=places,
        choices=choices,
        office=office,
        page_open=page_open,
        ring_by=ring_by,
    )
    setup = NoticeSetup(
        context.entropy,
        choices=choices,
        places=places,
        desk=desk,
        address=MailAddress(context, catalog, office.mail, office.send),
        push_key=office.push_key,
    )
    return NoticeParts(desk, setup)
