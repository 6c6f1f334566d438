"""The bucket: what may leave at once, how it comes back, and that it is no less and no more."""

from contracts.limits import (
    EGRESS_BYTES_A_SECOND,
    EGRESS_BYTES_BURST,
    EGRESS_REQUESTS_A_SECOND,
    EGRESS_REQUESTS_BURST,
)
from durable_objects.bot_computer.bucket import Bucket


def test_the_burst_may_leave_at_once_and_not_one_more() -> None:
    bucket = Bucket()
    for _ in range(EGRESS_REQUESTS_BURST):
        assert bucket.wait_s == 0
        bucket = bucket.less_request()
    assert bucket.wait_s == 1 / EGRESS_REQUESTS_A_SECOND


def test_requests_come_back_with_time_up_to_the_burst() -> None:
    empty = Bucket(requests=0)
    assert empty.refilled(49).wait_s > 0
    assert empty.refilled(50).wait_s == 0
    assert empty.refilled(10**9).requests == EGRESS_REQUESTS_BURST


def test_bytes_may_be_used_up_and_one_more_makes_everybody_wait() -> None:
    assert Bucket().less_bytes(EGRESS_BYTES_BURST).wait_s == 0
    over = Bucket().less_bytes(EGRESS_BYTES_BURST + EGRESS_BYTES_A_SECOND)
    assert (over.wait_s, over.bytes_wait_s) == (1, 1)
    assert over.refilled(1000).wait_s == 0


def test_a_clock_that_goes_back_neither_gives_nor_takes() -> None:
    bucket = Bucket(requests=5, bytes=5, at_ms=1000)
    assert bucket.refilled(0) == Bucket(requests=5, bytes=5, at_ms=0)
