"""Watchers: everything in order, nothing twice, and slow ones do not hold up the others."""

import json

import pytest

from contracts.events import HelloData, NoticeData, ToolOutput, ToolOutputData
from contracts.limits import SOCKET_BYTES_MAX, SOCKET_LIVE_BYTES_MAX
from contracts.records import Computer
from contracts.states import ComputerState
from durable_objects.bot_owner.stream import SIGNED_OUT, SLOW_CLIENT, THREAD_GONE, Holder, Watcher
from tests.unit.durable_objects.bot_owner.rig import OwnerRig
from tests.unit.durable_objects.conftest import Clock

BIG = NoticeData(code="computer_restored", text="x" * 60_000)
SMALL = NoticeData(code="computer_restored", text="x")


class Client:
    def __init__(self) -> None:
        self.frames: list[dict[str, object]] = []
        self.received = 0
        self.kept = 0
        self.closed: int | None = None

    def send(self, text: str) -> None:
        self.received += len(text)
        self.frames.append(json.loads(text))

    def keep(self, cursor: int) -> None:
        self.kept = cursor

    def close(self, code: int, reason: str) -> None:
        self.closed = code

    def seqs(self) -> list[object]:
        return [frame["seq"] for frame in self.frames if "seq" in frame]

    def types(self) -> list[object]:
        return [frame["type"] for frame in self.frames]


def append(rig: OwnerRig, data: NoticeData = SMALL, times: int = 1) -> None:
    for _ in range(times):
        rig.owner.record.write(lambda: rig.owner.record.append(rig.thread.id, "notice", data))


def output(text: str = "hi", offset: int = 0) -> ToolOutput:
    return ToolOutput(data=ToolOutputData(tool_call_id="c1", stream="stdout", offset=offset, text=text))


def join(rig: OwnerRig, after: int = 0, key: str = "k", holder: Holder | None = None) -> Client:
    client = Client()
    hello = HelloData(
        protocol=1,
        thread_id=rig.thread.id,
        head_seq=rig.owner.record.head(rig.thread.id),
        computer=Computer(state=ComputerState.STANDBY, since_ms=0),
    )
    rig.owner.audience.join(key, Watcher(rig.thread.id, client, after, holder=holder or Holder()), hello)
    return client


def test_a_watcher_is_greeted_gets_what_it_lacks_and_then_what_is_new(rig: OwnerRig) -> None:
    append(rig, times=3)
    client = join(rig, after=1)
    append(rig)
    assert client.types() == ["hello", "notice", "notice", "caught_up", "notice"]
    assert client.seqs() == [2, 3, 4]
    assert client.kept == 4


def test_a_long_thread_is_replayed_as_fast_as_it_is_acknowledged(rig: OwnerRig) -> None:
    append(rig, BIG, times=80)
    client = join(rig)
    assert client.received < 2 * SOCKET_LIVE_BYTES_MAX + 100 * 61_000
    assert "caught_up" not in client.types()
    while "caught_up" not in client.types():
        rig.owner.audience.acknowledge(rig.thread.id, "k", client.received)
    assert client.seqs() == list(range(1, 81))


def test_live_frames_are_for_those_who_keep_up(rig: OwnerRig) -> None:
    client = join(rig)
    rig.owner.audience.live(rig.thread.id, output())
    while client.received < SOCKET_LIVE_BYTES_MAX:
        append(rig, BIG)
    before = client.types().count("tool.output")
    rig.owner.audience.live(rig.thread.id, output())
    assert (before, client.types().count("tool.output")) == (1, 1)
    rig.owner.audience.acknowledge(rig.thread.id, "k", client.received)
    rig.owner.audience.live(rig.thread.id, output())
    assert client.types().count("tool.output") == 2


def test_one_that_never_acknowledges_is_dropped_and_the_other_goes_on(rig: OwnerRig) -> None:
    silent, attentive = join(rig, key="silent"), join(rig, key="attentive")
    while silent.closed is None and silent.received < 2 * SOCKET_BYTES_MAX:
        append(rig, BIG)
        rig.owner.audience.acknowledge(rig.thread.id, "attentive", attentive.received)
    assert silent.closed == SLOW_CLIENT
    assert silent.received <= SOCKET_BYTES_MAX + 2 * 61_000
    assert attentive.seqs() == list(range(1, rig.owner.record.head(rig.thread.id) + 1))
    resumed = join(rig, after=len(silent.seqs()))
    assert resumed.seqs()[0] == len(silent.seqs()) + 1


@pytest.mark.parametrize("claim", [10**12, -5])
def test_an_acknowledgement_of_more_than_was_sent_counts_for_what_was(rig: OwnerRig, claim: int) -> None:
    client = join(rig)
    rig.owner.audience.acknowledge(rig.thread.id, "k", claim)
    append(rig)
    assert client.seqs() == [1]


def test_who_comes_late_gets_the_live_tail_after_the_record(rig: OwnerRig) -> None:
    append(rig)
    rig.owner.loop._live(rig.thread.id, output("one "))
    rig.owner.loop._live(rig.thread.id, output("two", offset=4))
    client = join(rig)
    assert client.types() == ["hello", "notice", "caught_up", "tool.output"]
    assert client.frames[-1]["data"] == {
        "tool_call_id": "c1",
        "stream": "stdout",
        "offset": 0,
        "text": "one two",
    }


def test_deleting_a_thread_closes_its_watchers(rig: OwnerRig) -> None:
    client = join(rig)
    rig.owner.audience.close_thread(rig.thread.id)
    assert client.closed == THREAD_GONE


def test_streams_of_a_session_that_has_ended_are_closed_and_no_others(rig: OwnerRig) -> None:
    mine, other, token, hers = (
        join(rig, key=key, holder=Holder(*who))
        for key, who in {"a": ("p", "s1"), "b": ("p", "s2"), "c": ("p", "t1"), "d": ("q", "s1")}.items()
    )
    rig.owner.audience.sign_out("p", ["s1", "s9"])
    append(rig)
    assert (mine.closed, other.closed, token.closed, hers.closed) == (SIGNED_OUT, None, None, None)
    assert mine.seqs() == []
    assert other.seqs() == token.seqs() == hers.seqs() == [1]
    rig.owner.audience.sign_out("p", [])
    assert (other.closed, token.closed) == (None, None)
    rig.owner.audience.sign_out("p")
    assert (other.closed, token.closed, hers.closed) == (SIGNED_OUT, SIGNED_OUT, None)


def test_a_stream_shows_nothing_after_the_end_of_what_it_was_opened_with(rig: OwnerRig, clock: Clock) -> None:
    def watching(until_ms: int | None) -> list[Client]:
        return [
            join(rig, key=f"{key}{until_ms}", holder=Holder("p", "t", until_ms)) for key in ("a", "b", "c")
        ]

    until_ms = rig.context.now_ms() + 1_000
    ending, lasting = watching(until_ms), watching(None)
    append(rig)
    assert [client.seqs() for client in ending] == [[1]] * 3
    clock.ms += 1_000
    heard = [len(client.frames) for client in ending]
    rig.owner.audience.acknowledge(rig.thread.id, f"a{until_ms}", 1)
    assert [client.closed for client in ending] == [SIGNED_OUT, None, None]
    rig.owner.audience.live(rig.thread.id, output())
    append(rig)
    assert [client.closed for client in ending] == [SIGNED_OUT] * 3
    assert [len(client.frames) for client in ending] == heard
    assert [(client.closed, client.seqs()) for client in lasting] == [(None, [1, 2])] * 3


def test_a_watcher_that_was_restored_goes_on_behind_its_cursor(rig: OwnerRig) -> None:
    append(rig, times=2)
    client = Client()
    rig.reborn()
    rig.owner.audience.restore("k", Watcher(rig.thread.id, client, 2, caught_up=True))
    append(rig)
    assert client.seqs() == [3]
