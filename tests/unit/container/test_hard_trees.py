"""Trees that are hard to save: closed, swapped while they are walked, on a full disk, too many."""

import os
import re
import signal
from pathlib import Path

import pytest

from computerd.left_out import LeftOut
from tests.unit.container.computer import Computer, until
from tests.unit.container.conftest import Machines, sandboxes_work
from tests.unit.container.saving import MIB, Bucket, finished, helpers, piece, tree

needs_sandbox = pytest.mark.skipif(not sandboxes_work(), reason="this machine allows no sandboxes")
CLOSED = (
    "mkdir -p n/below r x; echo deep > n/below/f; echo one > r/f; echo two > x/f; echo three > f; ln f g;"
    "chmod 000 f n/below/f n/below n; chmod 400 r; chmod 100 x; chmod 311 r/f"
)
MODES = (
    "stat -c '%a %Y %n' ~; chmod 700 ~; stat -c '%a %Y %n' ~/f; chmod 700 ~/f; cat ~/f;"
    "stat -c '%a %Y %n' n r x f g; chmod 700 n r x; stat -c '%a %n' n/below r/f x/f;"
    "chmod 700 n/below f; stat -c '%a %Y' n/below/f; chmod 700 n/below/f r/f; cat n/below/f r/f x/f f"
)


@pytest.fixture
def boxed(machines: Machines) -> Computer:
    return machines.boxed()


def peak_mib(pid: int) -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) / 1024


@needs_sandbox
def test_what_is_closed_is_saved_and_comes_back_closed(boxed: Computer, machines: Machines) -> None:
    boxed.run(CLOSED + "; echo home > ~/f; chmod 0 ~/f ~")
    bucket = Bucket()
    saved = bucket.pull(boxed)
    assert (saved.summary["unread"], saved.summary["files"]) == (0, 7)
    new = machines.boxed()
    assert bucket.bring_back(new, saved.manifest)["missing"] == 0
    told = boxed.run(MODES).stdout
    assert told.startswith("0 ")
    assert new.run(MODES).stdout == told


@needs_sandbox
@pytest.mark.parametrize("end", ["command", "kill"])
def test_a_packer_that_ends_within_a_closed_folder_leaves_it_closed(boxed: Computer, end: str) -> None:
    boxed.run("mkdir -p a/b; head -c 20M /dev/urandom > a/b/f; chmod 0 a/b/f a/b a")
    token = Bucket().begin(boxed)
    assert piece(boxed, token, 0).status == 200
    assert (boxed.workspace / "a").stat().st_mode & 0o777 == 0o500
    if end == "kill":
        os.kill(helpers(boxed)[0], signal.SIGKILL)
    else:
        boxed.run("true")
    until(lambda: (boxed.workspace / "a").stat().st_mode & 0o777 == 0)
    assert boxed.run("chmod 700 a; stat -c %a a/b; chmod 700 a/b; stat -c %a a/b/f").text.split() == [
        "0",
        "0",
    ]


@needs_sandbox
@pytest.mark.skipif(os.getuid() != 0, reason="makes files of another user")
def test_what_may_not_be_read_is_named_and_the_rest_is_saved(boxed: Computer) -> None:
    (boxed.workspace / "foreign").mkdir(0o700)
    (boxed.workspace / os.fsdecode(b"se\xffcret")).touch(0o600)
    (boxed.workspace / "mine").write_text("x")
    saved = Bucket().pull(boxed)
    assert (saved.summary["files"], saved.summary["unread"]) == (1, 2) or saved.summary["files"] == 2
    assert "/workspace/foreign" in saved.summary["unread_names"]


def test_a_folder_that_is_swapped_for_a_link_leads_nowhere(machines: Machines, tmp_path: Path) -> None:
    computer = machines.plain()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("of somebody else")
    work = computer.workspace / "m"
    work.mkdir()
    (work / "a").write_bytes(os.urandom(20 * MIB))
    for name in ("b", "c"):
        (work / name).mkdir()
        (work / name / "secret").write_text("mine")
    (work / "d").write_text("mine")
    bucket = Bucket()
    token = bucket.begin(computer)
    assert piece(computer, token, 0).status == 200
    # Two packs are all that fits ahead, so the packer is still in the first file.
    (work / "b").rename(tmp_path / "away")
    (work / "b").symlink_to(outside)
    (work / "d").unlink()
    (work / "d").symlink_to(outside / "secret")
    pieces = [piece(computer, token, number).body for number in (1, 2, 3)]
    assert not any(b"of somebody else" in data for data in pieces)
    assert computer.call("GET", f"/backup/{token}/summary").json["unread"] == 0


@needs_sandbox
@pytest.mark.parametrize(("memory", "status"), [("64000000", 200), ("0", 507)])
def test_a_full_disk_is_saved_as_far_as_memory_allows(machines: Machines, memory: str, status: int) -> None:
    size = ("--size", str(4 * MIB), "--tmpfs", "/workspace")
    computer = machines.boxed(*size, options=("--limit", f"SPOOL_MEMORY_BYTES={memory}"))
    # The list of these does not fit into what is left.
    computer.run("mkdir many .berth/backup; cd many; for i in $(seq 3000); do : > $RANDOM$RANDOM$i; done")
    computer.run("head -c 10M /dev/urandom > rest")
    bucket = Bucket()
    if status == 200:
        saved = bucket.pull(computer)
        assert saved.summary["files"] > 3000
        assert bucket.pull(computer, saved.manifest).new_packs == []
    else:
        token = bucket.begin(computer)
        number = 0
        while (answer := piece(computer, token, number)).status == 200:
            number += 1
        assert (answer.status, answer.json["code"]) == (507, "workspace_full")
    assert computer.run("echo on").stdout == "on\n"


@needs_sandbox
def test_a_disk_that_is_too_small_for_a_restore_is_said_to_be_full(machines: Machines) -> None:
    old = machines.plain()
    (old.workspace / "f").write_bytes(os.urandom(6 * MIB))
    bucket = Bucket()
    saved = bucket.pull(old)
    (old.workspace / "f").write_bytes(b"small")
    small = bucket.pull(old, saved.manifest)
    new = machines.boxed("--size", str(4 * MIB), "--tmpfs", "/workspace")
    token = new.call("POST", "/restore", {"manifest": saved.manifest}).json["restore"]
    (sha256,) = new.call("PUT", f"/restore/{token}/manifest", bucket.kept[saved.manifest]).json["packs"]
    answer = new.call("PUT", f"/restore/{token}/packs/{sha256}", bucket.kept[sha256])
    assert (answer.status, answer.json["code"]) == (507, "workspace_full")
    assert new.call("POST", f"/restore/{token}/finish").status == 400
    assert new.call("GET", "/files/list?path=.").status == 409
    assert bucket.bring_back(new, small.manifest)["missing"] == 0
    assert new.run("cat f; echo; ls -A").text.split() == ["small", ".berth", "f"]


def test_many_files_and_a_large_one_take_little_memory(machines: Machines) -> None:
    old, new = machines.plain(), machines.plain()
    for number in range(4_000):
        if number % 1000 == 0:
            (old.workspace / f"{number}").mkdir()
        (old.workspace / f"{number // 1000 * 1000}" / f"{number}").write_bytes(b"%d" % number)
    with (old.workspace / "0large").open("wb") as file:
        for _ in range(20):
            file.write(os.urandom(MIB))
    bucket = Bucket()
    token = bucket.begin(old)
    peaks = []
    number = 0
    while (answer := piece(old, token, number)).headers["X-Berth-Piece"] == "pack":
        bucket.kept[answer.headers["X-Berth-Sha256"]] = answer.body
        peaks.append(peak_mib(helpers(old)[0]))
        number += 1
    manifest = answer.headers["X-Berth-Sha256"]
    bucket.kept[manifest] = answer.body
    # Python itself, a block, and what zlib needs; the packs in memory files are some more.
    assert max(peaks) < 30
    token = new.call("POST", "/restore", {"manifest": manifest}).json["restore"]
    for sha256 in new.call("PUT", f"/restore/{token}/manifest", bucket.kept[manifest]).json["packs"]:
        assert new.call("PUT", f"/restore/{token}/packs/{sha256}", bucket.kept[sha256]).status == 200
    assert peak_mib(helpers(new, "restore")[0]) < 30
    assert finished(new, token)["files"] == 4_001
    assert tree(new.workspace) == tree(old.workspace)


def test_twenty_names_are_told_and_all_are_counted() -> None:
    left_out = LeftOut({"workspace": "/workspace"})
    for number in range(21):
        left_out.note(["workspace", "a", f"\udcff{number}" + "x" * 2000])
    assert left_out.count == 21
    assert len(left_out.names) == 20
    assert left_out.names[0] == "/workspace/a/\ufffdFF0" + "x" * 983
