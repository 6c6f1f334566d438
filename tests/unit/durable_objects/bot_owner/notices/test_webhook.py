"""The webhook's signature by the published example of Standard Webhooks, and what its body holds."""

import hmac
import json
from base64 import b64decode, b64encode

from contracts.notices import NoticeKind
from durable_objects.bot_owner.notices.webhook import WebhookCarrier, new_secret, signature
from tests.unit.durable_objects.bot_owner.notices.test_web_push import NOW_MS, notice

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_the_published_example_comes_out() -> None:
    made = signature(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


async def test_a_receiver_can_check_what_it_gets_with_the_three_headers() -> None:
    place = {"url": "https://hooks.example/a?token=b", "secret": new_secret(lambda n: b"k" * n)}
    parcel = await WebhookCarrier().parcel(notice(), place)
    assert parcel.url == place["url"]
    headers = parcel.headers
    assert headers["webhook-id"] == "ntc_1"
    assert headers["webhook-timestamp"] == str(NOW_MS // 1000)
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + parcel.body
    key = b64decode(place["secret"].removeprefix("whsec_"))
    assert headers["webhook-signature"] == "v1," + b64encode(hmac.digest(key, signed, "sha256")).decode()


async def test_another_try_has_the_same_id_and_body_and_a_time_of_its_own() -> None:
    place = {"url": "https://hooks.example/", "secret": SECRET}
    first = await WebhookCarrier().parcel(notice(), place)
    again = await WebhookCarrier().parcel(notice(now_ms=NOW_MS + 30_000), place)
    assert (first.body, first.headers["webhook-id"]) == (again.body, again.headers["webhook-id"])
    assert first.headers["webhook-signature"] != again.headers["webhook-signature"]


async def test_the_body_says_what_happened_and_where_and_no_more() -> None:
    place = {"url": "https://hooks.example/", "secret": SECRET}
    named = json.loads((await WebhookCarrier().parcel(notice(), place)).body)
    assert named == {
        "type": "notice.approval",
        "timestamp": "2027-01-15T08:00:00.000Z",
        "data": {
            "event": "approval:int_1",
            "kind": "approval",
            "title": "Approval needed",
            "bot": "Data",
            "thread_id": "thr_1",
            "thread_title": "Prices 价格",
            "url": "https://berth.example/t/thr_1",
        },
    }
    nameless = notice(thread_title="", thread_id=None, kind=NoticeKind.ROUTINE)
    data = json.loads((await WebhookCarrier().parcel(nameless, place)).body)["data"]
    assert (data["thread_title"], data["url"]) == (None, "https://berth.example/")
