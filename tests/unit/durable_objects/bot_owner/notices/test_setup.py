"""What an owner sets up: browsers, a webhook, an address of mail; sealed, replaced, confirmed, bounded."""

import json

import pytest
from pydantic import ValidationError

from contracts.errors import BerthError, ErrorCode
from contracts.limits import (
    EMAIL_CODE_SECONDS,
    EMAIL_CODE_TRIES,
    EMAIL_CODES_A_DAY,
    NOTICE_BROWSERS_MAX,
    NOTICE_URL_CHARACTERS_MAX,
)
from contracts.notices import (
    EmailCreate,
    NoticeChannel,
    NoticePlace,
    Notices,
    SubscriptionCreate,
    SubscriptionKeys,
)
from durable_objects.bot_owner.key_safe import KeyRing, KeySafe
from durable_objects.bot_owner.notices.carriers import Answered, UnreachableError
from durable_objects.bot_owner.notices.places import Places, browser_id
from durable_objects.bot_owner.notices.setup import NoticeSetup
from durable_objects.bot_owner.notices.web_push import encoded
from durable_objects.shared.context import Context
from tests.push_service.browser import Browser
from tests.unit.durable_objects.bot_owner.notices.test_desk import (
    ALLOWANCE,
    BASE,
    HOOK,
    browsers_wish,
    desk,
    mailed,
    subscribed,
    with_mail,
    with_push,
)
from tests.unit.durable_objects.bot_owner.rig import AesGcm, OwnerRig
from tests.unit.durable_objects.conftest import Clock

PUSH = "https://push.example/"
ADDRESS = EmailCreate(address="o@example.org")


def setup(rig: OwnerRig) -> NoticeSetup:
    return rig.owner.notices.setup


def places(rig: OwnerRig) -> list[NoticePlace]:
    return setup(rig).shown().places


def last_code(rig: OwnerRig) -> str:
    return str(json.loads(rig.post.sent[-1][2])["text"])[-6:]


def refused(code: ErrorCode, match: str) -> "pytest.RaisesExc[BerthError]":
    return pytest.raises(BerthError, match=match, check=lambda error: error.code is code)


def test_an_owner_begins_with_nothing_set_up(rig: OwnerRig) -> None:
    shown = setup(rig).shown()
    assert shown == Notices.model_validate(
        {
            "settings": {},
            "time_zone": "UTC",
            "push_key": None,
            "email_available": False,
            "keeps_secrets": True,
            "places": [],
            "email_asked": None,
        }
    )
    assert shown.settings.quiet is None
    assert len(shown.settings.push.kinds) == 5


async def test_a_browser_that_subscribes_again_is_renewed(rig: OwnerRig) -> None:
    with_push(rig)
    browser = await subscribed(rig, "a")
    await setup(rig).subscribe(browsers_wish(browser), browser.endpoint, BASE)
    (place,) = places(rig)
    assert (place.id, place.shown, place.channel) == (browser_id(browser.endpoint), "Chromium", "push")
    setup(rig).unsubscribe(place.id)
    assert places(rig) == []
    with refused(ErrorCode.NOT_FOUND, "browser"):
        setup(rig).unsubscribe(place.id)


async def test_so_many_browsers_and_no_more(rig: OwnerRig) -> None:
    with_push(rig)
    for n in range(NOTICE_BROWSERS_MAX):
        await subscribed(rig, str(n))
    with refused(ErrorCode.INVALID_REQUEST, "the most"):
        await subscribed(rig, "one more")
    await subscribed(rig, "0")
    assert len(places(rig)) == NOTICE_BROWSERS_MAX


async def test_where_nothing_can_be_pushed_no_browser_is_taken(rig: OwnerRig) -> None:
    with refused(ErrorCode.FORBIDDEN, "cannot push"):
        await subscribed(rig, "a")


async def test_a_key_off_the_curve_is_refused(rig: OwnerRig) -> None:
    with_push(rig)
    keys = SubscriptionKeys(p256dh=encoded(b"\4" + bytes(64)), auth=encoded(bytes(16)))
    with refused(ErrorCode.INVALID_REQUEST, "P-256"):
        await setup(rig).subscribe(SubscriptionCreate(endpoint=PUSH, keys=keys), PUSH, BASE)


@pytest.mark.parametrize(
    "keys",
    [
        {"p256dh": encoded(bytes(64)), "auth": encoded(bytes(16))},
        {"p256dh": encoded(bytes(65)), "auth": encoded(bytes(15))},
        {"p256dh": "not base64!", "auth": encoded(bytes(16))},
        {"p256dh": encoded(bytes(65))},
    ],
)
def test_keys_of_another_shape_are_refused(keys: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        SubscriptionKeys.model_validate(keys)


@pytest.mark.parametrize(
    ("length", "fits"), [(NOTICE_URL_CHARACTERS_MAX, True), (NOTICE_URL_CHARACTERS_MAX + 1, False)]
)
def test_an_endpoint_has_a_length(length: int, fits: bool) -> None:
    wish = {
        **Browser("https://push.example/").subscription,
        "endpoint": "https://push.example/".ljust(length, "a"),
    }
    if fits:
        SubscriptionCreate.model_validate(wish)
    else:
        with pytest.raises(ValidationError):
            SubscriptionCreate.model_validate(wish)


async def test_a_webhook_takes_the_place_of_the_one_before_with_a_secret_of_its_own(rig: OwnerRig) -> None:
    first = await setup(rig).set_webhook(HOOK, BASE)
    desk(rig).occurred(ALLOWANCE)
    second = await setup(rig).set_webhook("https://other.example:8443/x", BASE)
    assert first.secret != second.secret
    assert [place.shown for place in places(rig)] == ["other.example:8443"]
    await desk(rig).sweep()
    assert rig.post.sent == []
    (dropped,) = desk(rig).deliveries()
    assert dropped.reason == "place_gone"


async def test_nothing_secret_is_told_again_or_stored_open(rig: OwnerRig) -> None:
    made = await setup(rig).set_webhook(HOOK, BASE)
    told = setup(rig).shown().model_dump_json() + json.dumps(
        rig.context.sql.execute("SELECT * FROM notice_places")
    )
    assert made.secret not in told
    assert "token-in-the-path" not in told


async def test_an_address_is_used_when_its_code_has_come_back(rig: OwnerRig) -> None:
    with_mail(rig)
    asked = await setup(rig).ask_email(ADDRESS)
    assert (asked.email_asked, asked.places) == ("o@example.org", [])
    confirmed = await setup(rig).confirm_email(last_code(rig), BASE)
    assert (confirmed.email_asked, [place.shown for place in confirmed.places]) == (None, ["o@example.org"])
    with refused(ErrorCode.INVALID_REQUEST, "not the code"):
        await setup(rig).confirm_email(last_code(rig), BASE)


async def test_another_code_is_refused_so_many_times_and_then_the_right_one_too(rig: OwnerRig) -> None:
    with_mail(rig)
    await setup(rig).ask_email(ADDRESS)
    wrong = f"{(int(last_code(rig)) + 1) % 1_000_000:06}"
    for _ in range(EMAIL_CODE_TRIES - 1):
        with refused(ErrorCode.INVALID_REQUEST, "not the code"):
            await setup(rig).confirm_email(wrong, BASE)
    assert setup(rig).shown().email_asked == "o@example.org"
    with refused(ErrorCode.INVALID_REQUEST, "not the code"):
        await setup(rig).confirm_email(wrong, BASE)
    with refused(ErrorCode.INVALID_REQUEST, "not the code"):
        await setup(rig).confirm_email(last_code(rig), BASE)
    assert places(rig) == []


@pytest.mark.parametrize(("seconds", "taken"), [(EMAIL_CODE_SECONDS - 1, True), (EMAIL_CODE_SECONDS, False)])
async def test_a_code_has_its_time(rig: OwnerRig, clock: Clock, seconds: int, taken: bool) -> None:
    with_mail(rig)
    await setup(rig).ask_email(ADDRESS)
    clock.pass_seconds(seconds)
    if taken:
        await setup(rig).confirm_email(last_code(rig), BASE)
    else:
        with refused(ErrorCode.INVALID_REQUEST, "too old"):
            await setup(rig).confirm_email(last_code(rig), BASE)


async def test_codes_have_a_limit_a_day(rig: OwnerRig, clock: Clock) -> None:
    with_mail(rig)
    for _ in range(EMAIL_CODES_A_DAY):
        await setup(rig).ask_email(ADDRESS)
    with refused(ErrorCode.FORBIDDEN, "a day"):
        await setup(rig).ask_email(ADDRESS)
    clock.pass_seconds(24 * 3_600)
    await setup(rig).ask_email(ADDRESS)


@pytest.mark.parametrize("answer", [Answered(401), Answered(302), UnreachableError("no")])
async def test_a_code_that_could_not_be_sent_is_said_to_be_so(
    rig: OwnerRig, answer: Answered | UnreachableError
) -> None:
    await mailed(rig)
    rig.post.answers = [answer]
    with refused(ErrorCode.NOTICE_NOT_SENT, "could not be sent"):
        await setup(rig).ask_email(EmailCreate(address="p@example.org"))
    shown = setup(rig).shown()
    assert (shown.email_asked, [place.shown for place in shown.places]) == (None, ["o@example.org"])


async def test_without_a_mail_service_none_is_asked_for(rig: OwnerRig) -> None:
    with refused(ErrorCode.FORBIDDEN, "sends no mail"):
        await setup(rig).ask_email(ADDRESS)


async def test_an_address_that_is_taken_away_is_asked_for_no_more(rig: OwnerRig) -> None:
    await mailed(rig)
    await setup(rig).ask_email(EmailCreate(address="p@example.org"))
    setup(rig).remove(NoticeChannel.EMAIL)
    shown = setup(rig).shown()
    assert (shown.places, shown.email_asked) == ([], None)


@pytest.mark.parametrize(
    "address",
    ["", "o", "o@", "@example.org", "o@example", "o@example.org\nBcc: x@y.org", "a b@example.org", "o@-"],
)
def test_what_is_no_address_of_mail_is_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        EmailCreate(address=address)


def safe(context: Context, *names: str) -> KeySafe:
    return KeySafe(KeyRing({name: name.encode().ljust(32) for name in names}), AesGcm(), context.entropy)


async def test_places_are_sealed_anew_when_the_key_is_replaced(rig: OwnerRig) -> None:
    old = Places(rig.context, safe(rig.context, "old"), "o1")
    await old.put_only(NoticeChannel.WEBHOOK, "h", {"url": HOOK, "secret": "s"})
    both = Places(rig.context, safe(rig.context, "new", "old"), "o1")
    await both.seal_anew()
    new = Places(rig.context, safe(rig.context, "new"), "o1")
    (row,) = new.all()
    assert await new.opened(row) == {"url": HOOK, "secret": "s"}
    assert row["sealed"].startswith("v1.new.")


async def test_a_sealed_place_opens_for_its_owner_alone(rig: OwnerRig) -> None:
    mine = Places(rig.context, safe(rig.context, "k"), "o1")
    await mine.put_only(NoticeChannel.WEBHOOK, "h", {"url": HOOK, "secret": "s"})
    (row,) = mine.all()
    with pytest.raises(BerthError):
        await Places(rig.context, safe(rig.context, "k"), "o2").opened(row)
    with pytest.raises(BerthError):
        await mine.opened({**row, "id": "plc_other"})


async def test_where_nothing_can_be_sealed_no_place_is_taken(rig: OwnerRig) -> None:
    none = Places(rig.context, safe(rig.context), "o1")
    assert not none.kept
    with refused(ErrorCode.FORBIDDEN, "cannot keep keys"):
        await none.put_only(NoticeChannel.WEBHOOK, "h", {"url": HOOK})
    await none.seal_anew()


def test_a_browser_can_work_out_the_id_of_its_place() -> None:
    # web/test/notices/notice-settings.test.ts has the same pair.
    assert browser_id("https://push.example/send/1") == "sub_672d06b3eb19b708cd71c864b7765b94"
