"""What an owner sets up for notices: what they choose, and the places that notices go to."""

from urllib.parse import urlsplit

from contracts.errors import ErrorCode
from contracts.notices import (
    EmailCreate,
    NoticeChannel,
    Notices,
    NoticeSettings,
    SubscriptionCreate,
    WebhookMade,
)
from contracts.reasons import because
from durable_objects.bot_owner.notices.choices import NoticeChoices
from durable_objects.bot_owner.notices.desk import NoticeDesk
from durable_objects.bot_owner.notices.mail_address import MailAddress
from durable_objects.bot_owner.notices.places import Places, place_record
from durable_objects.bot_owner.notices.web_push import decoded, is_point
from durable_objects.bot_owner.notices.webhook import new_secret
from durable_objects.shared.ids import Entropy


class NoticeSetup:
    def __init__(
        self,
        entropy: Entropy,
        *,
        choices: NoticeChoices,
        places: Places,
        desk: NoticeDesk,
        address: MailAddress,
        push_key: str | None,
    ) -> None:
        self._entropy = entropy
        self._choices = choices
        self._places = places
        self._desk = desk
        self._address = address
        self._push_key = push_key

    def shown(self) -> Notices:
        return Notices(
            settings=self._choices.settings,
            time_zone=self._choices.time_zone,
            push_key=self._push_key,
            email_available=self._address.available,
            keeps_secrets=self._places.kept,
            places=[place_record(row) for row in self._places.all()],
            email_asked=self._address.asked,
        )

    def choose(self, settings: NoticeSettings) -> Notices:
        self._choices.keep(settings)
        self._desk.changed()
        return self.shown()

    async def subscribe(self, wanted: SubscriptionCreate, url: str, base: str) -> Notices:
        """A browser; `url` is what its endpoint comes to.

        Raises `forbidden` where this deployment has no key to push with.
        """
        if self._push_key is None:
            raise because(ErrorCode.FORBIDDEN, "no_push")
        if not is_point(decoded(wanted.keys.p256dh)):
            raise because(ErrorCode.INVALID_REQUEST, "push_key_wrong")
        sealed = {"endpoint": url, **wanted.keys.model_dump()}
        await self._places.put_browser(wanted.endpoint, sealed, wanted.shown or "Browser")
        self._choices.set_base(base)
        return self.shown()

    async def set_webhook(self, url: str, base: str) -> WebhookMade:
        """Instead of the one before; the secret is told here and never again."""
        secret = new_secret(self._entropy)
        sealed = {"url": url, "secret": secret}
        place, before = await self._places.put_only(NoticeChannel.WEBHOOK, urlsplit(url).netloc, sealed)
        self._gone(before)
        self._choices.set_base(base)
        return WebhookMade(place=place, secret=secret)

    async def ask_email(self, wanted: EmailCreate) -> Notices:
        await self._address.ask(wanted.address)
        return self.shown()

    async def confirm_email(self, code: str, base: str) -> Notices:
        address = self._address.confirm(code)
        _, before = await self._places.put_only(NoticeChannel.EMAIL, address, {"address": address})
        self._gone(before)
        self._choices.set_base(base)
        return self.shown()

    def unsubscribe(self, place_id: str) -> None:
        """Raises `not_found` where there is no such browser."""
        found = self._places.get(place_id)
        if found is None or found["channel"] != NoticeChannel.PUSH:
            raise because(ErrorCode.NOT_FOUND, "browser_gone")
        self._remove(place_id)

    def remove(self, channel: NoticeChannel) -> None:
        """The places of a channel; none is no error."""
        if channel is NoticeChannel.EMAIL:
            self._address.forget()
        for row in self._places.of(channel):
            self._remove(row["id"])

    async def seal_anew(self) -> None:
        await self._places.seal_anew()

    def _remove(self, place_id: str) -> None:
        self._places.remove(place_id)
        self._gone([place_id])

    def _gone(self, place_ids: list[str]) -> None:
        for place_id in place_ids:
            self._desk.place_removed(place_id)
