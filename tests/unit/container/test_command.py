"""What a reader at an offset gets: from memory, from the log, or a word about what is missing."""

import json
from pathlib import Path
from typing import Any

import pytest

from computerd import frames, limits
from computerd.command import Command, State
from computerd.command_log import FOLDER, CommandLog, read_log, size_of_log
from computerd.loop import Bell, Loop


def make(tmp_path: Path, limit: int = 1 << 20) -> Command:
    log = CommandLog(str(tmp_path), "c", limit)
    log.create()
    return Command("c", 1, log, Bell(Loop()))


def read_from(command: Command, offset: int) -> list[dict[str, Any]]:
    frames: list[dict[str, Any]] = []
    while True:
        data, offset = command.since(offset)
        if not data:
            return frames
        frames += [json.loads(line) for line in data.splitlines()]


def test_a_reader_who_keeps_up_gets_each_stream(tmp_path: Path) -> None:
    command = make(tmp_path)
    command.absorb("stdout", b"one")
    command.absorb("stderr", b"two")
    rows = [(f["stream"], f["offset"], f["end"], f["text"]) for f in read_from(command, 0)]
    assert rows == [("stdout", 0, 3, "one"), ("stderr", 3, 6, "two")]
    assert read_from(command, 6) == []


def test_an_offset_inside_a_chunk_cuts_it(tmp_path: Path) -> None:
    command = make(tmp_path)
    command.absorb("stdout", b"one")
    command.absorb("stdout", b"two")
    assert [f["text"] for f in read_from(command, 2)] == ["e", "two"]


ENDED = frames.Exit(
    exit_code=0,
    signal=None,
    timed_out=False,
    stopped=False,
    oom=False,
    workspace_full=False,
    leftovers=0,
    duration_ms=1,
    output_bytes=3,
    log_path="c",
    log_bytes=3,
    log_capped=False,
    log_note=None,
)


def test_a_reader_who_had_no_turn_before_the_end_still_gets_each_stream(tmp_path: Path) -> None:
    command = make(tmp_path)
    command.join()
    command.absorb("stdout", b"one")
    command.finish(ENDED)
    assert [f["stream"] for f in read_from(command, 0)] == ["stdout"]


def test_what_nobody_follows_any_more_is_only_in_the_log(tmp_path: Path) -> None:
    command = make(tmp_path)
    command.join()
    command.join()
    command.absorb("stdout", b"one")
    command.leave()
    command.finish(ENDED)
    assert command._recent
    command.leave()
    assert not command._recent
    assert [f["stream"] for f in read_from(command, 0)] == ["log"]


def test_a_reader_far_behind_is_served_from_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RECENT_BYTES", 1000)
    command = make(tmp_path)
    for number in range(100):
        command.absorb("stdout", f"≤{number:06d}\n".encode())
    frames = read_from(command, 0)
    assert "".join(f["text"] for f in frames) == "".join(f"≤{n:06d}\n" for n in range(100))
    assert frames[0]["stream"] == "log"
    assert frames[-1]["stream"] == "stdout"


def test_the_log_is_read_in_pieces_that_cut_no_character(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = make(tmp_path)
    command.absorb("stdout", "≤".encode() * 100)
    monkeypatch.setattr(limits, "SEND_BYTES", 10)
    command._recent.clear()
    frames = read_from(command, 0)
    assert "".join(f["text"] for f in frames) == "≤" * 100
    assert len(frames) > 10


def test_what_was_not_kept_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RECENT_BYTES", 1000)
    command = make(tmp_path, limit=100)
    command.absorb("stdout", b"a" * 100)
    command.absorb("stdout", b"b" * 2000)
    command.absorb("stdout", b"c" * 2000)
    frames = read_from(command, 0)
    assert [(f["offset"], f["end"]) for f in frames] == [(0, 100), (100, 2100), (2100, 4100)]
    assert frames[1]["text"] == "\n[berth: 2,000 bytes of output were left out here]\n"


@pytest.mark.parametrize(
    ("offset", "tail", "start"),
    [
        (0, 400, 0), (0, 399, 3), (0, 398, 3), (0, 397, 3), (0, 30, 372), (90, 310, 90), (90, 309, 93),
        (396, 100, 396), (0, 0, 400),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kept", ["in memory", "in the log"])
def test_a_reader_of_the_tail_goes_on_at_a_character(
    tmp_path: Path, offset: int, tail: int, start: int, kept: str
) -> None:
    command = make(tmp_path)
    for _ in range(4):
        command.absorb("stdout", "≤".encode() * 33 + b"\n")
    if kept == "in the log":
        command._recent.clear()
    assert command.tail_from(offset, tail) == start


def test_the_tail_of_what_is_not_in_memory_is_read_from_the_log_as_far_as_that_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "RECENT_BYTES", 1000)
    command = make(tmp_path, limit=3000)
    for letter in (b"a", b"b", b"c"):
        command.absorb("stdout", letter * 1000)
    assert command.tail_from(0, 2500) == 500
    for letter in (b"d", b"e"):
        command.absorb("stdout", letter * 1000)
    # The log ends at 3,000, and memory begins at 4,000.
    assert [command.tail_from(0, tail) for tail in (2500, 2000, 1500)] == [2500, 4000, 4000]


def test_many_small_writes_are_bounded_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RECENT_BYTES", 10_000)
    command = make(tmp_path)
    for _ in range(1000):
        command.absorb("stdout", b"x")
    assert len(command._recent) < 50


def test_held_back_bytes_come_at_the_end(tmp_path: Path) -> None:
    command = make(tmp_path)
    command.absorb("stdout", b"\xe2\x89")
    assert command.output_bytes == 0
    command.flush()
    assert [f["text"] for f in read_from(command, 0)] == ["\ufffd"]


def test_the_end_of_stderr_is_remembered(tmp_path: Path) -> None:
    command = make(tmp_path)
    command.absorb("stderr", b"x" * 5000)
    command.absorb("stderr", b"MemoryError\n")
    assert len(command.stderr_tail) == 2048
    assert command.stderr_tail.endswith(b"xMemoryError\n")


def test_a_change_of_state_rings(tmp_path: Path) -> None:
    command = make(tmp_path)
    command.enter(State.RUNNING)
    assert command.state is State.RUNNING


def test_a_log_stops_at_its_limit_and_says_so(tmp_path: Path) -> None:
    log = CommandLog(str(tmp_path), "c", limit=10)
    log.create()
    log.append(b"12345")
    log.append(b"6789012345")
    log.append(b"more")
    log.close()
    written = (tmp_path / FOLDER / "c.log").read_bytes()
    assert written.startswith(b"1234567890\n[berth: the log ends here")
    assert (log.kept, log.size, log.capped, log.note) == (
        10,
        len(written),
        True,
        "The log has the first 10 bytes only: that is its limit.",
    )


def test_a_log_of_exactly_its_limit_is_whole(tmp_path: Path) -> None:
    log = CommandLog(str(tmp_path), "c", limit=5)
    log.create()
    log.append(b"12345")
    log.close()
    assert (log.kept, log.size, log.capped) == (5, 5, False)


def test_a_log_never_opens_what_is_there(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    (folder / "c.log").symlink_to(tmp_path / "target")
    log = CommandLog(str(tmp_path), "c")
    log.create()
    log.append(b"x")
    assert log.note is not None
    assert log.kept == 0
    assert not (tmp_path / "target").exists()


def test_a_log_never_goes_on_with_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / FOLDER / "c.log"
    path.parent.mkdir(parents=True)
    path.write_text("of somebody else")
    log = CommandLog(str(tmp_path), "c")
    log.create()
    log.append(b"x")
    assert path.read_text() == "of somebody else"
    assert log.note is not None


def test_a_log_that_was_discarded_is_gone(tmp_path: Path) -> None:
    log = CommandLog(str(tmp_path), "c")
    log.create()
    log.discard()
    assert size_of_log(str(tmp_path), "c") is None


def test_a_finished_log_that_became_something_else_reads_as_nothing(tmp_path: Path) -> None:
    assert read_log(str(tmp_path), 0, 10) == b""
    assert read_log(str(tmp_path / "missing"), 0, 10) == b""
    assert read_log("/dev/zero", 0, 10) == b""
