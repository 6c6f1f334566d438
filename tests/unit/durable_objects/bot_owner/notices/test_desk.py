"""Notices from the event to the channel, on the parts of an owner: what is sent, when, and what is not."""

import asyncio
import itertools
import json

import pytest

from contracts.allowance import Account, Interval
from contracts.api import MessageCreate
from contracts.errors import BerthError, ErrorCode
from contracts.limits import (
    NOTICE_EMAILS_AN_HOUR,
    NOTICE_LEFT_SECONDS,
    NOTICE_LOOK_SECONDS,
    NOTICE_RETRY_SECONDS_MAX,
    NOTICE_SECONDS,
    NOTICE_SENT_AT_ONCE,
    NOTICE_TESTS_AN_HOUR,
    NOTICE_TRIES,
    NOTICES_KEPT,
    NOTICES_WAITING_MAX,
)
from contracts.notices import (
    ChannelChoice,
    EmailCreate,
    NoticeChannel,
    NoticeDelivery,
    NoticeKind,
    NoticeSettings,
    NoticeState,
    QuietHours,
    SubscriptionCreate,
)
from contracts.states import RunState
from durable_objects.bot_owner.billing.prices import Prices
from durable_objects.bot_owner.notices.carriers import Answered, UnreachableError
from durable_objects.bot_owner.notices.desk import NoticeDesk
from durable_objects.bot_owner.notices.mail import MailCarrier, MailHook
from durable_objects.bot_owner.notices.occasions import Occasion
from durable_objects.bot_owner.notices.outbox import pause_ms
from durable_objects.bot_owner.notices.web_push import PushCarrier, read_vapid
from durable_objects.bot_owner.stream import Watcher
from local.keys import new_vapid_key
from tests.push_service.browser import Browser
from tests.push_service.crypto import TestCurve
from tests.unit.durable_objects.bot_owner.rig import AesGcm, OwnerRig
from tests.unit.durable_objects.conftest import Clock

BASE = "https://berth.example"
HOOK = "https://hooks.example/token-in-the-path"
ALLOWANCE = Occasion(NoticeKind.ALLOWANCE, "allowance:1")


class Silent:
    """A page that is open, and takes what it is sent."""

    def send(self, text: str) -> None: ...

    def keep(self, cursor: int) -> None: ...

    def close(self, code: int, reason: str) -> None: ...


@pytest.fixture
async def hooked(rig: OwnerRig) -> OwnerRig:
    """An owner with a webhook."""
    await rig.owner.notices.setup.set_webhook(HOOK, BASE)
    return rig


def desk(rig: OwnerRig) -> NoticeDesk:
    return rig.owner.notices.desk


def deliveries(rig: OwnerRig) -> list[NoticeDelivery]:
    return desk(rig).deliveries()


def bodies(rig: OwnerRig) -> list[dict[str, object]]:
    return [json.loads(body) for _, _, body in rig.post.sent]


def run_that(rig: OwnerRig, state: RunState, **more: object) -> str:
    """A run of the thread that has come to a state; returns its id."""
    run_id = rig.send("go").run.id
    rig.owner.record.write(lambda: rig.owner.journal.move(run_id, state, **more))  # type: ignore[arg-type]
    return run_id


def open_page(rig: OwnerRig, key: str = "ws1") -> None:
    rig.owner.audience.restore(key, Watcher(rig.thread.id, Silent(), 0, caught_up=True))


def close_page(rig: OwnerRig, key: str = "ws1") -> None:
    rig.owner.audience.leave(rig.thread.id, key)


def choose(rig: OwnerRig, **settings: object) -> None:
    rig.owner.notices.setup.choose(NoticeSettings.model_validate(settings))


async def test_a_run_that_waits_for_an_answer_is_told_of_once(hooked: OwnerRig) -> None:
    run_that(hooked, RunState.WAITING_INPUT)
    assert (hooked.post.sent, hooked.post.hurried) == ([], 1), "nothing waits for it to be sent"
    assert hooked.rings[-1] == hooked.context.now_ms()
    await desk(hooked).sweep()
    await desk(hooked).sweep()
    ((url, headers, _),) = hooked.post.sent
    (delivery,) = deliveries(hooked)
    assert (url, headers["webhook-id"], delivery.state) == (HOOK, delivery.id, NoticeState.SENT)
    data = bodies(hooked)[0]["data"]
    assert isinstance(data, dict)
    assert (data["kind"], data["bot"], data["url"]) == ("input", "Data", f"{BASE}/t/{hooked.thread.id}")


async def test_no_notice_says_what_was_said(hooked: OwnerRig) -> None:
    error = BerthError(ErrorCode.MODEL_UNAVAILABLE, "MARKED error")
    run_id = hooked.send("MARKED message").run.id
    assert hooked.owner.catalog.thread(hooked.thread.id).title == "MARKED message"
    hooked.owner.record.write(lambda: hooked.owner.journal.move(run_id, RunState.FAILED, error=error))
    await desk(hooked).sweep()
    assert bodies(hooked)[0]["data"]["thread_title"] is None  # type: ignore[index]
    stored = json.dumps(hooked.context.sql.execute("SELECT * FROM notices"))
    assert "MARKED" not in stored + str(hooked.post.sent)
    assert "token-in-the-path" not in json.dumps(hooked.context.sql.execute("SELECT * FROM notice_places"))


@pytest.mark.parametrize(("titles", "told"), [(True, "Prices"), (False, None)])
async def test_a_title_is_told_unless_the_owner_wants_none(
    hooked: OwnerRig, titles: bool, told: str | None
) -> None:
    choose(hooked, titles=titles)
    hooked.owner.catalog.name_thread(hooked.thread.id, "Prices", by="person")
    run_that(hooked, RunState.WAITING_INPUT)
    await desk(hooked).sweep()
    data = bodies(hooked)[0]["data"]
    assert isinstance(data, dict)
    assert (data["thread_title"], data["bot"]) == (told, "Data")
    assert ("Prices" in str(hooked.post.sent)) == titles


async def test_an_event_that_is_rolled_back_leaves_no_notice(hooked: OwnerRig) -> None:
    run_id = hooked.send("go").run.id

    def broken() -> None:
        hooked.owner.journal.move(run_id, RunState.WAITING_INPUT)
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        hooked.owner.record.write(broken)
    await desk(hooked).sweep()
    assert (hooked.post.sent, deliveries(hooked)) == ([], [])


async def test_the_object_may_die_before_it_is_sent(hooked: OwnerRig) -> None:
    run_that(hooked, RunState.WAITING_INPUT)
    hooked.reborn()
    await desk(hooked).sweep()
    assert len(hooked.post.sent) == 1


async def test_who_dies_while_sending_is_followed_by_another_try_under_the_same_id(
    hooked: OwnerRig, clock: Clock
) -> None:
    run_that(hooked, RunState.WAITING_INPUT)

    def dies() -> None:
        hooked.post.meanwhile = lambda: None
        raise asyncio.CancelledError

    hooked.post.meanwhile = dies
    with pytest.raises(asyncio.CancelledError):
        await desk(hooked).sweep()
    hooked.reborn()
    await desk(hooked).sweep()
    assert len(hooked.post.sent) == 1, "its time has not come: somebody may be sending it still"
    clock.pass_seconds(pause_ms(1) / 1000)
    await desk(hooked).sweep()
    first, second = (headers for _, headers, _ in hooked.post.sent)
    assert first["webhook-id"] == second["webhook-id"]
    assert deliveries(hooked)[0].state is NoticeState.SENT


async def test_two_sweeps_at_once_send_it_once(hooked: OwnerRig) -> None:
    run_that(hooked, RunState.WAITING_INPUT)
    await asyncio.gather(desk(hooked).sweep(), desk(hooked).sweep())
    assert len(hooked.post.sent) == 1


async def test_it_is_tried_with_growing_pauses_and_then_no_more(hooked: OwnerRig, clock: Clock) -> None:
    desk(hooked).occurred(ALLOWANCE)
    hooked.post.answers = [Answered(500)] * (NOTICE_TRIES + 5)
    times = []
    for _ in range(NOTICE_TRIES):
        await desk(hooked).sweep()
        times.append(clock())
        if (due := deliveries(hooked)[0].due_ms) is not None:
            clock.ms = due - 1
            await desk(hooked).sweep()
            clock.ms = due
    pauses = [later - sooner for sooner, later in itertools.pairwise(times)]
    assert pauses == [pause_ms(tries) for tries in range(1, NOTICE_TRIES)]
    assert max(pauses) == NOTICE_RETRY_SECONDS_MAX * 1000
    (ended,) = deliveries(hooked)
    assert (ended.state, ended.reason, ended.status) == (NoticeState.FAILED, "refused", 500)
    clock.pass_seconds(NOTICE_RETRY_SECONDS_MAX)
    await desk(hooked).sweep()
    assert len(hooked.post.sent) == NOTICE_TRIES


@pytest.mark.parametrize(
    ("answer", "state", "reason"),
    [
        (Answered(200), NoticeState.SENT, None),
        (Answered(204), NoticeState.SENT, None),
        (Answered(302), NoticeState.FAILED, "redirected"),
        (Answered(401), NoticeState.PENDING, "refused"),
        (Answered(410), NoticeState.FAILED, "refused"),
        (Answered(429), NoticeState.PENDING, "refused"),
        (UnreachableError("no"), NoticeState.PENDING, "unreachable"),
    ],
)
async def test_what_an_answer_of_a_webhook_means(
    hooked: OwnerRig, answer: Answered | UnreachableError, state: NoticeState, reason: str | None
) -> None:
    desk(hooked).occurred(ALLOWANCE)
    hooked.post.answers = [answer]
    await desk(hooked).sweep()
    (delivery,) = deliveries(hooked)
    assert (delivery.state, delivery.reason) == (state, reason)


@pytest.mark.parametrize(("said", "waited"), [(300, 300), (5, 30), (10**9, NOTICE_RETRY_SECONDS_MAX)])
async def test_who_asks_for_patience_is_given_it_within_reason(
    hooked: OwnerRig, clock: Clock, said: float, waited: int
) -> None:
    desk(hooked).occurred(ALLOWANCE)
    hooked.post.answers = [Answered(503, said)]
    await desk(hooked).sweep()
    assert deliveries(hooked)[0].due_ms == clock() + waited * 1000


async def test_an_answer_that_comes_too_late_does_not_undo_a_newer_one(hooked: OwnerRig) -> None:
    desk(hooked).occurred(ALLOWANCE)
    (place,) = hooked.owner.notices.setup.shown().places
    hooked.post.meanwhile = lambda: hooked.owner.notices.setup.remove(place.channel)
    await desk(hooked).sweep()
    (delivery,) = deliveries(hooked)
    assert (delivery.state, delivery.reason) == (NoticeState.DROPPED, "place_gone")


async def test_while_a_page_is_open_what_waits_is_held_and_what_failed_is_seen(
    hooked: OwnerRig, clock: Clock
) -> None:
    open_page(hooked)
    run_that(hooked, RunState.FAILED)
    run_that(hooked, RunState.WAITING_INPUT)
    await hooked.fire()
    (held,) = deliveries(hooked)
    assert (hooked.post.sent, held.kind, held.reason) == ([], NoticeKind.INPUT, "page_open")
    assert held.due_ms == clock() + NOTICE_LOOK_SECONDS * 1000
    close_page(hooked)
    assert hooked.rings[-1] == clock() + NOTICE_LEFT_SECONDS * 1000
    await desk(hooked).sweep()
    assert hooked.post.sent == [], "a page that is loaded anew is gone for a moment only"
    clock.pass_seconds(NOTICE_LEFT_SECONDS)
    await desk(hooked).sweep()
    assert len(hooked.post.sent) == 1


async def test_a_page_that_is_back_in_time_holds_it_on(hooked: OwnerRig, clock: Clock) -> None:
    open_page(hooked)
    run_that(hooked, RunState.WAITING_INPUT)
    await desk(hooked).sweep()
    close_page(hooked)
    open_page(hooked, "ws2")
    clock.pass_seconds(NOTICE_LEFT_SECONDS)
    await desk(hooked).sweep()
    assert (hooked.post.sent, deliveries(hooked)[0].reason) == ([], "page_open")


async def test_who_wants_notices_while_a_page_is_open_gets_all(hooked: OwnerRig) -> None:
    choose(hooked, while_open=True)
    open_page(hooked)
    run_that(hooked, RunState.FAILED)
    await desk(hooked).sweep()
    assert len(hooked.post.sent) == 1


async def test_what_was_answered_meanwhile_is_not_sent(hooked: OwnerRig) -> None:
    run_that(hooked, RunState.WAITING_INPUT)
    hooked.owner.inbox.accept(hooked.thread.id, MessageCreate(client_id="answer-0001", text="yes"))
    await desk(hooked).sweep()
    (delivery,) = deliveries(hooked)
    assert (hooked.post.sent, delivery.state, delivery.reason) == ([], NoticeState.DROPPED, "answered")


async def test_who_has_sent_something_since_knows_of_the_failure(hooked: OwnerRig, clock: Clock) -> None:
    run_that(hooked, RunState.FAILED)
    clock.pass_seconds(1)
    hooked.send("again")
    await desk(hooked).sweep()
    assert (hooked.post.sent, deliveries(hooked)[0].reason) == ([], "answered")


async def test_a_thread_that_was_deleted_is_not_told_of(hooked: OwnerRig) -> None:
    run_that(hooked, RunState.FAILED)
    hooked.owner.removals.hide(hooked.thread.id)
    await desk(hooked).sweep()
    assert (hooked.post.sent, deliveries(hooked)[0].reason) == ([], "thread_gone")


async def test_in_quiet_hours_it_waits_for_their_end_and_goes_only_if_it_is_still_true(
    hooked: OwnerRig, clock: Clock
) -> None:
    clock.ms = 1_800_000_000_000 // 86_400_000 * 86_400_000 + 3_600_000  # one o'clock, UTC
    choose(hooked, quiet={"begin": 22 * 60, "until": 7 * 60})
    run_that(hooked, RunState.WAITING_INPUT)
    desk(hooked).occurred(ALLOWANCE)
    await desk(hooked).sweep()
    held = deliveries(hooked)
    assert {(one.reason, one.due_ms) for one in held} == {("quiet_hours", clock() + 6 * 3_600_000)}
    hooked.owner.inbox.accept(hooked.thread.id, MessageCreate(client_id="answer-0001", text="yes"))
    clock.pass_seconds(6 * 3_600)
    await desk(hooked).sweep()
    assert [body["type"] for body in bodies(hooked)] == ["notice.allowance"]


async def test_quiet_hours_are_the_owners_and_end_at_once_when_they_are_taken_away(
    hooked: OwnerRig, clock: Clock
) -> None:
    clock.ms = 1_800_000_000_000 // 86_400_000 * 86_400_000 + 15 * 3_600_000  # in Shanghai it is eleven
    hooked.owner.allowance.set_time_zone("Asia/Shanghai")
    choose(hooked, quiet={"begin": 22 * 60, "until": 7 * 60})
    desk(hooked).occurred(ALLOWANCE)
    await desk(hooked).sweep()
    assert deliveries(hooked)[0].due_ms == clock() + 8 * 3_600_000
    choose(hooked, quiet=None)
    await desk(hooked).sweep()
    assert len(hooked.post.sent) == 1


async def test_a_channel_and_a_kind_can_be_switched_off(hooked: OwnerRig) -> None:
    choose(hooked, webhook=ChannelChoice(kinds=[NoticeKind.INPUT]).model_dump())
    desk(hooked).occurred(ALLOWANCE)
    choose(hooked, webhook=ChannelChoice(on=False).model_dump())
    run_that(hooked, RunState.WAITING_INPUT)
    assert deliveries(hooked) == []


async def test_what_is_switched_off_while_it_waits_is_dropped(hooked: OwnerRig) -> None:
    desk(hooked).occurred(ALLOWANCE)
    choose(hooked, webhook=ChannelChoice(on=False).model_dump())
    await desk(hooked).sweep()
    assert (hooked.post.sent, deliveries(hooked)[0].reason) == ([], "switched_off")


@pytest.mark.parametrize(("late", "sent"), [(-1, 1), (0, 0)])
async def test_nobody_wants_it_any_more_after_a_day(
    hooked: OwnerRig, clock: Clock, late: int, sent: int
) -> None:
    desk(hooked).occurred(ALLOWANCE)
    clock.ms += NOTICE_SECONDS * 1000 + late
    await desk(hooked).sweep()
    assert len(hooked.post.sent) == sent
    assert (deliveries(hooked)[0].reason == "expired") == (sent == 0)


async def test_an_occasion_that_is_told_twice_counts_once(hooked: OwnerRig) -> None:
    desk(hooked).occurred(ALLOWANCE)
    await desk(hooked).sweep()
    desk(hooked).occurred(ALLOWANCE)
    await desk(hooked).sweep()
    assert len(hooked.post.sent) == 1


async def test_a_routine_is_told_of_by_its_bot_without_a_thread(hooked: OwnerRig) -> None:
    desk(hooked).occurred(Occasion(NoticeKind.ROUTINE, "routine:rtn_1:5", bot_id=hooked.bot.id))
    await desk(hooked).sweep()
    data = bodies(hooked)[0]["data"]
    assert isinstance(data, dict)
    assert (data["kind"], data["bot"], data["url"]) == ("routine", "Data", f"{BASE}/")


async def test_the_last_one_that_may_wait_waits_and_the_next_one_is_dropped(hooked: OwnerRig) -> None:
    for n in range(NOTICES_WAITING_MAX + 1):
        desk(hooked).occurred(Occasion(NoticeKind.ALLOWANCE, f"a:{n}"))
    rows = hooked.context.sql.execute(
        "SELECT state, COUNT(*) AS n FROM notices GROUP BY state ORDER BY state"
    )
    assert rows == [{"state": "dropped", "n": 1}, {"state": "pending", "n": NOTICES_WAITING_MAX}]
    await desk(hooked).sweep()
    assert len(hooked.post.sent) == NOTICES_WAITING_MAX


async def test_few_are_sent_at_once(hooked: OwnerRig) -> None:
    most = now = 0

    async def slow(*_: object) -> Answered:
        nonlocal most, now
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        return Answered(201)

    hooked.post._send = slow  # type: ignore[method-assign,assignment]
    hooked.reborn()
    for n in range(3 * NOTICE_SENT_AT_ONCE):
        desk(hooked).occurred(Occasion(NoticeKind.ALLOWANCE, f"a:{n}"))
    await desk(hooked).sweep()
    assert most == NOTICE_SENT_AT_ONCE


async def test_what_has_ended_is_kept_for_a_while(hooked: OwnerRig, clock: Clock) -> None:
    for n in range(NOTICES_KEPT + 20):
        desk(hooked).occurred(Occasion(NoticeKind.ALLOWANCE, f"a:{n}"))
        clock.pass_seconds(1)
    await desk(hooked).sweep()

    def count() -> int:
        return int(hooked.context.sql.execute("SELECT COUNT(*) AS n FROM notices")[0]["n"])

    assert count() == NOTICES_KEPT + 20
    clock.pass_seconds(NOTICE_SECONDS)
    await desk(hooked).sweep()
    assert count() == NOTICES_KEPT


async def test_the_alarm_is_not_set_later_than_the_next_notice(hooked: OwnerRig, clock: Clock) -> None:
    desk(hooked).occurred(ALLOWANCE)
    assert hooked.rings[-1] == clock()
    hooked.post.answers = [Answered(500)]
    await hooked.fire()
    assert hooked.rings[-1] == clock() + pause_ms(1)
    hooked.reborn().timers.by("retention", clock() + 10**9)
    assert hooked.rings[-1] == clock() + pause_ms(1)


def with_push(rig: OwnerRig) -> str:
    """The owner's deployment can push; returns its public key."""
    vapid = read_vapid(new_vapid_key(), "")
    assert vapid
    rig.post.channels[NoticeChannel.PUSH] = PushCarrier(TestCurve(), AesGcm(), lambda n: b"r" * n, vapid)
    rig.post.push_key = vapid.public
    rig.reborn()
    return vapid.public


async def subscribed(rig: OwnerRig, name: str) -> Browser:
    browser = Browser(f"https://push.example/{name}")
    await rig.owner.notices.setup.subscribe(browsers_wish(browser), browser.endpoint, BASE)
    return browser


def browsers_wish(browser: Browser) -> SubscriptionCreate:
    return SubscriptionCreate.model_validate({**browser.subscription, "shown": "Chromium"})


async def test_each_browser_gets_its_own_and_one_that_is_gone_is_forgotten(
    rig: OwnerRig, clock: Clock
) -> None:
    key = with_push(rig)
    browsers = {one.endpoint: one for one in [await subscribed(rig, name) for name in "abc"]}
    desk(rig).occurred(ALLOWANCE)
    rig.post.answers = [Answered(410), Answered(404), Answered(201)]
    await desk(rig).sweep()
    for url, headers, body in rig.post.sent:
        assert browsers[url].taken(headers, body, key=key, now_s=clock() / 1000)["kind"] == "allowance"
    assert sorted(one.state for one in deliveries(rig)) == ["dropped", "dropped", "sent"]
    (left,) = rig.owner.notices.setup.shown().places
    assert left.used_ms == clock()
    desk(rig).occurred(Occasion(NoticeKind.ALLOWANCE, "allowance:2"))
    await desk(rig).sweep()
    assert len(rig.post.sent) == 4


@pytest.mark.parametrize(
    ("status", "state"), [(400, "failed"), (403, "failed"), (413, "failed"), (429, "pending")]
)
async def test_a_push_service_that_refuses_is_not_asked_again_unless_it_is_busy(
    rig: OwnerRig, status: int, state: str
) -> None:
    with_push(rig)
    await subscribed(rig, "a")
    desk(rig).occurred(ALLOWANCE)
    rig.post.answers = [Answered(status)]
    await desk(rig).sweep()
    assert deliveries(rig)[0].state == state


def with_mail(rig: OwnerRig) -> None:
    rig.post.mail = MailHook("https://mail.example/", {}, {"to": "{to}", "text": "{text}"})
    rig.post.channels[NoticeChannel.EMAIL] = MailCarrier(rig.post.mail)
    rig.reborn()


async def mailed(rig: OwnerRig) -> None:
    """The owner's deployment sends mail, and the owner has an address."""
    with_mail(rig)
    await rig.owner.notices.setup.ask_email(EmailCreate(address="o@example.org"))
    code = str(json.loads(rig.post.sent.pop()[2])["text"])[-6:]
    await rig.owner.notices.setup.confirm_email(code, BASE)


async def test_mails_have_a_limit_an_hour_and_what_is_over_it_waits(rig: OwnerRig, clock: Clock) -> None:
    await mailed(rig)
    for n in range(NOTICE_EMAILS_AN_HOUR + 3):
        desk(rig).occurred(Occasion(NoticeKind.ALLOWANCE, f"a:{n}"))
    await desk(rig).sweep()
    assert len(rig.post.sent) == NOTICE_EMAILS_AN_HOUR
    waiting = [one for one in deliveries(rig) if one.state is NoticeState.PENDING]
    assert {(one.reason, one.due_ms) for one in waiting} == {("email_limit", clock() + 3_600_000)}
    clock.pass_seconds(3_600)
    await desk(rig).sweep()
    assert len(rig.post.sent) == NOTICE_EMAILS_AN_HOUR + 3


async def test_a_test_says_at_once_what_became_of_it(hooked: OwnerRig) -> None:
    open_page(hooked)
    choose(hooked, quiet=QuietHours(begin=0, until=24 * 60 - 1).model_dump())
    (sent,) = await desk(hooked).test(NoticeChannel.WEBHOOK)
    hooked.post.answers = [UnreachableError("no")]
    (failed,) = await desk(hooked).test(NoticeChannel.WEBHOOK)
    assert (sent.state, failed.state, failed.reason) == (NoticeState.SENT, NoticeState.FAILED, "unreachable")
    with pytest.raises(BerthError, match="nowhere"):
        await desk(hooked).test(NoticeChannel.PUSH)


async def test_tests_have_a_limit_an_hour(hooked: OwnerRig, clock: Clock) -> None:
    for _ in range(NOTICE_TESTS_AN_HOUR):
        await desk(hooked).test(NoticeChannel.WEBHOOK)
    with pytest.raises(BerthError, match="an hour"):
        await desk(hooked).test(NoticeChannel.WEBHOOK)
    clock.pass_seconds(3_600)
    await desk(hooked).test(NoticeChannel.WEBHOOK)


async def test_a_place_that_cannot_be_read_any_more_is_said_to_be_so(hooked: OwnerRig) -> None:
    hooked.context.sql.run("UPDATE notice_places SET sealed = 'v1.gone.AAAA.AAAA'")
    desk(hooked).occurred(ALLOWANCE)
    await desk(hooked).sweep()
    (delivery,) = deliveries(hooked)
    assert (delivery.state, delivery.reason) == (NoticeState.FAILED, "unreadable")
    assert hooked.post.sent == []


async def test_a_channel_that_is_not_set_up_any_more_says_so(rig: OwnerRig) -> None:
    with_push(rig)
    await subscribed(rig, "a")
    del rig.post.channels[NoticeChannel.PUSH]
    rig.reborn()
    desk(rig).occurred(ALLOWANCE)
    await desk(rig).sweep()
    assert deliveries(rig)[0].reason == "not_set_up"


async def test_an_allowance_that_is_used_up_is_told_of_when_it_has_happened(
    hooked: OwnerRig, clock: Clock
) -> None:
    hooked.prices = Prices(computer_micro_an_hour=10**9)
    hooked.reborn()
    hour = Interval(instance="1.1", from_ms=clock() - 3_600_000, to_ms=clock(), accounts=[Account()])
    hooked.owner.allowance.settle([hour])
    hooked.owner.allowance.settle([hour])
    await desk(hooked).sweep()
    assert [body["type"] for body in bodies(hooked)] == ["notice.allowance"]
