"""Mail, through whatever HTTP service the operator names: an address, a header, and a body as a template.

The template is JSON; `{to}`, `{subject}` and `{text}` in its strings are filled in, and nothing else of it
changes. So what is filled in cannot become another field.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from durable_objects.bot_owner.notices.carriers import Notice, Parcel

MARK = re.compile(r"(\{to\}|\{subject\}|\{text\})")
TEMPLATE = '{"to": "{to}", "subject": "{subject}", "text": "{text}"}'


@dataclass(frozen=True)
class MailHook:
    url: str
    headers: Mapping[str, str] = field(repr=False)
    template: Any = field(repr=False)

    def parcel(self, message_id: str, to: str, subject: str, text: str) -> Parcel:
        filled = _filled(self.template, {"{to}": to, "{subject}": subject, "{text}": text})
        headers = {"content-type": "application/json", "idempotency-key": message_id, **self.headers}
        return Parcel(self.url, headers, json.dumps(filled, ensure_ascii=False).encode())


def read_mail_hook(url: str, header: str, template: str) -> MailHook | None:
    """`header` is `Name: value`. None where no address is set. Raises ValueError, not saying what it read."""
    if not url.strip():
        return None
    parts = urlsplit(url.strip())
    if parts.scheme not in {"https", "http"} or not parts.hostname:
        raise ValueError("the address is not one of https")
    name, _, value = header.partition(":")
    if header.strip() and not (name.strip() and value.strip() and header.isprintable()):
        raise ValueError("the header is not `Name: value`")
    try:
        shape = json.loads(template or TEMPLATE)
    except ValueError:
        raise ValueError("the template is not JSON") from None
    if "{to}" not in json.dumps(shape) or "{text}" not in json.dumps(shape):
        raise ValueError("the template names no {to} or no {text}")
    return MailHook(url.strip(), {name.strip().lower(): value.strip()} if header.strip() else {}, shape)


@dataclass(frozen=True)
class MailCarrier:
    hook: MailHook

    async def parcel(self, notice: Notice, place: Mapping[str, str]) -> Parcel:
        """`place` has `address`."""
        about = f"{notice.words.body}\n\n" if notice.words.body else ""
        text = f"{notice.words.title}\n{about}{notice.base}{notice.path}\n"
        return self.hook.parcel(notice.id, place["address"], f"Berth: {notice.words.title}", text)


def _filled(shape: Any, words: Mapping[str, str]) -> Any:
    if isinstance(shape, dict):
        return {name: _filled(value, words) for name, value in shape.items()}
    if isinstance(shape, list):
        return [_filled(value, words) for value in shape]
    if not isinstance(shape, str):
        return shape
    # What is filled in is not looked at again.
    return "".join(words.get(piece, piece) for piece in MARK.split(shape))
