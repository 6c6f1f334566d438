"""The webhook: a signed POST as the Standard Webhooks specification has it (standardwebhooks.com).

`webhook-signature` is HMAC-SHA256 over `id.timestamp.body`, with the 32 bytes behind `whsec_`. The id is the
same at each try, the timestamp is that of the try.
"""

import hmac
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from datetime import UTC, datetime

from durable_objects.bot_owner.notices.carriers import Notice, Parcel
from durable_objects.shared.ids import Entropy

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret(entropy: Entropy) -> str:
    return PREFIX + b64encode(entropy(SECRET_BYTES)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """`timestamp` is in seconds."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.digest(b64decode(secret.removeprefix(PREFIX)), signed, "sha256")
    return f"v1,{b64encode(digest).decode()}"


class WebhookCarrier:
    async def parcel(self, notice: Notice, place: Mapping[str, str]) -> Parcel:
        """`place` has `url` and `secret`."""
        body = told(notice)
        timestamp = notice.now_ms // 1000
        headers = {
            "content-type": "application/json",
            "user-agent": "Berth-Webhook",
            "webhook-id": notice.id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": signature(place["secret"], notice.id, timestamp, body),
        }
        return Parcel(place["url"], headers, body)


def told(notice: Notice) -> bytes:
    created = datetime.fromtimestamp(notice.created_ms / 1000, UTC)
    fields = {
        "type": f"notice.{notice.kind}",
        "timestamp": created.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "data": {
            "event": notice.event,
            "kind": notice.kind,
            "title": notice.words.title,
            "bot": notice.bot,
            "thread_id": notice.thread_id,
            "thread_title": notice.thread_title or None,
            "url": f"{notice.base}{notice.path}",
        },
    }
    return json.dumps(fields, ensure_ascii=False).encode()
