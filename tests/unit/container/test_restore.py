"""What a backup brings back: everything that it keeps, to the bit, or a refusal and nothing."""

import datetime as dt
import hashlib
import os
import signal
import socket
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from computerd import environment, trust
from local.engine.authority import Authority
from tests.unit.container.computer import Computer, fresh_id, until
from tests.unit.container.conftest import Machines, sandboxes_work
from tests.unit.container.saving import MIB, Bucket, finished, helpers, tree


@pytest.fixture
def old(machines: Machines) -> Computer:
    """A computer whose files are saved."""
    return machines.plain()


@pytest.fixture
def new(machines: Machines) -> Computer:
    """One that has never been used."""
    return machines.plain()


def begun(computer: Computer, manifest: str) -> str:
    answer = computer.call("POST", "/restore", {"manifest": manifest})
    assert answer.status == 200, answer.body
    token: str = answer.json["restore"]
    return token


def put(computer: Computer, token: str, data: bytes, sha256: str | None = None) -> tuple[int, Any]:
    sha256 = sha256 or hashlib.sha256(data).hexdigest()
    answer = computer.call("PUT", f"/restore/{token}/packs/{sha256}", data)
    return answer.status, answer.json


def odd(workspace: Path, home: Path) -> None:
    """One of everything."""
    (workspace / "large").write_bytes(os.urandom(3 * MIB + 17))
    (workspace / "same").hardlink_to(workspace / "large")
    (workspace / "a/b").mkdir(parents=True)
    (workspace / "a/b/again").hardlink_to(workspace / "large")
    (workspace / "empty file").touch()
    (workspace / "empty twice").hardlink_to(workspace / "empty file")
    (workspace / "empty folder").mkdir()
    os.mkfifo(workspace / "pipe", 0o640)
    (workspace / "link").symlink_to("../../etc/passwd")
    (workspace / "dangling").symlink_to(os.fsdecode(b"no\nwhere\xff"))
    os.utime(workspace / "dangling", ns=(5, 7), follow_symlinks=False)
    for raw in (b"two\nlines", b"na\xefve", "图".encode(), b"\\u0041", b"x" * 255, b'"quoted"', b"\x01\x7f"):
        (workspace / os.fsdecode(raw)).write_bytes(raw)
    fd = os.open(workspace / "sparse", os.O_CREAT | os.O_WRONLY)
    for at in (0, 50 << 30, 70 << 30):
        os.pwrite(fd, b"data", at)
    os.truncate(fd, 100 << 30)
    os.close(fd)
    os.close(os.open(workspace / "hole", os.O_CREAT | os.O_WRONLY))
    os.truncate(workspace / "hole", 100 << 30)
    for pieces in (1000, 1001):
        # As many as one line of the list has, and one more.
        with (workspace / f"{pieces} pieces").open("wb") as file:
            for number in range(pieces):
                file.seek(number * 8192)
                file.write(b"%4096d" % number)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(workspace / "sock"))
    (home / "tool").write_text("#!/bin/sh\n")
    (home / "tool").chmod(0o6711)
    (home / "shared").mkdir(0o700)
    (home / "shared").chmod(0o3775)
    (home / "old").write_text("from long ago")
    os.utime(home / "old", ns=(-1_500_000_000, -1_500_000_000))
    os.utime(home / "shared", ns=(1, 123_456_789_012_345_678))
    deep = os.open(workspace, os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d" * 20, dir_fd=deep)
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(os.open("bottom", os.O_CREAT | os.O_WRONLY, dir_fd=deep))
    os.close(deep)


def test_one_of_everything_comes_back_as_it_was(old: Computer, new: Computer) -> None:
    odd(old.workspace, old.home)
    (old.workspace / ".berth").mkdir()
    os.utime(old.workspace, ns=(0, 1_600_000_000_000_000_001))
    bucket = Bucket()
    saved = bucket.pull(old)
    assert saved.summary["skipped"] == 1
    assert (saved.summary["unread"], saved.summary["unread_names"]) == (0, [])
    # Of 200 GB in two sparse files three blocks of the disk hold something.
    assert saved.summary["bytes"] < 12 * MIB
    again = bucket.pull(old, saved.manifest)
    assert again.new_packs == []
    saved = bucket.pull(old, again.manifest)
    result = bucket.bring_back(new, saved.manifest)
    assert result == {
        "files": saved.summary["files"],
        "folders": saved.summary["folders"],
        "bytes": saved.summary["bytes"],
        "missing": 0,
        "missing_names": [],
    }
    assert tree(new.workspace) == tree(old.workspace)
    assert tree(new.home) == tree(old.home)
    assert new.workspace.stat().st_mtime_ns == 1_600_000_000_000_000_001
    deep = os.open(new.workspace, os.O_RDONLY)
    for _ in range(300):
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    assert os.listdir(deep) == ["bottom"]
    os.close(deep)
    assert new.run("cat two*").text == "two\nlines"


NAMES = st.binary(min_size=1, max_size=12).filter(
    lambda name: not {0, ord("/")} & set(name) and name.strip(b".")
)
TREES = st.recursive(
    st.binary(max_size=40), lambda inner: st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
).filter(lambda made: isinstance(made, dict))


def make(folder: Path, made: dict[bytes, Any]) -> None:
    folder.mkdir()
    for name, inner in made.items():
        path = folder / os.fsdecode(name)
        if isinstance(inner, dict):
            make(path, inner)
        else:
            path.write_bytes(inner)


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(trees=st.lists(TREES, min_size=3, max_size=3))
def test_any_tree_comes_back_after_any_changes(machines: Machines, trees: list[Any]) -> None:
    """Each tree replaces the one before, so that old and new names meet in every order."""
    old, new = machines.plain(), machines.plain()
    bucket = Bucket()
    previous = None
    for number, made in enumerate(trees):
        if number:
            (old.workspace / "t").rename(old.workspace.parent / f"away{number}")
        make(old.workspace / "t", made)
        previous = bucket.pull(old, previous).manifest
    assert previous is not None
    assert bucket.bring_back(new, previous)["missing"] == 0
    assert tree(new.workspace) == tree(old.workspace)
    machines.stop()


def test_five_saves_and_restores_in_a_row_keep_everything(machines: Machines) -> None:
    bucket = Bucket()
    previous = None
    before: dict[str, tuple[object, ...]] = {}
    for cycle in range(5):
        computer = machines.plain()
        if previous is not None:
            assert bucket.bring_back(computer, previous)["missing"] == 0
            assert tree(computer.workspace) == before
        (computer.workspace / f"file {cycle}").write_bytes(os.urandom(2 * MIB))
        for number in range(50):
            (computer.workspace / f"small {cycle} {number}").write_text(f"{cycle} {number}")
        if cycle:
            (computer.workspace / f"small {cycle - 1} 7").unlink()
        saved = bucket.pull(computer, previous, known=True)
        assert saved.summary["new_bytes"] < 2 * MIB + 1000
        previous, before = saved.manifest, tree(computer.workspace)


def test_the_tree_that_a_restore_made_is_known_and_not_read(old: Computer, new: Computer) -> None:
    """What is not read cannot be told from what it was: so a change that shows nowhere is not seen."""
    (old.workspace / "f").write_text("as it was")
    bucket = Bucket()
    first = bucket.pull(old)
    os.utime(old.workspace / "f", ns=(1, 1))
    saved = bucket.pull(old, first.manifest)
    bucket.bring_back(new, saved.manifest)
    known = bucket.pull(new, saved.manifest, known=True)
    assert known.new_packs == []
    # Touched since: it is read, and found to be another.
    (new.workspace / "f").write_text("as it IS!")
    os.utime(new.workspace / "f", ns=(1, 1))
    assert bucket.pull(new, known.manifest, known=True).new_packs == [b"as it IS!"]


@pytest.mark.parametrize("what", ["manifest", "pack"])
def test_a_flipped_byte_is_refused_and_nothing_is_written(old: Computer, new: Computer, what: str) -> None:
    (old.workspace / "f").write_bytes(os.urandom(1000))
    bucket = Bucket()
    saved = bucket.pull(old)
    token = begun(new, saved.manifest)
    whole = bucket.kept[saved.manifest]
    if what == "manifest":
        flipped = whole[:20] + bytes([whole[20] ^ 4]) + whole[21:]
        answer = new.call("PUT", f"/restore/{token}/manifest", flipped)
        assert (answer.status, answer.json["code"]) == (400, "invalid_request")
        assert new.call("POST", f"/restore/{token}/finish").status == 400
    else:
        (sha256,) = new.call("PUT", f"/restore/{token}/manifest", whole).json["packs"]
        pack = bucket.kept[sha256]
        assert put(new, token, pack[:-1] + bytes([pack[-1] ^ 1]), sha256)[0] == 400
        assert put(new, token, pack[:-1], sha256)[0] == 400
        answer = new.call("POST", f"/restore/{token}/finish")
        assert (answer.status, answer.json["details"]) == (400, {"count": 1, "packs": [sha256]})
    assert [path for path in new.workspace.rglob("*") if path.is_file()] == [] or what == "pack"
    assert not (new.workspace / "f").exists()
    # The right bytes are taken all the same.
    assert new.call("PUT", f"/restore/{token}/manifest", whole).status == 200
    for sha256 in (pack["sha256"] for pack in saved.summary["packs"]):
        assert put(new, token, bucket.kept[sha256]) == (200, {})
        assert put(new, token, bucket.kept[sha256]) == (200, {})
    assert finished(new, token)["missing"] == 0
    assert (new.workspace / "f").read_bytes() == (old.workspace / "f").read_bytes()


def test_a_pack_that_nobody_needs_is_refused(old: Computer, new: Computer) -> None:
    (old.workspace / "f").write_text("x")
    bucket = Bucket()
    saved = bucket.pull(old)
    token = begun(new, saved.manifest)
    assert put(new, token, b"x")[0] == 400
    new.call("PUT", f"/restore/{token}/manifest", bucket.kept[saved.manifest])
    assert put(new, token, b"other")[0] == 400
    assert put(new, "other", b"x")[0] == 404


def test_while_files_come_back_nobody_else_has_them(old: Computer, new: Computer) -> None:
    (old.workspace / "f").write_text("x")
    bucket = Bucket()
    saved = bucket.pull(old)
    token = begun(new, saved.manifest)
    for method, path, body in (
        ("POST", "/commands", {"id": fresh_id(), "command": "echo half"}),
        ("GET", "/commands/c1", None),
        ("POST", "/files/read", {"path": "f"}),
        ("GET", "/files/list?path=.", None),
        ("PUT", "/files/content?path=f", b"mine"),
        ("POST", "/backup", {"previous": None}),
    ):
        answer = new.call(method, path, body)
        assert (answer.status, answer.json["code"]) == (409, "computer_busy"), path
    assert new.call("GET", "/commands").json == {"running": []}
    new.call("PUT", f"/restore/{token}/manifest", bucket.kept[saved.manifest])
    assert put(new, token, b"x")[0] == 200
    finished(new, token)
    assert finished(new, token)["files"] == 1
    assert new.run("cat f").text == "x"


@pytest.mark.parametrize("use", ["command", "file", "there"])
def test_a_computer_that_was_used_is_not_restored(new: Computer, use: str) -> None:
    if use == "command":
        new.run("true")
        (new.workspace / ".berth/logs").rename(new.workspace / ".berth/tmp")
    elif use == "file":
        new.put("f", b"x")
        (new.workspace / "f").unlink()
    else:
        (new.workspace / "f").write_text("somebody's")
    answer = new.call("POST", "/restore", {"manifest": "0" * 64})
    assert (answer.status, answer.json["code"]) == (409, "computer_busy")
    assert new.run("echo on").text == "on\n"


def test_a_restore_that_begins_anew_leaves_nothing_of_the_one_before(old: Computer, new: Computer) -> None:
    bucket = Bucket()
    (old.workspace / "first").write_bytes(os.urandom(9 * MIB))
    first = bucket.pull(old)
    (old.workspace / "first").unlink()
    (old.workspace / "second").mkdir()
    second = bucket.pull(old, first.manifest)
    (new.home / "of the image").write_text("not saved")
    token = begun(new, first.manifest)
    packs = new.call("PUT", f"/restore/{token}/manifest", bucket.kept[first.manifest]).json["packs"]
    assert put(new, token, bucket.kept[packs[0]])[0] == 200
    assert bucket.bring_back(new, second.manifest)["missing"] == 0
    assert sorted(path.name for path in new.workspace.iterdir()) == [".berth", "second"]
    assert list(new.home.iterdir()) == []


@pytest.mark.parametrize(
    "lines", [b'[0,["u"]]\n', b'[0,["d","home",448,0]]\n', b'[0,["x"]]\n', b"5\n", b"[0,5]\n", b"\xff\n"]
)
def test_a_manifest_that_makes_no_sense_ends_with_an_error(new: Computer, lines: bytes) -> None:
    data = zlib.compress(b'{"format":1,"packs":[]}\n' + lines)
    token = begun(new, hashlib.sha256(data).hexdigest())
    answer = new.call("PUT", f"/restore/{token}/manifest", data)
    if answer.status == 200:
        answer = new.call("POST", f"/restore/{token}/finish")
    assert (answer.status, answer.json["code"]) == (400, "invalid_request")


def test_a_pack_of_the_size_that_is_taken_and_one_more(machines: Machines) -> None:
    limits = ("--limit", "PACK_BYTES=1000", "--limit", "BLOCK_BYTES=500", "--limit", "MANIFEST_BYTES=600")
    old, new = machines.plain(*limits), machines.plain(*limits)
    (old.workspace / "f").write_bytes(os.urandom(1500))
    bucket = Bucket()
    saved = bucket.pull(old)
    assert [len(pack) for pack in saved.new_packs] == [1000, 500]
    token = begun(new, saved.manifest)
    assert new.call("PUT", f"/restore/{token}/manifest", b"x" * 600).status == 400
    assert new.call("PUT", f"/restore/{token}/manifest", b"x" * 601).status == 413
    new.call("PUT", f"/restore/{token}/manifest", bucket.kept[saved.manifest])
    sha256 = saved.summary["packs"][0]["sha256"]
    assert put(new, token, bytes(1001), sha256) == (
        413,
        {"code": "upload_too_large", "message": "The body has 1,001 bytes; the limit is 1,000."},
    )
    assert bucket.bring_back(new, saved.manifest)["bytes"] == 1500


def test_a_helper_that_is_killed_is_an_error_and_it_can_begin_anew(old: Computer, new: Computer) -> None:
    (old.workspace / "f").write_bytes(os.urandom(20 * MIB))
    bucket = Bucket()
    saved = bucket.pull(old)
    token = begun(new, saved.manifest)
    packs = new.call("PUT", f"/restore/{token}/manifest", bucket.kept[saved.manifest]).json["packs"]
    assert put(new, token, bucket.kept[packs[0]])[0] == 200
    (pid,) = helpers(new, "restore")
    os.kill(pid, signal.SIGKILL)
    until(lambda: not helpers(new, "restore"))
    status, answer = put(new, token, bucket.kept[packs[1]])
    assert (status, answer["code"]) == (503, "computer_unavailable")
    assert new.call("POST", "/commands", {"id": fresh_id(), "command": "ls"}).status == 409
    assert bucket.bring_back(new, saved.manifest)["missing"] == 0
    assert tree(new.workspace) == tree(old.workspace)


@pytest.mark.skipif(not sandboxes_work(), reason="this machine allows no sandboxes")
def test_the_stores_that_come_back_are_made_anew(
    machines: Machines, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Java would trust the authority of another computer else."""
    stores = []
    computers = []
    for number in range(2):
        # A place that the user of a sandbox may read.
        pem = tmp_path_factory.mktemp("authority") / "ca.crt"
        pem.write_bytes(Authority(dt.datetime.now(dt.UTC)).pem)
        pem.parent.chmod(0o755)
        stores.append(trust.keystore(trust.certificates(pem.read_text())))
        computers.append(machines.boxed("--ro-bind", str(pem), environment.CERTIFICATE))
        store = computers[number].home / trust.KEYSTORE
        until(lambda: store.exists() and store.read_bytes() == stores[number])  # noqa: B023 - waited for here
    old, new = computers
    (old.home / "mine").write_text("x")
    bucket = Bucket()
    saved = bucket.pull(old)
    assert bucket.bring_back(new, saved.manifest)["missing"] == 0
    assert (new.home / "mine").exists()
    until(lambda: (new.home / trust.KEYSTORE).read_bytes() == stores[1])
