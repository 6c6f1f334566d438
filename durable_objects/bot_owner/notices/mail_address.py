"""The owner's address of mail: it is believed when a code that was sent there comes back."""

import hmac
import json
from typing import Any

from contracts.errors import ErrorCode
from contracts.limits import EMAIL_CODE_SECONDS, EMAIL_CODE_TRIES
from contracts.reasons import because
from contracts.states import Locale
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.notices.carriers import Send, UnreachableError
from durable_objects.bot_owner.notices.mail import MailHook
from durable_objects.bot_owner.notices.mail_count import MailCount
from durable_objects.bot_owner.notices.words import code_words
from durable_objects.shared.context import Context

ASKED = "notices_email_asked"


class MailAddress:
    def __init__(self, context: Context, catalog: Catalog, hook: MailHook | None, send: Send) -> None:
        self._context = context
        self._catalog = catalog
        self._hook = hook
        self._send = send
        self._mails = MailCount(context)

    @property
    def available(self) -> bool:
        return self._hook is not None

    @property
    def asked(self) -> str | None:
        """The address that waits for its code."""
        kept = self._kept()
        return kept["address"] if kept else None

    async def ask(self, address: str) -> None:
        """Send a code there. Raises `forbidden` or `notice_not_sent`; then the one before still holds."""
        if self._hook is None:
            raise because(ErrorCode.FORBIDDEN, "no_mail")
        self._mails.check_code()
        self._mails.tried("code")
        code = f"{int.from_bytes(self._context.entropy(8), 'big') % 1_000_000:06}"
        words = code_words(Locale(self._catalog.setting("locale", Locale.ENGLISH)), code)
        parcel = self._hook.parcel(self._context.new_id("code"), address, words.title, words.body)
        try:
            status = (await self._send(parcel.url, parcel.headers, parcel.body)).status
        except UnreachableError as error:
            raise because(ErrorCode.NOTICE_NOT_SENT, "mail_silent") from error
        if not 200 <= status < 300:
            raise because(ErrorCode.NOTICE_NOT_SENT, "mail_refused", status=status)
        self._keep(
            {
                "address": address,
                "code": code,
                "tries": 0,
                "until_ms": self._context.now_ms() + EMAIL_CODE_SECONDS * 1000,
            }
        )

    def confirm(self, code: str) -> str:
        """Return the address that a code was sent to. Raises `invalid_request` for another code."""
        kept = self._kept()
        if kept is None:
            raise because(ErrorCode.INVALID_REQUEST, "code_wrong")
        if not hmac.compare_digest(kept["code"], code):
            tries = kept["tries"] + 1
            self._keep({**kept, "tries": tries} if tries < EMAIL_CODE_TRIES else None)
            raise because(ErrorCode.INVALID_REQUEST, "code_wrong")
        self._keep(None)
        return str(kept["address"])

    def forget(self) -> None:
        self._keep(None)

    def _kept(self) -> dict[str, Any] | None:
        kept: dict[str, Any] | None = json.loads(self._catalog.setting(ASKED, "null"))
        return kept if kept and kept["until_ms"] > self._context.now_ms() else None

    def _keep(self, asked: dict[str, Any] | None) -> None:
        self._catalog.set_setting(ASKED, json.dumps(asked))
