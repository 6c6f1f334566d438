"""Reading a command's output: as it comes, again, from an offset, too slowly, or not at all."""

import json
import socket
import time
from pathlib import Path

import pytest

from computerd import limits
from tests.unit.container.computer import Computer, Ran, fresh_id, start, until

BYTE_BY_BYTE = (
    'python3 -c "import sys,time;w=sys.stdout.buffer;'
    '[(w.write(bytes([b])),w.flush(),time.sleep(.2)) for b in (0xe2,0x89,0xa4,10)]"'
)


def log_of(computer: Computer, ran: Ran) -> bytes:
    return (computer.workspace / ".berth/logs" / f"{ran.frames[0]['id']}.log").read_bytes()


def test_frames_begin_with_started_and_end_with_exited(computer: Computer) -> None:
    identifier = fresh_id()
    ran = computer.run("echo hi; echo oh >&2", identifier=identifier)
    assert ran.frames[0]["type"] == "started"
    assert ran.frames[0]["id"] == identifier
    assert abs(ran.frames[0]["started_at_ms"] - time.time() * 1000) < 60_000
    assert (ran.stdout, ran.stderr) == ("hi\n", "oh\n")
    assert set(ran.exit) == {
        "type", "exit_code", "signal", "timed_out", "stopped", "oom", "leftovers", "duration_ms",
        "workspace_full", "output_bytes", "log_path", "log_bytes", "log_capped", "log_note",
    }  # fmt: skip
    assert ran.exit["log_path"] == f"{computer.workspace}/.berth/logs/{identifier}.log"


def test_output_arrives_before_the_command_ends(computer: Computer) -> None:
    identifier = fresh_id()
    frames = computer.open("echo a; sleep 307; echo b", 60, identifier)
    assert next(frames)["type"] == "started"
    assert next(frames)["text"] == "a\n"
    computer.call("POST", f"/commands/{identifier}/stop")
    assert list(frames)[-1]["stopped"]


def test_a_print_of_python_is_not_held_back(computer: Computer) -> None:
    identifier = fresh_id()
    frames = computer.open("python3 -c 'import time; print(1); time.sleep(308)'", 60, identifier)
    next(frames)
    assert next(frames)["text"].strip() == "1"
    computer.call("POST", f"/commands/{identifier}/stop")
    assert list(frames)[-1]["stopped"]


def test_offsets_are_those_of_the_log_and_leave_no_gap(computer: Computer) -> None:
    ran = computer.run("for i in 1 2 3; do echo out $i; echo err $i >&2; sleep 0.02; done")
    log = log_of(computer, ran)
    at = 0
    for frame in ran.frames[1:-1]:
        assert frame["offset"] == at
        assert log[at : frame["end"]].decode() == frame["text"]
        at = frame["end"]
    assert at == ran.exit["output_bytes"] == ran.exit["log_bytes"] == len(log)


def test_a_character_that_comes_byte_by_byte_is_one_character(computer: Computer) -> None:
    assert computer.run(BYTE_BY_BYTE).text == "≤\n"


def test_streams_that_cut_into_each_others_characters_stay_whole(computer: Computer) -> None:
    script = (
        'python3 -c "import os,time;'
        "[(os.write(1,bytes([a])),time.sleep(.1),os.write(2,bytes([b])),time.sleep(.1))"
        "for a,b in zip('≤'.encode(),'😀'.encode())];os.write(2,bytes([0x80]))\""
    )
    ran = computer.run(script)
    assert (ran.stdout, ran.stderr) == ("≤", "😀")


def test_what_is_no_text_is_marked_and_kept_in_the_log(computer: Computer) -> None:
    ran = computer.run(r"printf 'a\xff\xe2\x89'")
    assert ran.text == "a\ufffd\ufffd"
    assert (
        computer.workspace / ".berth/logs" / f"{ran.frames[0]['id']}.log"
    ).read_bytes() == b"a\xff\xe2\x89"


def test_ten_megabytes_arrive_whole(computer: Computer) -> None:
    ran = computer.run("seq -f '%09.0f' 1 1000000")
    assert ran.text == "".join(f"{number:09d}\n" for number in range(1, 1_000_001))


def test_the_same_id_never_runs_twice(computer: Computer) -> None:
    identifier = fresh_id()
    first = computer.run("echo once >> ran; cat ran", identifier=identifier)
    again = computer.run("echo once >> ran; cat ran", identifier=identifier)
    other = computer.run("echo something else", identifier=identifier)
    assert first.text == again.text == other.text == "once\n"
    assert first.exit == again.exit
    assert first.frames[0] == again.frames[0]


def test_two_who_start_the_same_id_share_one_run(computer: Computer) -> None:
    identifier = fresh_id()
    streams = [computer.open("echo x >> shared; sleep 0.3; cat shared", 60, identifier) for _ in range(3)]
    assert [Ran(list(stream)).text for stream in streams] == ["x\n"] * 3


@pytest.mark.parametrize("offset", [0, 1, 6, 12])
def test_attach_goes_on_from_an_offset(computer: Computer, offset: int) -> None:
    identifier = fresh_id()
    computer.run("echo first; echo again", identifier=identifier)
    frames = list(computer.attach(identifier, offset))
    assert frames[0]["type"] == "started"
    assert Ran(frames).text == "first\nagain\n"[offset:]
    assert frames[-1]["type"] == "exited"


def test_attach_to_a_running_command_shows_the_past_and_the_rest(computer: Computer) -> None:
    identifier = fresh_id()
    script = "echo early; until [ -e go ]; do sleep 0.02; done; echo late; rm go"
    first = computer.open(script, 60, identifier)
    next(first)
    next(first)
    second = computer.attach(identifier)
    assert next(second)["type"] == "started"
    assert next(second)["text"] == "early\n"
    (computer.workspace / "go").touch()
    assert Ran(list(first)).text == Ran(list(second)).text == "late\n"


def test_attach_to_nothing_is_not_found(computer: Computer) -> None:
    answer = computer.call("GET", "/commands/never-heard-of")
    assert (answer.status, answer.json["code"]) == (404, "not_found")
    assert computer.call("POST", "/commands/never-heard-of/stop").status == 404


@pytest.mark.parametrize("offset", ["-1", "x", "1e3", "%C2%B2", "99999999"])
def test_an_offset_that_cannot_be_is_refused(computer: Computer, offset: str) -> None:
    identifier = fresh_id()
    computer.run("echo hi", identifier=identifier)
    answer = computer.call(
        "GET", f"/commands/{identifier}?offset={offset.encode().hex() if offset == '²' else offset}"
    )
    assert (answer.status, answer.json["code"]) == (400, "invalid_request")


def test_silence_is_filled_with_heartbeats(hasty: Computer) -> None:
    go = hasty.workspace / "heard"
    frames = hasty.open(f"until [ -e {go.name} ]; do sleep 0.02; done; echo end")
    assert [next(frames)["type"] for _ in range(3)] == ["started", "heartbeat", "heartbeat"]
    go.touch()
    kinds = [frame["type"] for frame in frames]
    assert [kind for kind in kinds if kind != "heartbeat"] == ["output", "exited"]


def post(body: bytes) -> bytes:
    return b"POST /commands HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def test_a_command_goes_on_when_its_reader_has_gone(computer: Computer) -> None:
    identifier = fresh_id()
    body = json.dumps({"id": identifier, "command": "sleep 0.3; echo finished > gone"}).encode()
    client = computer.raw(post(body))
    client.recv(100)
    client.close()
    assert Ran(list(computer.attach(identifier))).exit["exit_code"] == 0
    assert (computer.workspace / "gone").read_text() == "finished\n"


def test_a_reader_who_does_not_read_holds_up_nobody(computer: Computer) -> None:
    identifier = fresh_id()
    body = json.dumps({"id": identifier, "command": "seq 1 3000000"}).encode()
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.connect(("127.0.0.1", computer.port))
    slow.sendall(post(body))
    until(lambda: not computer.call("GET", "/commands").json["running"])
    expected = "".join(f"{number}\n" for number in range(1, 3_000_001))
    assert Ran(list(computer.attach(identifier))).text == expected
    slow.settimeout(30)
    received = bytearray()
    while not received.endswith(b"\r\n0\r\n\r\n"):
        received += slow.recv(1 << 20)
    slow.close()
    text = "".join(frame["text"] for frame in _frames_in(bytes(received)) if frame["type"] == "output")
    assert text == expected


def _frames_in(stream: bytes) -> list[dict[str, str]]:
    _, _, rest = stream.partition(b"\r\n\r\n")
    body = bytearray()
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        body += rest[:length]
        rest = rest[length + 2 :]
    return [json.loads(line) for line in body.splitlines()]


def test_past_the_limit_of_the_log_the_output_still_streams(hasty: Computer) -> None:
    identifier = fresh_id()
    ran = hasty.run("yes 0123456789abcde | head -c 8000000", identifier=identifier)
    assert ran.exit["output_bytes"] == 8_000_000
    assert ran.exit["log_capped"]
    assert ran.exit["log_note"] == "The log has the first 1,000,000 bytes only: that is its limit."
    log = (hasty.workspace / ".berth/logs" / f"{identifier}.log").read_bytes()
    assert ran.exit["log_bytes"] == len(log)
    assert b"limit of 1,000,000 bytes" in log[1_000_000:]
    end = 0
    for frame in ran.frames[1:-1]:
        if frame["type"] == "output":
            assert frame["offset"] == end
            end = frame["end"]
    assert end == 8_000_000
    again = Ran(list(hasty.attach(identifier, 900_000)))
    assert again.text.startswith("0123456789abcde\n" * 6250)
    assert "bytes of output were left out" in again.text


def test_a_reader_who_wants_the_tail_only_is_told_how_much_was_left_out(computer: Computer) -> None:
    identifier = fresh_id()
    ran = computer.run("seq 100000; echo ≤", identifier=identifier)
    size = ran.exit["output_bytes"]
    # The third byte before the end is in the middle of the last character.
    found = Ran(list(computer.stream("GET", f"/commands/{identifier}?offset=6&tail=3")))
    gap, *rest = [frame for frame in found.frames if frame["type"] == "output"]
    assert (gap["offset"], gap["end"], gap["left_out"]) == (6, size - 1, size - 7)
    assert f"{size - 7:,} bytes of output were left out" in gap["text"]
    assert [frame["text"] for frame in rest] == ["\n"]
    assert found.exit == ran.exit


def test_a_tail_that_reaches_back_to_the_offset_leaves_nothing_out(computer: Computer) -> None:
    identifier = fresh_id()
    computer.run("echo one; echo two", identifier=identifier)
    assert Ran(list(computer.stream("GET", f"/commands/{identifier}?offset=4&tail=4"))).text == "two\n"


@pytest.mark.parametrize("tail", ["-1", "x", "1.5", "9" * 16])
def test_a_tail_is_a_number_of_bytes(computer: Computer, tail: str) -> None:
    identifier = fresh_id()
    computer.run("true", identifier=identifier)
    answer = computer.call("GET", f"/commands/{identifier}?tail={tail}")
    assert (answer.status, answer.json["code"]) == (400, "invalid_request")


def test_the_limit_of_the_log_is_64_megabytes() -> None:
    assert limits.LOG_BYTES == 64 * 1024 * 1024


def test_memory_stays_flat_whatever_the_output(own_folder: Path) -> None:
    computer = start(own_folder)
    computer.run("head -c 10000000 /dev/zero | tr '\\0' x")
    before = _private_kb(computer.process.pid)
    for frame in computer.open("yes | head -c 300000000"):
        assert frame["type"] in ("started", "output", "exited")
    assert _private_kb(computer.process.pid) - before < 8 * 1024
    assert computer.stop() == 0


def _private_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def test_a_log_that_cannot_be_made_is_said_and_the_command_runs(own_folder: Path) -> None:
    computer = start(own_folder)
    (computer.workspace / ".berth").write_text("in the way")
    ran = computer.run("echo still here")
    assert ran.text == "still here\n"
    assert ran.exit["exit_code"] == 0
    assert ran.exit["log_bytes"] == 0
    assert "could not be made" in ran.exit["log_note"]
    assert computer.stop() == 0


def test_a_command_of_an_earlier_start_is_not_run_again(own_folder: Path) -> None:
    first = start(own_folder)
    first.run("echo before", identifier="kept")
    assert first.stop() == 0
    second = start(own_folder)
    ran = second.run("echo again > again", identifier="kept")
    assert ran.text == "before\n"
    assert (ran.exit["exit_code"], ran.exit["signal"]) == (None, None)
    assert "not known" in ran.exit["log_note"]
    assert not (second.workspace / "again").exists()
    assert Ran(list(second.attach("kept", 3))).text == "ore\n"
    assert second.stop() == 0


def test_the_last_results_are_remembered_and_older_ones_are_not(hasty: Computer) -> None:
    identifiers = [fresh_id() for _ in range(6)]
    for number, identifier in enumerate(identifiers):
        hasty.run(f"exit {number + 1}", identifier=identifier)
    codes = [list(hasty.attach(identifier))[-1]["exit_code"] for identifier in identifiers]
    assert codes == [None, None, 3, 4, 5, 6]
