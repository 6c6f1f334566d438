"""Web Push: the RFC's own example, and what a browser and its push service make of a notice."""

import json

import pytest

from contracts.notices import NoticeKind
from durable_objects.bot_owner.notices.carriers import Notice
from durable_objects.bot_owner.notices.web_push import (
    RECORD_BYTES,
    STEP_BYTES,
    TAG_BYTES,
    KeyPair,
    PushCarrier,
    Vapid,
    decoded,
    encoded,
    encrypted,
    is_point,
    read_vapid,
    told,
)
from durable_objects.bot_owner.notices.words import Words
from local.keys import new_vapid_key
from tests.push_service.browser import Browser
from tests.push_service.crypto import TestCurve
from tests.unit.durable_objects.bot_owner.rig import AesGcm
from tests.vectors import web_push as vector

NOW_MS = 1_800_000_000_000
CURVE, CIPHER = TestCurve(), AesGcm()


def notice(**changes: object) -> Notice:
    fields: dict[str, object] = {
        "id": "ntc_1",
        "event": "approval:int_1",
        "kind": NoticeKind.APPROVAL,
        "words": Words("Approval needed", "Data · Prices 价格"),
        "bot": "Data",
        "thread_id": "thr_1",
        "thread_title": "Prices 价格",
        "base": "https://berth.example",
        "created_ms": NOW_MS,
        "now_ms": NOW_MS,
        "until_ms": NOW_MS + 900_000,
    }
    return Notice(**(fields | changes))  # type: ignore[arg-type]


def vapid(subject: str = "mailto:o@example.org") -> Vapid:
    found = read_vapid(new_vapid_key(), subject)
    assert found is not None
    return found


async def test_the_example_of_the_rfc_comes_out_to_the_byte() -> None:
    assert await vector.body_by(CURVE, CIPHER) == vector.BODY


def test_the_browser_of_the_tests_reads_the_example_of_the_rfc() -> None:
    key = int.from_bytes(decoded(vector.BROWSER_PRIVATE), "big")
    browser = Browser("https://push.example/1", key, decoded(vector.BROWSER_SECRET))
    assert browser.subscription["keys"] == {"p256dh": vector.BROWSER_PUBLIC, "auth": vector.BROWSER_SECRET}
    assert browser.decrypted(decoded(vector.BODY)) == vector.TEXT


@pytest.mark.parametrize("endpoint", ["https://push.example/send/1", "https://push.example:8443/a?token=b"])
async def test_a_browser_takes_the_notice_and_knows_who_sent_it(endpoint: str) -> None:
    browser, sender = Browser(endpoint), vapid()
    place = {"endpoint": endpoint, **browser.subscription["keys"]}
    carrier = PushCarrier(CURVE, CIPHER, lambda n: b"r" * n, sender)
    parcel = await carrier.parcel(notice(), place)
    assert parcel.url == endpoint
    said = browser.taken(parcel.headers, parcel.body, key=sender.public, now_s=NOW_MS / 1000)
    assert said == {
        "id": "approval:int_1",
        "kind": "approval",
        "title": "Approval needed",
        "body": "Data · Prices 价格",
        "path": "/t/thr_1",
    }
    assert (parcel.headers["ttl"], parcel.headers["urgency"]) == ("900", "high")


async def test_the_same_event_has_the_same_topic_and_another_has_another() -> None:
    browser, sender = Browser("https://push.example/1"), vapid("")
    place = {"endpoint": browser.endpoint, **browser.subscription["keys"]}
    carrier = PushCarrier(CURVE, CIPHER, lambda n: b"r" * n, sender)
    one, again, other = [
        await carrier.parcel(notice(event=event, kind=NoticeKind.FAILURE), place) for event in ("a", "a", "b")
    ]
    assert one.headers["topic"] == again.headers["topic"] != other.headers["topic"]
    assert one.headers["urgency"] == "normal"
    assert one.body != again.body, "each message has a key of its own"


async def test_what_was_made_for_one_browser_is_nothing_for_another() -> None:
    made, sender = Browser("https://push.example/1"), vapid()
    place = {"endpoint": made.endpoint, **made.subscription["keys"]}
    parcel = await PushCarrier(CURVE, CIPHER, lambda n: b"r" * n, sender).parcel(notice(), place)
    with pytest.raises(Exception, match=r"^$"):  # cryptography's InvalidTag says nothing
        Browser("https://push.example/1").decrypted(parcel.body)


@pytest.mark.parametrize("names", ["", "B" * 100, "数" * 100])
def test_messages_are_long_by_steps_and_fit_into_a_record(names: str) -> None:
    text = told(notice(words=Words("Approval needed", f"{names} · {names}"), event="e" * 100))
    assert len(text) % STEP_BYTES == 0
    assert len(text) + 1 + TAG_BYTES + 86 <= RECORD_BYTES
    assert json.loads(text)["title"] == "Approval needed"


@pytest.mark.parametrize(
    ("size", "fits"), [(RECORD_BYTES - 1 - TAG_BYTES, True), (RECORD_BYTES - TAG_BYTES, False)]
)
async def test_a_message_has_one_record(size: int, fits: bool) -> None:
    own, other = await CURVE.pair(), await CURVE.pair()

    async def made() -> bytes:
        return await encrypted(
            CURVE, CIPHER, b"x" * size, own=own, other=other.public, secret=b"s" * 16, salt=b"a" * 16
        )

    if fits:
        assert len(await made()) == RECORD_BYTES + 86
    else:
        with pytest.raises(ValueError, match="longer"):
            await made()


async def test_points_of_the_curve_are_told_from_others() -> None:
    pair = await CURVE.pair()
    assert is_point(pair.public)
    moved = pair.public[:-1] + bytes([pair.public[-1] ^ 1])
    for other in (b"", pair.public[:-1], b"\2" + pair.public[1:], moved, b"\4" + bytes(64)):
        assert not is_point(other)


def test_a_key_is_read_as_it_is_made() -> None:
    text = new_vapid_key()
    found = read_vapid(f" {text}\n", "")
    assert found is not None
    assert text == f"{found.public}.{encoded(found.keys.private)}"
    assert read_vapid("", "mailto:x@example.org") is None


@pytest.mark.parametrize(
    ("key", "subject"),
    [
        ("secret", ""),
        ("secret.secret", ""),
        ("a.b.c", ""),
        (f"{encoded(bytes(65))}.{encoded(bytes(32))}", ""),
        (new_vapid_key()[:-4], ""),
        (new_vapid_key(), "o@example.org"),
    ],
)
def test_what_is_no_key_is_refused_without_a_word_of_it(key: str, subject: str) -> None:
    with pytest.raises(ValueError, match=r"^the (key|subject) is ") as refused:
        read_vapid(key, subject)
    assert key not in str(refused.value)


async def test_a_key_that_is_none_is_a_value_error() -> None:
    place = {"endpoint": "https://push.example/1", "p256dh": encoded(bytes(65)), "auth": encoded(bytes(16))}
    with pytest.raises(ValueError):  # noqa: PT011 - whoever carries says the sentence
        await PushCarrier(CURVE, CIPHER, lambda n: b"r" * n, vapid()).parcel(notice(), place)


def test_a_key_pair_does_not_show_what_is_secret() -> None:
    shown = repr(Vapid(KeyPair(b"hidden", b"seen")))
    assert "hidden" not in shown
