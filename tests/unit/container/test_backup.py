"""Backups as whoever pulls them sees them: whole, small after the first, and out of everybody's way."""

import hashlib
import json
import os
import signal
import time
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.unit.container.computer import Computer, until
from tests.unit.container.conftest import Machines
from tests.unit.container.saving import MIB, Bucket, helpers, piece

NOTHING = "0" * 64
SETTLED_S = 0.02


@pytest.fixture
def own(machines: Machines) -> Computer:
    """A computer whose tree is this test's alone."""
    return machines.plain("--limit", f"SETTLED_S={SETTLED_S}")


def settle(path: Path) -> None:
    """Until the time of a file is old enough to tell that it has not changed."""
    until(lambda: time.time() > path.lstat().st_ctime + 2 * SETTLED_S)


def fill(folder: Path, count: int = 100) -> None:
    for number in range(count):
        (folder / f"{number % 7}").mkdir(exist_ok=True)
        (folder / f"{number % 7}" / f"f{number}").write_bytes(os.urandom(300 * number))


def refused(computer: Computer, method: str, path: str, body: Any = None) -> tuple[int, str]:
    answer = computer.call(method, path, body)
    return answer.status, answer.json["code"]


def test_a_tree_that_is_as_it_was_brings_no_pack(own: Computer) -> None:
    fill(own.workspace)
    (own.home / "notes").write_text("at home")
    settle(own.home / "notes")
    bucket = Bucket()
    first = bucket.pull(own)
    assert (first.summary["files"], first.summary["folders"]) == (101, 8)
    assert first.summary["bytes"] == first.summary["new_bytes"] == sum(map(len, first.new_packs))
    again = bucket.pull(own, first.manifest)
    assert again.new_packs == []
    assert again.summary["new_bytes"] == 0
    # Nothing has changed at all, so neither has the list.
    assert again.manifest == bucket.pull(own, again.manifest).manifest


def test_one_percent_that_changed_moves_less_than_five(own: Computer) -> None:
    for number in range(400):
        (own.workspace / f"f{number}").write_bytes(os.urandom(20_000))
    (own.workspace / "large").write_bytes(os.urandom(12 * MIB))
    bucket = Bucket()
    first = bucket.pull(own)
    for number in range(0, 400, 100):
        (own.workspace / f"f{number}").write_bytes(os.urandom(20_000))
    with (own.workspace / "large").open("r+b") as file:
        file.seek(5 * MIB + 17)
        file.write(b"changed")
    second = bucket.pull(own, first.manifest)
    whole = first.summary["new_bytes"] + len(bucket.kept[first.manifest])
    # One block of the large file, and the four small ones.
    assert second.summary["new_bytes"] == MIB + 4 * 20_000
    assert second.summary["new_bytes"] + len(bucket.kept[second.manifest]) < whole * 0.06
    assert len(second.summary["packs"]) == len(first.summary["packs"]) + 1


def test_a_large_file_is_found_again_where_it_was_moved_and_in_its_copies(own: Computer) -> None:
    (own.workspace / "b").write_bytes(os.urandom(3 * MIB + 5))
    bucket = Bucket()
    first = bucket.pull(own)
    (own.workspace / "a").mkdir()
    (own.workspace / "b").rename(own.workspace / "a/moved")
    (own.workspace / "copy").write_bytes((own.workspace / "a/moved").read_bytes())
    second = bucket.pull(own, first.manifest)
    assert second.new_packs == []
    assert [pack["used"] for pack in second.summary["packs"]] == [3 * MIB + 5]


def test_pieces_that_are_asked_for_again_are_the_same(own: Computer) -> None:
    (own.workspace / "a").write_bytes(os.urandom(20 * MIB))
    token = Bucket().begin(own)
    pieces = []
    for number in range(4):
        one, other = piece(own, token, number), piece(own, token, number)
        assert one.body == other.body
        assert one.headers == other.headers
        pieces.append(one)
    assert [len(one.body) for one in pieces[:3]] == [8 * MIB, 8 * MIB, 4 * MIB]
    assert [one.headers["X-Berth-Piece"] for one in pieces] == ["pack", "pack", "pack", "manifest"]
    assert refused(own, "GET", f"/backup/{token}/pieces/2") == (400, "invalid_request")
    assert refused(own, "GET", f"/backup/{token}/pieces/4") == (400, "invalid_request")
    assert own.call("GET", f"/backup/{token}/summary").json["new_bytes"] == 20 * MIB


def test_pieces_come_in_their_order_only(own: Computer) -> None:
    token = Bucket().begin(own)
    for number in ("1", "7", "-1", "x", "9" * 10):
        assert refused(own, "GET", f"/backup/{token}/pieces/{number}") == (400, "invalid_request")
    assert refused(own, "GET", f"/backup/{token}/summary") == (400, "invalid_request")
    assert refused(own, "GET", "/backup/other/pieces/0") == (404, "not_found")
    assert piece(own, token, 0).headers["X-Berth-Piece"] == "manifest"


@pytest.mark.parametrize(
    "body", [{"previous": "abc"}, {"previous": 5}, {"previous": None, "tree_known": "yes"}, [1]]
)
def test_what_is_no_order_for_a_backup_is_refused(computer: Computer, body: object) -> None:
    assert refused(computer, "POST", "/backup", body) == (400, "invalid_request")


def test_a_manifest_that_was_lost_is_asked_for_and_checked(own: Computer) -> None:
    fill(own.workspace)
    bucket = Bucket()
    first = bucket.pull(own)
    kept = own.workspace / ".berth/backup/manifest"
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == first.manifest
    kept.write_bytes(b"spoilt")
    answer = own.call("POST", "/backup", {"previous": first.manifest, "tree_known": False})
    assert answer.json["needs_manifest"] is True
    path = f"/backup/{answer.json['backup']}"
    assert refused(own, "GET", f"{path}/pieces/0") == (400, "invalid_request")
    whole = bucket.kept[first.manifest]
    flipped = whole[:50] + bytes([whole[50] ^ 1]) + whole[51:]
    assert refused(own, "PUT", f"{path}/manifest", flipped) == (400, "invalid_request")
    assert own.call("PUT", f"{path}/manifest", whole).status == 200
    assert refused(own, "PUT", f"{path}/manifest", whole) == (400, "invalid_request")
    assert piece(own, path.rpartition("/")[2], 0).headers["X-Berth-Piece"] == "manifest"


SPOILERS = {
    "a file": "rm -rf .berth; echo mine > .berth",
    "a pipe": "rm -rf .berth; mkfifo .berth",
    "a link outside": "rm -rf .berth; ln -s /usr .berth",
    "a link to nothing": "rm -rf .berth; ln -s /nowhere/at/all .berth",
    "a pipe for a folder": "rm -rf .berth/backup; mkdir -p .berth; mkfifo .berth/backup",
    "folders for files": "rm -rf .berth/backup; mkdir -p .berth/backup/manifest{,.new}/x",
    "closed": "mkdir -p .berth/backup; chmod 0 .berth/backup; chmod 0 .berth",
    "all closed": "chmod 0 ~ .",
}


@pytest.mark.parametrize("spoiler", SPOILERS)
def test_whatever_commands_make_of_our_place_for_manifests_the_files_are_saved(
    machines: Machines, own: Computer, spoiler: str
) -> None:
    sandbox = machines.boxed()
    sandbox.run("echo kept > kept.txt")
    bucket = Bucket()
    first = bucket.pull(sandbox)
    sandbox.run(SPOILERS[spoiler])
    second = bucket.pull(sandbox, first.manifest)
    assert second.summary["unread"] == 0
    bucket.bring_back(own, second.manifest)
    assert "kept.txt" in os.listdir(own.workspace)


def test_what_is_no_manifest_is_said_to_be_none(own: Computer) -> None:
    for data in (
        b"",
        b"no zlib",
        zlib.compress(b"{}\n"),
        zlib.compress(b"x" * 99),
        zlib.compress(b'{"format"'),
    ):
        sha256 = hashlib.sha256(data).hexdigest()
        token = own.call("POST", "/backup", {"previous": sha256}).json["backup"]
        assert own.call("PUT", f"/backup/{token}/manifest", data).status == 200
        answer = piece(own, token, 0)
        assert (answer.status, answer.json["code"]) == (400, "invalid_request"), data


def test_a_pack_that_is_half_dead_is_given_up(own: Computer) -> None:
    for number in range(10):
        (own.workspace / f"f{number}").write_bytes(os.urandom(100_000))
    settle(own.workspace / "f9")
    bucket = Bucket()
    first = bucket.pull(own)
    for number in range(6):
        (own.workspace / f"f{number}").unlink()
    second = bucket.pull(own, first.manifest)
    # How little of it is used is known when all has been walked, so it goes with the next.
    assert [pack["used"] for pack in second.summary["packs"]] == [400_000]
    assert second.new_packs == []
    third = bucket.pull(own, second.manifest)
    assert [len(pack) for pack in third.new_packs] == [400_000]
    assert [pack["size"] for pack in third.summary["packs"]] == [400_000]
    assert bucket.pull(own, third.manifest).new_packs == []


@pytest.mark.parametrize(("saves", "packs"), [(3, 3), (4, 1)])
def test_small_packs_are_joined_when_they_become_many(machines: Machines, saves: int, packs: int) -> None:
    computer = machines.plain("--limit", "SMALL_PACKS=2")
    bucket = Bucket()
    previous = None
    for number in range(saves):
        (computer.workspace / f"f{number}").write_text(f"of save {number}")
        saved = bucket.pull(computer, previous)
        previous = saved.manifest
    assert len(saved.summary["packs"]) == packs


def test_a_packer_that_is_killed_is_an_error_and_the_service_goes_on(own: Computer) -> None:
    (own.workspace / "a").write_bytes(os.urandom(20 * MIB))
    bucket = Bucket()
    token = bucket.begin(own)
    assert piece(own, token, 0).status == 200
    (pid,) = helpers(own)
    os.kill(pid, signal.SIGKILL)
    until(lambda: not helpers(own))
    answer = piece(own, token, 1)
    assert (answer.status, answer.json["code"]) == (503, "computer_unavailable")
    assert own.run("echo on").text == "on\n"
    assert bucket.pull(own).summary["files"] == 2


def test_one_that_does_not_get_on_is_given_up(machines: Machines) -> None:
    computer = machines.plain("--limit", "HELPER_SILENCE_S=0.3")
    token = Bucket().begin(computer)
    os.kill(helpers(computer)[0], signal.SIGSTOP)
    answer = piece(computer, token, 0)
    assert (answer.status, answer.json["code"]) == (503, "computer_unavailable")
    until(lambda: not helpers(computer))


def test_whoever_has_to_wait_long_is_asked_to_come_again(machines: Machines) -> None:
    computer = machines.plain("--limit", "PATIENCE_S=0.05")
    (computer.workspace / "a").write_text("x")
    token = Bucket().begin(computer)
    (pid,) = helpers(computer)
    os.kill(pid, signal.SIGSTOP)
    for _ in range(3):
        answer = computer.call("GET", f"/backup/{token}/pieces/0")
        assert (answer.status, answer.json) == (202, {})
    os.kill(pid, signal.SIGCONT)
    assert piece(computer, token, 0).body == b"x"


def test_a_command_ends_a_backup_and_waits_for_nothing(own: Computer) -> None:
    (own.workspace / "a").write_bytes(os.urandom(20 * MIB))
    token = Bucket().begin(own)
    assert piece(own, token, 0).status == 200
    assert own.run("echo here").text == "here\n"
    for path in ("pieces/0", "pieces/1", "summary"):
        assert refused(own, "GET", f"/backup/{token}/{path}") == (409, "computer_busy")
    until(lambda: not helpers(own))


@pytest.mark.parametrize("change", ["put", "edit"])
def test_a_change_of_a_file_ends_a_backup_too(own: Computer, change: str) -> None:
    (own.workspace / "a").write_bytes(b"old " + os.urandom(20 * MIB))
    (own.workspace / "b").write_text("old")
    token = Bucket().begin(own)
    assert piece(own, token, 0).status == 200
    if change == "put":
        assert own.put("b", b"new").status == 200
    else:
        assert (
            own.call("POST", "/files/edit", {"path": "b", "oldText": "old", "newText": "new"}).status == 200
        )
    assert refused(own, "GET", f"/backup/{token}/pieces/1") == (409, "computer_busy")


def test_one_whose_files_were_all_read_survives_a_command(own: Computer) -> None:
    fill(own.workspace)
    token = Bucket().begin(own)
    assert piece(own, token, 0).status == 200
    manifest = piece(own, token, 1)
    assert own.call("GET", f"/backup/{token}/summary").status == 200
    own.run("true")
    assert own.call("GET", f"/backup/{token}/pieces/1").body == manifest.body
    assert own.call("GET", f"/backup/{token}/summary").json["files"] == 100


def test_while_a_command_runs_no_backup_begins(own: Computer) -> None:
    frames = own.open("read -r x < /dev/tcp/127.0.0.1/9 ; sleep 30")
    next(frames)
    answer = own.call("POST", "/backup", {"previous": None})
    assert (answer.status, answer.json["code"]) == (409, "computer_busy")
    assert len(answer.json["details"]["running"]) == 1


def test_a_new_backup_ends_the_one_before(own: Computer) -> None:
    (own.workspace / "a").write_bytes(os.urandom(20 * MIB))
    bucket = Bucket()
    token = bucket.begin(own)
    assert piece(own, token, 0).status == 200
    assert bucket.pull(own).summary["files"] == 1
    assert refused(own, "GET", f"/backup/{token}/pieces/1") == (404, "not_found")
    assert helpers(own) == []


def test_one_that_is_deleted_leaves_nobody(own: Computer) -> None:
    (own.workspace / "a").write_bytes(os.urandom(20 * MIB))
    token = Bucket().begin(own)
    assert piece(own, token, 0).status == 200
    assert own.call("DELETE", f"/backup/{token}").json == {}
    assert own.call("DELETE", f"/backup/{token}").json == {}
    assert refused(own, "DELETE", "/backup/other") == (404, "not_found")
    assert refused(own, "GET", f"/backup/{token}/pieces/0") == (409, "computer_busy")
    until(lambda: not helpers(own))


def test_one_that_nobody_pulls_ends_by_itself(machines: Machines) -> None:
    computer = machines.plain("--limit", "BACKUP_IDLE_S=0.2")
    (computer.workspace / "a").write_bytes(os.urandom(20 * MIB))
    token = Bucket().begin(computer)
    until(lambda: not helpers(computer))
    assert refused(computer, "GET", f"/backup/{token}/pieces/0") == (409, "computer_busy")


def order_of(computer: Computer) -> dict[str, Any]:
    """What the helper was told."""
    (pid,) = helpers(computer)
    order: dict[str, Any] = json.loads(Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[-2])
    return order


@pytest.mark.parametrize(("moved_s", "trusted"), [("1.0", True), ("-1.0", False)])
def test_times_prove_nothing_where_the_clock_was_set(machines: Machines, moved_s: str, trusted: bool) -> None:
    begun_ns = time.time_ns()
    computer = machines.plain("--limit", f"CLOCK_MOVED_S={moved_s}")
    bucket = Bucket()
    first = bucket.pull(computer)
    bucket.begin(computer, first.manifest, known=True)
    known_before_ns = order_of(computer)["known_before_ns"]
    assert (begun_ns - 20_000_000 < known_before_ns < time.time_ns()) is trusted
    assert (known_before_ns == 0) is not trusted
    bucket.begin(computer, first.manifest, known=False)
    assert order_of(computer)["known_before_ns"] == 0
