"""May this computer go out now: one bucket for all its commands, a ban, the breaker, and what survives."""

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import EGRESS_BYTES_A_SECOND, EGRESS_BYTES_BURST, EGRESS_REQUESTS_BURST
from contracts.records import Ban, EgressBreaker, EgressStanding
from durable_objects.bot_computer.egress_desk import (
    BAN_RETRY_SECONDS,
    STANDING_MS,
    STANDING_MS_MAX,
    EgressDesk,
    StandingError,
)
from durable_objects.bot_computer.schema import SCHEMA
from durable_objects.shared.context import Context
from durable_objects.shared.sql import migrate
from tests.unit.durable_objects.conftest import Clock

HOST = "index.invalid"
BANNED = EgressStanding(ban=Ban(reason="abuse", at_ms=0))


class Rig:
    """A desk over one database, and a Platform object that may be silent."""

    def __init__(self, context: Context) -> None:
        migrate(context.sql, SCHEMA)
        self.context = context
        self.standing: EgressStanding | None = EgressStanding()
        self.asked = 0
        self.desk = self.reborn()

    def reborn(self) -> EgressDesk:
        self.desk = EgressDesk(self.context, self._ask)
        return self.desk

    async def _ask(self) -> EgressStanding:
        self.asked += 1
        if self.standing is None:
            raise StandingError("silent")
        return self.standing

    async def refusal(self, host: str = HOST) -> BerthError:
        with pytest.raises(BerthError) as caught:
            await self.desk.admit(host)
        return caught.value


@pytest.fixture
def rig(context: Context) -> Rig:
    return Rig(context)


async def test_over_the_burst_requests_are_throttled_with_a_time(rig: Rig) -> None:
    for _ in range(EGRESS_REQUESTS_BURST):
        await rig.desk.admit(HOST)
    error = await rig.refusal("another.invalid")
    assert (error.code, error.retry_after_s) == (ErrorCode.EGRESS_THROTTLED, 1)


async def test_the_bucket_survives_the_object(rig: Rig, clock: Clock) -> None:
    await rig.desk.moved(HOST, EGRESS_BYTES_BURST + 10 * EGRESS_BYTES_A_SECOND)
    rig.reborn()
    error = await rig.refusal()
    assert (error.code, error.retry_after_s) == (ErrorCode.EGRESS_THROTTLED, 10)
    clock.ms += 10_000
    await rig.desk.admit(HOST)


async def test_a_transfer_over_the_bytes_is_slowed_and_not_cut(rig: Rig) -> None:
    assert await rig.desk.moved(HOST, EGRESS_BYTES_BURST) == 0
    assert await rig.desk.moved(HOST, EGRESS_BYTES_A_SECOND) == 1


async def test_a_ban_is_seen_within_a_second(rig: Rig, clock: Clock) -> None:
    await rig.desk.admit(HOST)
    rig.standing = BANNED
    await rig.desk.admit(HOST)
    clock.ms += STANDING_MS
    error = await rig.refusal()
    assert (error.code, error.retry_after_s) == (ErrorCode.COMPUTER_BANNED, BAN_RETRY_SECONDS)
    with pytest.raises(BerthError, match="abuse"):
        await rig.desk.moved(HOST, 1)
    rig.standing = EgressStanding()
    clock.ms += STANDING_MS
    await rig.desk.admit(HOST)


async def test_the_breaker_stops_all_but_what_is_exempt(rig: Rig) -> None:
    rig.standing = EgressStanding(
        breaker=EgressBreaker(reason="attack", exempt=["ok.invalid"], retry_after_s=90, at_ms=0)
    )
    error = await rig.refusal()
    assert (error.code, error.retry_after_s) == (ErrorCode.COMPUTER_CIRCUIT_OPEN, 90)
    await rig.desk.admit("ok.invalid")


async def test_the_platform_is_asked_once_a_second(rig: Rig, clock: Clock) -> None:
    for _ in range(5):
        await rig.desk.admit(HOST)
    assert rig.asked == 1
    clock.ms += STANDING_MS
    await rig.desk.admit(HOST)
    assert rig.asked == 2


async def test_a_silent_platform_is_believed_for_a_while_and_then_nothing_leaves(
    rig: Rig, clock: Clock
) -> None:
    await rig.desk.admit(HOST)
    rig.standing = None
    clock.ms += STANDING_MS_MAX - 1
    await rig.desk.admit(HOST)
    clock.ms += 1
    assert (await rig.refusal()).code == ErrorCode.COMPUTER_CIRCUIT_OPEN


async def test_without_any_word_of_the_platform_nothing_leaves(rig: Rig) -> None:
    rig.standing = None
    assert (await rig.refusal()).code == ErrorCode.COMPUTER_CIRCUIT_OPEN
