"""The workspace limit: at it and one past it, by every way to write, and what a full workspace allows."""

import contextlib
import os
from collections.abc import Iterator

import pytest

from tests.unit.container.computer import Computer, fresh_id, start_sandboxed, until
from tests.unit.container.conftest import no_traceback, sandboxes_work
from tests.unit.container.test_measure import measured

MIB = 1024 * 1024
LIMIT = 12 * MIB
GRAIN = 256 * 1024
OPTIONS = [
    f"WORKSPACE_BYTES={LIMIT}",
    f"SPACE_GRAIN_BYTES={GRAIN}",
    "SPACE_LOOK_S=0.05",
    "LOGS_PRUNED_EVERY=100000",
]


@pytest.fixture(scope="module")
def small_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Computer]:
    if not sandboxes_work():
        pytest.skip("this machine allows no sandboxes")
    options = tuple(word for limit in OPTIONS for word in ("--limit", limit))
    computer = start_sandboxed(tmp_path_factory.mktemp("small"), options=options)
    yield computer
    computer.stop()


@pytest.fixture
def small(small_service: Computer) -> Iterator[Computer]:
    """A sandboxed computer with little room, which is empty again afterwards."""
    yield small_service
    small_service.run("shopt -s dotglob; rm -rf ~/* ./[!.]*")
    no_traceback(small_service)


def taken(computer: Computer) -> int:
    return measured(computer.workspace, computer.home)


def fill(computer: Computer, left: int) -> None:
    """Leave so many bytes of room, of which none is in a block that has begun."""
    computer.put("filling/first", b"x")
    at = 0
    while (room := LIMIT - taken(computer) - left) > 0:
        assert computer.put(f"filling/{at}", os.urandom(min(room, 4 * MIB) // 4096 * 4096)).status == 200
        at += 1
    assert taken(computer) == LIMIT - left


def temporary(computer: Computer) -> list[str]:
    folder = computer.workspace / ".berth/tmp"
    return os.listdir(folder) if folder.exists() else []


def test_a_write_at_the_limit_is_done_and_one_past_it_leaves_everything(small: Computer) -> None:
    small.put("a", b"original")
    fill(small, 64 * 1024)
    refused = small.put("a", os.urandom(64 * 1024 + 1))
    assert (refused.status, refused.json["code"]) == (507, "workspace_full")
    assert "Delete files" in refused.json["message"]
    assert refused.json["details"] == {
        "reason": "workspace_full_at",
        "used_said": "11.94 MB",
        "limit_said": "12.00 MB",
        "used": LIMIT - 64 * 1024,
        "limit": LIMIT,
    }
    assert small.get("a").body == b"original"
    assert temporary(small) == []
    assert small.put("new", os.urandom(64 * 1024)).status == 200
    assert taken(small) == LIMIT
    assert small.put("newer", b"x").status == 507
    assert small.put("empty", b"").status == 200
    assert small.get("a").body == b"original"


def test_an_edit_past_the_limit_leaves_the_file(small: Computer) -> None:
    text = b"old " + os.urandom(100_000).hex().encode()
    small.put("a", text)
    fill(small, 4096)
    refused = small.call("POST", "/files/edit", {"path": "a", "oldText": "old ", "newText": "new "})
    assert (refused.status, refused.json["code"]) == (507, "workspace_full")
    assert small.get("a").body == text
    assert temporary(small) == []
    small.run("rm filling/0")
    assert (
        small.call("POST", "/files/edit", {"path": "a", "oldText": "old ", "newText": "new "}).status == 200
    )


def test_an_upload_past_the_limit_leaves_nothing(small: Computer) -> None:
    fill(small, 8192)
    assert small.put("uploads/a.csv", os.urandom(8193), "&exclusive=1").status == 507
    assert not (small.workspace / "uploads/a.csv").exists()
    assert temporary(small) == []


def test_two_writes_at_once_do_not_both_take_the_last_room(small: Computer) -> None:
    fill(small, MIB)
    sockets = []
    head = "PUT /files/content?path={} HTTP/1.1\r\nHost: c\r\nContent-Length: {}\r\n\r\n"
    size = 700 * 1024
    for name in ("one", "two"):
        client = small.raw(head.format(name, size).encode() + b"x" * (size // 2))
        sockets.append(client)
    until(lambda: len(temporary(small)) == 2)
    answers = []
    for client in sockets:
        # The one that is refused has hung up perhaps before all of it was sent.
        with contextlib.suppress(ConnectionError):
            client.sendall(b"x" * (size - size // 2))
        answers.append(client.recv(100)[9:12])
        client.close()
    assert sorted(answers) == [b"200", b"507"]
    assert taken(small) <= LIMIT
    assert temporary(small) == []


@pytest.mark.parametrize(
    "write",
    [
        "head -c 200M /dev/zero > large",
        "head -c 200M /dev/zero > ~/large",
        "i=0; while :; do i=$((i+1)); head -c 500K /dev/zero > part.$i; done",
        "python3 -c \"f = open('a', 'wb')\nwhile True: f.write(bytes(100_000)); f.flush()\"",
        "mkdir hidden; cd hidden; chmod 300 .; head -c 200M /dev/zero > large",
        "fallocate -l 200M large; sleep 60",
    ],
    ids=["workspace", "home", "many", "program", "hidden", "allocated"],
)
def test_a_command_that_writes_over_the_limit_is_ended_and_says_why(small: Computer, write: str) -> None:
    ran = small.run(f"{write}; sleep 60; echo not ended")
    assert ran.exit["workspace_full"]
    assert "not ended" not in ran.text
    assert "[berth: ended, because the workspace is full" in ran.of("log")
    assert not [line for line in small.processes() if "sleep 60" in line]
    small.run("chmod 700 hidden 2> /dev/null; rm -rf hidden large ~/large a part.*")
    assert not small.run("true").exit["workspace_full"]


def test_only_who_writes_is_ended(small: Computer) -> None:
    marker = fresh_id()
    reader = small.open("echo up; while [ ! -e over ]; do sleep 0.05; done; echo read on", identifier=marker)
    assert next(frame for frame in reader if frame["type"] == "output")["text"] == "up\n"
    assert small.run("head -c 200M /dev/zero > large; sleep 60").exit["workspace_full"]
    (small.workspace / "over").touch()
    frames = list(reader)
    assert "read on\n" in "".join(frame.get("text", "") for frame in frames)
    assert frames[-1]["exit_code"] == 0


def test_a_quick_command_that_passes_the_limit_says_so_at_its_end(small: Computer) -> None:
    fill(small, MIB)
    at_limit = small.run("head -c 900K /dev/zero > in", timeout_s=30).exit
    assert (at_limit["exit_code"], at_limit["workspace_full"]) == (0, False)
    past_it = small.run("head -c 300K /dev/zero > over").exit
    assert past_it["workspace_full"]


def test_a_full_workspace_can_be_read_and_emptied(small: Computer) -> None:
    small.put("kept", b"kept")
    small.run("head -c 200M /dev/zero > large; sleep 60")
    assert taken(small) > LIMIT
    ran = small.run("cat kept; echo a little > little; sleep 0.4; cat little")
    assert (ran.exit["exit_code"], ran.stdout) == (0, "kepta little\n")
    assert ran.exit["workspace_full"]
    assert ran.exit["log_note"] == "The log has the first 0 bytes only: the workspace is full."
    assert small.put("more", b"x").status == 507
    emptied = small.run("rm large; sleep 0.4; echo room")
    assert (emptied.exit["exit_code"], emptied.exit["workspace_full"]) == (0, False)
    assert small.put("more", b"x").status == 200
    assert small.run("echo logged").exit["log_note"] is None


def test_a_sparse_file_counts_by_its_blocks(small: Computer) -> None:
    ran = small.run("truncate -s 100G sparse; sleep 0.4; echo end")
    assert (ran.stdout, ran.exit["workspace_full"]) == ("end\n", False)
    assert small.put("more", b"x").status == 200


def test_an_output_that_fills_the_workspace_ends_its_log_and_not_the_command(small: Computer) -> None:
    fill(small, 2 * MIB)
    ran = small.run("head -c 8M /dev/zero | tr '\\0' x; sleep 1; echo end")
    assert ran.exit["exit_code"] == 0
    assert ran.exit["output_bytes"] == 8 * MIB + 4
    assert taken(small) <= LIMIT + 8 * MIB
    assert "workspace is full" in (ran.exit["log_note"] or "workspace is full")
    assert small.put("more", b"x").status == 507
