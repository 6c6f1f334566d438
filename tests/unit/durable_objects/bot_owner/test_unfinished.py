"""Uploads in parts: limits, order, repetition, ends. R2 is pretended here."""

import pytest

from contracts.api import UploadBegin
from contracts.errors import BerthError, ErrorCode
from contracts.limits import (
    UNFINISHED_UPLOAD_SECONDS,
    UNFINISHED_UPLOADS_MAX,
    UPLOAD_BYTES_MAX,
    UPLOAD_PART_BYTES,
)
from contracts.records import UnfinishedUpload
from durable_objects.bot_owner.unfinished import SWEEP_AGAIN_MS, UnfinishedUploads, part_count
from tests.unit.durable_objects.bot_owner.rig import OwnerRig
from tests.unit.durable_objects.conftest import Clock

DOWN = BerthError(ErrorCode.INTERNAL, "The file could not be stored.")
SIZE = 2 * UPLOAD_PART_BYTES + 10


@pytest.fixture
def unfinished(rig: OwnerRig) -> UnfinishedUploads:
    return rig.owner.unfinished


async def begin(rig: OwnerRig, size: int = SIZE, name: str = "big.csv") -> UnfinishedUpload:
    rig.multipart.size = size
    wanted = UploadBegin(name=name, media_type="Text/CSV; charset=x", size=size)
    return await rig.owner.unfinished.begin(rig.thread.id, wanted)


def fill(rig: OwnerRig, begun: UnfinishedUpload) -> None:
    for number in reversed(range(1, part_count(begun.size) + 1)):
        rig.owner.unfinished.add_part(begun.id, number, f"tag-{number}")


async def refused(rig: OwnerRig, size: int) -> ErrorCode:
    with pytest.raises(BerthError) as error:
        await begin(rig, size)
    return error.value.code


def ended(unfinished: UnfinishedUploads, upload_id: str) -> bool:
    try:
        unfinished.state(upload_id)
    except BerthError as error:
        return error.code == ErrorCode.NOT_FOUND
    return False


async def test_parts_come_in_any_order_and_again_and_become_one_upload(
    rig: OwnerRig, unfinished: UnfinishedUploads
) -> None:
    begun = await begin(rig, name="../big.csv")
    assert (begun.name, begun.media_type, begun.part_bytes) == ("big.csv", "text/csv", UPLOAD_PART_BYTES)
    for number, there in ((3, [3]), (1, [1, 3]), (1, [1, 3]), (2, [1, 2, 3])):
        assert unfinished.add_part(begun.id, number, "tag").parts == there
    made = await unfinished.finish(begun.id)
    assert (made.id, made.name, made.media_type, made.size) == (begun.id, "big.csv", "text/csv", SIZE)
    assert await unfinished.finish(begun.id) == made
    assert ended(unfinished, begun.id)
    assert rig.send("here", begun.id).message.uploads == [made]
    assert [row["key"] for row in rig.owner.files.waiting()] == [f"owners/o1/uploads/{begun.id}"]


async def test_an_upload_goes_on_after_the_object_lost_its_memory(rig: OwnerRig) -> None:
    begun = await begin(rig)
    rig.owner.unfinished.add_part(begun.id, 2, "tag")
    assert rig.reborn().unfinished.state(begun.id).parts == [2]
    fill(rig, begun)
    assert (await rig.owner.unfinished.finish(begun.id)).id == begun.id


async def test_a_file_of_one_part_is_sent_whole_and_one_byte_more_in_parts(rig: OwnerRig) -> None:
    assert await refused(rig, UPLOAD_PART_BYTES) == ErrorCode.INVALID_REQUEST
    assert (await begin(rig, UPLOAD_PART_BYTES + 1)).size == UPLOAD_PART_BYTES + 1


async def test_the_largest_file_and_one_byte_more(rig: OwnerRig) -> None:
    assert await refused(rig, UPLOAD_BYTES_MAX + 1) == ErrorCode.UPLOAD_TOO_LARGE
    assert (await begin(rig, UPLOAD_BYTES_MAX)).size == UPLOAD_BYTES_MAX


async def test_as_many_as_may_be_unfinished_and_one_more(
    rig: OwnerRig, unfinished: UnfinishedUploads
) -> None:
    begun = [await begin(rig) for _ in range(UNFINISHED_UPLOADS_MAX)]
    assert await refused(rig, SIZE) == ErrorCode.INVALID_REQUEST
    await unfinished.give_up(begun[0].id)
    await begin(rig)
    assert await refused(rig, SIZE) == ErrorCode.INVALID_REQUEST


async def test_two_that_begin_at_once_do_not_both_take_the_last_place(
    rig: OwnerRig, unfinished: UnfinishedUploads
) -> None:
    for _ in range(UNFINISHED_UPLOADS_MAX - 1):
        await begin(rig)
    first = unfinished.begin(rig.thread.id, UploadBegin(name="a", size=SIZE))
    second = unfinished.begin(rig.thread.id, UploadBegin(name="b", size=SIZE))
    tried: list[BerthError] = []

    def begin_second() -> None:
        rig.multipart.meanwhile = lambda: None
        with pytest.raises(BerthError) as error:
            second.send(None)
        tried.append(error.value)

    rig.multipart.meanwhile = begin_second
    await first
    assert [error.code for error in tried] == [ErrorCode.INVALID_REQUEST]


async def test_one_that_r2_did_not_begin_takes_no_place(rig: OwnerRig, unfinished: UnfinishedUploads) -> None:
    rig.multipart.error = DOWN
    for _ in range(UNFINISHED_UPLOADS_MAX + 1):
        assert await refused(rig, SIZE) == ErrorCode.INTERNAL
    rig.multipart.error = None
    assert not ended(unfinished, (await begin(rig)).id)


@pytest.mark.parametrize(
    ("size", "number", "expected"),
    [
        (SIZE, 1, UPLOAD_PART_BYTES),
        (SIZE, 2, UPLOAD_PART_BYTES),
        (SIZE, 3, 10),
        (2 * UPLOAD_PART_BYTES, 2, UPLOAD_PART_BYTES),
        (UPLOAD_BYTES_MAX, 5, UPLOAD_PART_BYTES),
    ],
)
async def test_each_part_has_one_right_size(rig: OwnerRig, size: int, number: int, expected: int) -> None:
    begun = await begin(rig, size)
    assert rig.owner.unfinished.part(begun.id, number)["size"] == expected


@pytest.mark.parametrize("number", [0, 4, 9_999])
async def test_a_part_that_is_none_of_the_file_is_refused(rig: OwnerRig, number: int) -> None:
    begun = await begin(rig)
    with pytest.raises(BerthError) as error:
        rig.owner.unfinished.part(begun.id, number)
    assert error.value.code == ErrorCode.INVALID_REQUEST


async def test_what_is_missing_is_said(rig: OwnerRig, unfinished: UnfinishedUploads) -> None:
    begun = await begin(rig)
    unfinished.add_part(begun.id, 2, "tag")
    with pytest.raises(BerthError) as error:
        await unfinished.finish(begun.id)
    assert error.value.code == ErrorCode.INVALID_REQUEST
    assert error.value.details == {"missing": [1, 3], "reason": "upload_incomplete"}


async def test_parts_that_r2_does_not_have_so_are_asked_for_again(
    rig: OwnerRig, unfinished: UnfinishedUploads
) -> None:
    begun = await begin(rig)
    fill(rig, begun)
    rig.multipart.size = None
    with pytest.raises(BerthError) as error:
        await unfinished.finish(begun.id)
    assert error.value.details == {"missing": [1, 2, 3], "reason": "upload_unfit"}
    assert unfinished.state(begun.id).parts == []
    rig.multipart.size = SIZE
    fill(rig, begun)
    assert (await unfinished.finish(begun.id)).size == SIZE


async def test_an_object_that_died_after_r2_had_put_it_together_finishes_it(
    rig: OwnerRig, unfinished: UnfinishedUploads
) -> None:
    begun = await begin(rig)
    fill(rig, begun)
    rig.multipart.error = DOWN
    with pytest.raises(BerthError):
        await unfinished.finish(begun.id)
    rig.multipart.error = None
    assert (await rig.reborn().unfinished.finish(begun.id)).id == begun.id


async def test_finishing_twice_at_once_makes_one_upload(rig: OwnerRig, unfinished: UnfinishedUploads) -> None:
    begun = await begin(rig)
    fill(rig, begun)
    made = []

    def finish_too() -> None:
        rig.multipart.meanwhile = lambda: None
        with pytest.raises(StopIteration) as end:
            unfinished.finish(begun.id).send(None)
        made.append(end.value.value)

    rig.multipart.meanwhile = finish_too
    made.append(await unfinished.finish(begun.id))
    assert made[0] == made[1]


async def test_what_is_given_up_is_gone_and_aborted(rig: OwnerRig, unfinished: UnfinishedUploads) -> None:
    begun = await begin(rig)
    await unfinished.give_up(begun.id)
    assert rig.multipart.aborted == [f"owners/o1/uploads/{begun.id}"]
    assert ended(unfinished, begun.id)
    for action in (
        lambda: unfinished.part(begun.id, 1),
        lambda: unfinished.add_part(begun.id, 1, "tag"),
    ):
        with pytest.raises(BerthError) as error:
            action()
        assert error.value.code == ErrorCode.NOT_FOUND
    with pytest.raises(BerthError):
        await unfinished.finish(begun.id)


async def test_giving_up_while_r2_puts_it_together_leaves_nothing(
    rig: OwnerRig, unfinished: UnfinishedUploads
) -> None:
    begun = await begin(rig)
    fill(rig, begun)

    def give_up() -> None:
        rig.multipart.meanwhile = lambda: None
        with pytest.raises(StopIteration):
            unfinished.give_up(begun.id).send(None)

    rig.multipart.meanwhile = give_up
    with pytest.raises(BerthError) as error:
        await unfinished.finish(begun.id)
    assert error.value.code == ErrorCode.NOT_FOUND
    assert rig.multipart.objects == {}
    assert rig.owner.files.upload(begun.id) is None


async def test_an_unfinished_upload_ends_by_its_time_and_not_before(
    rig: OwnerRig, unfinished: UnfinishedUploads, clock: Clock
) -> None:
    begun = await begin(rig)
    assert rig.rings[-1] == begun.until_ms == clock.ms + UNFINISHED_UPLOAD_SECONDS * 1000
    clock.pass_seconds(UNFINISHED_UPLOAD_SECONDS - 1)
    await unfinished.sweep()
    assert not ended(unfinished, begun.id)
    clock.pass_seconds(1)
    assert ended(unfinished, begun.id)
    assert rig.multipart.aborted == []
    await unfinished.sweep()
    assert rig.multipart.aborted == [f"owners/o1/uploads/{begun.id}"]


async def test_what_r2_did_not_remove_is_removed_later(
    rig: OwnerRig, unfinished: UnfinishedUploads, clock: Clock
) -> None:
    begun = await begin(rig)
    rig.multipart.error = DOWN
    await unfinished.give_up(begun.id)
    assert ended(unfinished, begun.id)
    assert rig.rings[-1] == clock.ms + SWEEP_AGAIN_MS
    rig.multipart.error = None
    await unfinished.sweep()
    assert rig.multipart.aborted == [f"owners/o1/uploads/{begun.id}"]
    await unfinished.sweep()
    assert len(rig.multipart.aborted) == 1


async def test_a_deleted_thread_takes_its_unfinished_uploads_along(
    rig: OwnerRig, unfinished: UnfinishedUploads
) -> None:
    begun = await begin(rig)
    await unfinished.give_up_thread("thr_other")
    assert not ended(unfinished, begun.id)
    await unfinished.give_up_thread(rig.thread.id)
    assert ended(unfinished, begun.id)


async def test_an_unfinished_upload_cannot_be_sent_with_a_message(rig: OwnerRig) -> None:
    begun = await begin(rig)
    with pytest.raises(BerthError) as error:
        rig.send("here", begun.id)
    assert error.value.code == ErrorCode.NOT_FOUND
