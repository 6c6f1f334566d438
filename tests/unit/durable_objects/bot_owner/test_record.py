"""The record: gapless, published only when committed, closed for a deleted thread."""

import pytest

from contracts.errors import BerthError
from contracts.events import NoticeData
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.shared.context import Context
from tests.unit.durable_objects.bot_owner.rig import OwnerRig

NOTE = NoticeData(code="computer_restored", text="x")


@pytest.fixture
def published() -> list[tuple[str, int, str]]:
    return []


@pytest.fixture
def record(context: Context, rig: OwnerRig, published: list[tuple[str, int, str]]) -> ThreadRecord:
    return ThreadRecord(context, lambda *event: published.append(event))


def test_seq_counts_from_one_without_gaps(record: ThreadRecord, rig: OwnerRig) -> None:
    seqs = [record.write(lambda: record.append(rig.thread.id, "notice", NOTE)) for _ in range(3)]
    assert seqs == [1, 2, 3]
    assert [row["seq"] for row in record.page(rig.thread.id, 1)] == [2, 3]


def test_what_was_rolled_back_is_not_published_and_leaves_no_gap(
    record: ThreadRecord, rig: OwnerRig, published: list[tuple[str, int, str]]
) -> None:
    def work() -> None:
        record.append(rig.thread.id, "notice", NOTE)
        raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        record.write(work)
    assert published == []
    record.write(lambda: record.append(rig.thread.id, "notice", NOTE))
    assert [(seq, '"seq":1' in text) for _, seq, text in published] == [(1, True)]


def test_pages_end_at_their_limit_and_all_reads_on(record: ThreadRecord, rig: OwnerRig) -> None:
    def many() -> None:
        for _ in range(1_203):
            record.append(rig.thread.id, "notice", NOTE)

    record.write(many)
    assert len(record.page(rig.thread.id, 0)) == 500
    assert [row["seq"] for row in record.all(rig.thread.id)] == list(range(1, 1_204))


def test_a_page_has_fewer_events_where_they_are_long_and_one_at_least(
    record: ThreadRecord, rig: OwnerRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add(characters: int) -> None:
        note = NoticeData(code="computer_restored", text="")
        text = "数" * (characters - len(note.model_dump_json()))
        record.write(lambda: record.append(rig.thread.id, "notice", note.model_copy(update={"text": text})))

    monkeypatch.setattr("durable_objects.bot_owner.record.PAGE_CHARACTERS_MAX", 1_000)
    for characters in (500, 500, 500, 501, 1_001, 100, 100):
        add(characters)
    pages, after = [], 0
    while page := record.page(rig.thread.id, after):
        pages.append([row["seq"] for row in page])
        after = page[-1]["seq"]
    assert pages == [[1, 2], [3], [4], [5], [6, 7]]
    assert [row["seq"] for row in record.all(rig.thread.id)] == list(range(1, 8))
    assert [row["seq"] for row in record.page(rig.thread.id, 5, 1)] == [6]
    assert record.page(rig.thread.id, 7) == []


def test_a_deleted_thread_is_written_to_unseen_and_a_purged_one_takes_no_more(
    record: ThreadRecord, rig: OwnerRig
) -> None:
    record.write(lambda: record.append(rig.thread.id, "notice", NOTE))
    record.hide(rig.thread.id, 0)
    assert record.write(lambda: record.append(rig.thread.id, "notice", NOTE)) == 2
    with pytest.raises(BerthError, match="not_found"):
        record.head(rig.thread.id)
    record.show(rig.thread.id)
    assert record.head(rig.thread.id) == 2
    record.hide(rig.thread.id, 0)
    record.purge(rig.thread.id)
    with pytest.raises(BerthError, match="not_found"):
        record.write(lambda: record.append(rig.thread.id, "notice", NOTE))
