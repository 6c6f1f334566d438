"""The life of a command, with real processes: endings, leftovers, time, signals, memory."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.unit.container.computer import Computer, fresh_id, until

DAEMON = """python3 -c '
import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
time.sleep(301)'"""

# Time for a shell to begin and say what it does with signals, on a busy machine.
SOON = 3

# Never the same process for long: each makes the next and ends.
RELAY = """python3 -c '
import os
while True:
    if os.fork(): os._exit(0)' 301 & sleep 0.1"""


@pytest.mark.parametrize(
    ("command", "exit_code", "signal"),
    [
        ("true", 0, None),
        ("false", 1, None),
        ("exit 300", 44, None),
        ("kill -9 $$", None, 9),
        ("kill -SEGV $$", None, 11),
        ("false | true", 0, None),
        ("no-such-program", 127, None),
        ("if", 2, None),
        ("-x", 127, None),
        ("", 0, None),
    ],
)
def test_an_ending_is_a_code_or_a_signal(
    computer: Computer, command: str, exit_code: int | None, signal: int | None
) -> None:
    end = computer.run(command).exit
    assert (end["exit_code"], end["signal"]) == (exit_code, signal)
    assert [end["timed_out"], end["stopped"], end["oom"]] == [False] * 3


def test_what_inherits_the_output_does_not_hold_the_result(computer: Computer) -> None:
    ran = computer.run("sleep 90 & echo done", timeout_s=50)
    assert ran.stdout == "done\n"
    assert (ran.exit["exit_code"], ran.exit["leftovers"], ran.exit["timed_out"]) == (0, 1, False)


@pytest.mark.parametrize(
    "leaving",
    [
        "setsid sleep 301 & sleep 0.1",
        "(setsid sleep 301 &) ; sleep 0.1",
        "nohup sleep 301 >/dev/null 2>&1 & disown; sleep 0.1",
        DAEMON,
        RELAY,
        "trap '' TERM; (trap '' TERM; sleep 301) & sleep 0.1",
        "sleep 301 & kill -STOP $!",
    ],
)
def test_whatever_a_command_leaves_is_ended(computer: Computer, leaving: str) -> None:
    ran = computer.run(leaving)
    assert ran.exit["exit_code"] == 0
    assert ran.exit["leftovers"] >= 1
    assert not [line for line in computer.processes() if "301" in line]


def test_what_ends_by_itself_in_time_is_no_leftover(computer: Computer) -> None:
    ran = computer.run("echo kept > >(cat > written)")
    assert ran.exit["leftovers"] == 0
    assert (computer.workspace / "written").read_text() == "kept\n"


def test_a_timeout_ends_the_whole_tree(computer: Computer) -> None:
    ran = computer.run("(while :; do echo x >> growing; sleep 0.05; done) & wait", timeout_s=SOON)
    assert ran.exit["timed_out"]
    size = (computer.workspace / "growing").stat().st_size
    assert not [line for line in computer.processes() if "sleep" in line]
    assert (computer.workspace / "growing").stat().st_size == size > 0


def test_a_timeout_reaches_a_session_of_its_own(computer: Computer) -> None:
    script = "setsid bash -c 'sleep 302; touch late' >/dev/null 2>&1 & wait"
    ran = computer.run(script, timeout_s=1)
    assert ran.exit["timed_out"]
    assert not [line for line in computer.processes() if "302" in line]


def test_who_ignores_the_request_to_end_is_killed(hasty: Computer) -> None:
    ran = hasty.run("trap '' TERM; while :; do sleep 0.1; done", timeout_s=SOON)
    assert ran.exit["timed_out"]
    assert ran.exit["signal"] == 9
    assert ran.exit["duration_ms"] >= SOON * 1000 + 300


def test_a_timeout_gives_time_to_tidy_up(computer: Computer) -> None:
    ran = computer.run("trap 'echo tidy; exit 7' TERM; while :; do sleep 0.05; done", timeout_s=SOON)
    assert ran.stdout == "tidy\n"
    assert (ran.exit["timed_out"], ran.exit["exit_code"]) == (True, 7)


def test_stop_ends_a_command_and_says_so(computer: Computer) -> None:
    identifier = fresh_id()
    frames = computer.open("echo up; sleep 303", 60, identifier)
    next(frames)
    next(frames)
    assert computer.call("POST", f"/commands/{identifier}/stop").status == 202
    end = list(frames)[-1]
    assert end["stopped"]
    assert not end["timed_out"]
    assert end["signal"] == 15
    assert not [line for line in computer.processes() if "303" in line]
    assert computer.call("POST", f"/commands/{identifier}/stop").status == 202


def test_who_ignores_a_stop_is_killed(hasty: Computer) -> None:
    identifier = fresh_id()
    frames = hasty.open("trap '' TERM; echo up; while :; do sleep 0.1; done", 60, identifier)
    assert any(frame["type"] == "output" for frame in frames)
    hasty.call("POST", f"/commands/{identifier}/stop")
    end = list(frames)[-1]
    assert (end["stopped"], end["signal"]) == (True, 9)
    assert end["duration_ms"] >= 300


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("read x; echo got:$x", "got:\n"),
        ("cat", ""),
        ("python3 -c 'input()' 2>&1 | tail -1", "EOFError: EOF when reading a line\n"),
        ("tty", "not a tty\n"),
        ("(: < /dev/tty) 2>/dev/null || echo none", "none\n"),
    ],
)
def test_nobody_is_at_the_keyboard(computer: Computer, command: str, output: str) -> None:
    ran = computer.run(command, timeout_s=30)
    assert ran.stdout == output
    assert not ran.exit["timed_out"]


def test_a_command_starts_with_a_clean_process(computer: Computer) -> None:
    script = """
    ls -l /proc/self/fd | awk '{print $9}' | grep -v '^$' | tr '\\n' ' '; echo
    grep -E 'Sig(Blk|Ign)' /proc/self/status | awk '{print $2}'
    umask; pwd; ps -o sid= -p $$ | tr -d ' '; echo $$
    """
    lines = computer.run(script).stdout.splitlines()
    assert lines[0].split() == ["0", "1", "2", "3"]  # 3 is the folder that ls reads
    internal = 1 << 31 | 1 << 32  # the C library's own two signals; no program can set them
    assert [int(mask, 16) & ~internal for mask in lines[1:3]] == [0, 0]
    assert lines[3] == "0022"
    assert lines[4] == str(computer.workspace)
    assert lines[5] == lines[6]


def test_a_pipe_that_is_closed_ends_who_writes(computer: Computer) -> None:
    ran = computer.run("yes | head -1; echo ${PIPESTATUS[0]}")
    assert ran.text == "y\n141\n"


def test_memory_that_is_refused_is_named(computer: Computer) -> None:
    end = computer.run('python3 -c "x=bytearray(10**11)"').exit
    assert (end["exit_code"], end["oom"]) == (1, True)


def test_a_program_that_reserves_addresses_still_runs(computer: Computer) -> None:
    code = "import mmap; mmap.mmap(-1, 1 << 37, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0)"
    assert computer.run(f"python3 -c '{code}'").exit["exit_code"] == 0


@pytest.mark.parametrize("size", [200_000, 300_000, 1_000_000])
def test_a_long_command_runs_whole(computer: Computer, size: int) -> None:
    body = "x" * (size // 100 * 100)
    lines = "\n".join(body[at : at + 100] for at in range(0, len(body), 100))
    ran = computer.run(f"wc -c <<'END'\n{lines}\nEND\necho $0 ${{BERTH_SCRIPT-unset}} $LINENO")
    rows = lines.count("\n") + 1
    assert ran.stdout == f"{len(lines) + 1}\nbash unset {rows + 3}\n"


def test_a_long_command_leaves_no_file_and_no_descriptor(computer: Computer) -> None:
    padding = "#" + "x" * 200_000
    ran = computer.run(f"ls /proc/self/fd | wc -l; ls -A /tmp/*command* 2>/dev/null\n{padding}")
    assert ran.text == "4\n"


def test_messages_of_a_long_command_name_the_right_line(computer: Computer) -> None:
    short = computer.run("echo 1\nno-such-program")
    long = computer.run("echo 1\nno-such-program\n#" + "x" * 200_000)
    assert long.stderr == short.stderr == "bash: line 2: no-such-program: command not found\n"


def test_the_profile_of_the_person_is_read(computer: Computer) -> None:
    profile = computer.home / ".profile"
    profile.write_text("export GREETING=hello\n")
    try:
        assert computer.run("echo $GREETING").stdout == "hello\n"
    finally:
        profile.unlink()


def test_programs_of_the_person_are_found(computer: Computer) -> None:
    folder = computer.home / ".local/bin"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "mine").write_text("#!/bin/sh\necho mine\n")
    (folder / "mine").chmod(0o755)
    ran = computer.run(
        "mine; bash -c mine; echo ${BASH_ENV-unset}; echo $PATH | tr : '\\n' | grep -c local/bin$"
    )
    assert ran.stdout.split() == ["mine", "mine", "unset", "2"]


def test_commands_do_not_wait_for_each_other(computer: Computer) -> None:
    # Each ends only when all have begun.
    met = "touch met.$$; until [ $(ls met.* | wc -l) = 4 ]; do sleep 0.02; done; echo met"
    with ThreadPoolExecutor(4) as pool:
        assert [ran.text for ran in pool.map(computer.run, [met] * 4)] == ["met\n"] * 4


def test_more_than_eight_at_once_are_refused(computer: Computer) -> None:
    identifiers = [fresh_id() for _ in range(8)]
    streams = [computer.open("sleep 304", 60, identifier) for identifier in identifiers]
    for stream in streams:
        next(stream)
    refused = computer.call("POST", "/commands", {"id": fresh_id(), "command": "true"})
    assert (refused.status, refused.json["code"]) == (409, "computer_busy")
    assert sorted(refused.json["details"]["running"]) == sorted(identifiers)
    running = computer.call("GET", "/commands").json["running"]
    assert {row["id"] for row in running} == set(identifiers)
    for identifier in identifiers:
        computer.call("POST", f"/commands/{identifier}/stop")
    assert all(list(stream)[-1]["stopped"] for stream in streams)
    assert computer.run("true").exit["exit_code"] == 0
    assert computer.call("GET", "/commands").json == {"running": []}


def test_zombies_are_buried(computer: Computer) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(computer.run, ["(sleep 0.01 &); true"] * 300))
    until(lambda: not [line for line in computer.processes() if line.startswith("Z")])
    assert computer.run("true").exit["exit_code"] == 0


def test_a_command_that_kills_its_supervisor_is_ended_with_all_it_had(computer: Computer) -> None:
    ran = computer.run("setsid sleep 305 & sleep 0.1; kill -9 $PPID; sleep 305; true", timeout_s=30)
    assert (ran.exit["signal"], ran.exit["timed_out"]) == (9, False)
    assert ran.exit["leftovers"] >= 1
    assert not [line for line in computer.processes() if "305" in line]
    assert computer.run("echo next").stdout == "next\n"


def test_a_command_that_stops_its_supervisor_meets_its_timeout(hasty: Computer) -> None:
    ran = hasty.run("kill -STOP $PPID; sleep 306", timeout_s=1)
    assert ran.exit["timed_out"]
    assert not [line for line in hasty.processes() if "306" in line]


def test_a_command_that_keeps_its_supervisor_stopped_is_ended_all_the_same(hasty: Computer) -> None:
    ran = hasty.run("trap '' TERM; while :; do kill -STOP $PPID; done", timeout_s=SOON)
    assert ran.exit["timed_out"]
    assert ran.exit["signal"] == 9
    assert not [line for line in hasty.processes() if "trap" in line]


def test_a_spare_that_was_stopped_is_woken_for_the_next_command(computer: Computer) -> None:
    computer.run("true")
    script = "for p in $(pgrep -P $(ps -o ppid= -p $PPID)); do [ $p = $PPID ] || kill -STOP $p; done"
    assert computer.run(script).exit["exit_code"] == 0
    # One has the supervisor that is free, the other the spare that was stopped.
    with ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda word: computer.run(f"sleep 1; echo {word}", timeout_s=60), "ab"))
    assert [ran.stdout for ran in both] == ["a\n", "b\n"]


def test_a_spare_that_was_killed_costs_the_next_command_nothing(computer: Computer) -> None:
    computer.run("true")
    # Until it is gone: a kill takes its time, and a command that begins meanwhile is lost with the spare.
    gone = "kill -9 $p; while kill -0 $p 2>/dev/null; do sleep 0.01; done"
    script = f"for p in $(pgrep -P $(ps -o ppid= -p $PPID)); do [ $p = $PPID ] || {{ {gone}; }}; done"
    assert computer.run(script).exit["exit_code"] == 0
    assert computer.run("echo next").stdout == "next\n"


@pytest.fixture
def refused(computer: Computer) -> Callable[..., str]:
    def ask(**fields: object) -> str:
        body = json.dumps({"id": fresh_id(), "command": "true", **fields}).encode()
        answer = computer.call("POST", "/commands", body)
        return f"{answer.status} {answer.json['code']}"

    return ask


@pytest.mark.parametrize(
    "fields",
    [
        {"id": ""},
        {"id": "a" * 65},
        {"id": "../x"},
        {"id": "a b"},
        {"id": 7},
        {"command": None},
        {"command": "a\0b"},
        {"command": "\ud800"},
        {"timeout_s": 0},
        {"timeout_s": 601},
        {"timeout_s": "9"},
        {"timeout_s": True},
        {"timeout_s": None},
    ],
)
def test_an_order_that_makes_no_sense_is_refused(
    refused: Callable[..., str], fields: dict[str, object]
) -> None:
    assert refused(**fields) == "400 invalid_request"


def test_an_order_that_is_too_long_is_refused(refused: Callable[..., str]) -> None:
    assert refused(command="x" * (1024 * 1024 + 1)) == "413 upload_too_large"


def test_a_name_that_is_no_utf8_reaches_the_command(computer: Computer) -> None:
    ran = computer.run("printf 'd\udcfft' | od -An -tx1")
    assert ran.stdout.split() == ["64", "ff", "74"]
