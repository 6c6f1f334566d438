"""Edits and compared writes over HTTP: what changes on the disk, and what never does."""

import os
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.unit.container.computer import Answer, Computer, start_sandboxed, until
from tests.unit.container.conftest import sandboxes_work

MIB = 1024 * 1024


def edit(computer: Computer, path: str, old: str, new: str) -> Answer:
    return computer.call("POST", "/files/edit", {"path": path, "oldText": old, "newText": new})


def write(computer: Computer, path: str, data: bytes) -> Answer:
    return computer.put(path, data, "&diff=1")


def test_an_edit_answers_with_its_diff(computer: Computer) -> None:
    (computer.workspace / "e.py").write_text("a = 1\nb = 2\n")
    answer = edit(computer, "e.py", "b = 2", "b = 3")
    assert answer.status == 200
    assert answer.json == {
        "path": "e.py",
        "size": 12,
        "diff": {
            "text": "--- a/e.py\n+++ b/e.py\n@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3\n",
            "added": 1,
            "removed": 1,
            "cut": False,
        },
    }
    assert (computer.workspace / "e.py").read_text() == "a = 1\nb = 3\n"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a = 1\r\nb = 2\r\nc = 3\r\n", "b = 2", "b = 22", b"a = 1\r\nb = 22\r\nc = 3\r\n"),
        (b"\xef\xbb\xbfx\ny\r\nz\rdata\rmore\n", "y", "Y", b"\xef\xbb\xbfx\nY\r\nz\rdata\rmore\n"),
        (b"\xef\xbb\xbffirst\n", "first", "1st", b"\xef\xbb\xbf1st\n"),
        (b"no newline at end", "end", "END", b"no newline at END"),
        (b"a\r\nb\r\nc\r\n", "a\nb", "a\nB", b"a\r\nB\r\nc\r\n"),
        ("数据 = 1\nx".encode("gb18030"), "x", "数", "数据 = 1\n数".encode("gb18030")),
        ("\ufeffa\r\nb".encode("utf-16-le"), "b", "数", "\ufeffa\r\n数".encode("utf-16-le")),
        (b"caf\xe9 \xfcber\n", "ber", "b\xe9r", b"caf\xe9 \xfcb\xe9r\n"),
        (b"\x81\x8d\xff a b", "a", "\u6570", b"\x81\x8d\xff \xe6\x95\xb0 b"),
    ],
)
def test_every_byte_outside_of_the_edit_stays(
    computer: Computer, before: bytes, old: str, new: str, after: bytes
) -> None:
    path = computer.workspace / "bytes.txt"
    path.write_bytes(before)
    answer = edit(computer, "bytes.txt", old, new)
    assert (answer.status, path.read_bytes()) == (200, after)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(head=st.binary(max_size=60), tail=st.binary(max_size=60))
def test_any_bytes_around_an_edit_stay_as_they_are(computer: Computer, head: bytes, tail: bytes) -> None:
    path = computer.workspace / "any.bin"
    before = head + b"<<MARK>>" + tail
    path.write_bytes(before)
    answer = edit(computer, "any.bin", "<<MARK>>", "<<DONE>>")
    if answer.status == 200:
        assert path.read_bytes() == head + b"<<DONE>>" + tail
    else:
        # Not text, or the mark is no text in this encoding; a double-byte one may have taken its first byte.
        assert answer.json["code"] in {"binary_file", "edit_no_match"}
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("codec", "text"),
    [("cp1252", "café à la crème\n"), ("gb18030", "中文内容测试文件\n"), ("utf-8", "né数\n")],
)
def test_an_encoding_that_shows_only_late_is_kept(computer: Computer, codec: str, text: str) -> None:
    head = b"plain line\n" * 10_000
    path = computer.workspace / f"late-{codec}.txt"
    path.write_bytes(head + text.encode(codec) + b"here\n")
    assert edit(computer, path.name, "here", text).status == 200
    assert path.read_bytes() == head + text.encode(codec) * 2 + b"\n"


def test_what_an_encoding_does_not_have_is_refused_and_nothing_is_changed(computer: Computer) -> None:
    path = computer.workspace / "latin.txt"
    path.write_bytes(b"caf\xe9 \xfcber\n")
    answer = edit(computer, "latin.txt", "ber", "数")
    assert (answer.status, answer.json["code"]) == (400, "invalid_request")
    assert path.read_bytes() == b"caf\xe9 \xfcber\n"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"path": "r.txt", "oldText": "", "newText": "x"}, "invalid_request"),
        ({"path": "r.txt", "oldText": "x", "newText": "x"}, "invalid_request"),
        ({"path": "r.txt", "oldText": "a\nb", "newText": "a\r\nb"}, "invalid_request"),
        ({"path": "r.txt", "oldText": "nothing like it", "newText": "y"}, "edit_no_match"),
        ({"path": "r.txt", "oldText": "dup", "newText": "y"}, "edit_many_matches"),
        ({"path": "r.bin", "oldText": "x", "newText": "y"}, "binary_file"),
        ({"path": "gone.txt", "oldText": "x", "newText": "y"}, "not_found"),
        ({"path": ".", "oldText": "x", "newText": "y"}, "not_a_file"),
        ({"path": "../r.txt", "oldText": "x", "newText": "y"}, "path_outside_workspace"),
        ({"path": "passwd", "oldText": "root", "newText": "y"}, "path_outside_workspace"),
        ({"path": "/proc/self/environ", "oldText": "x", "newText": "y"}, "path_outside_workspace"),
        ({"oldText": "x", "newText": "y"}, "invalid_request"),
        ({"path": "r.txt", "oldText": 1, "newText": "y"}, "invalid_request"),
        ({"path": "r.txt", "oldText": "x", "newText": "\ud800"}, "invalid_request"),
    ],
)
def test_an_edit_that_cannot_be_leaves_the_file(
    computer: Computer, body: dict[str, object], code: str
) -> None:
    text = computer.workspace / "r.txt"
    text.write_bytes(b"x\ndup dup\na\r\nb\r\n")
    (computer.workspace / "r.bin").write_bytes(b"x\0y")
    if not (computer.workspace / "passwd").is_symlink():
        (computer.workspace / "passwd").symlink_to("/etc/passwd")
    assert computer.call("POST", "/files/edit", body).json["code"] == code
    assert text.read_bytes() == b"x\ndup dup\na\r\nb\r\n"
    assert not list((computer.workspace / ".berth/tmp").iterdir())


@pytest.mark.parametrize("mode", [0o755, 0o600])
def test_an_edit_keeps_mode_and_link(computer: Computer, mode: int) -> None:
    real, link = computer.workspace / f"real-{mode}.sh", computer.workspace / f"link-{mode}.sh"
    real.write_text("old")
    real.chmod(mode)
    link.symlink_to(real.name)
    assert edit(computer, link.name, "old", "new").status == 200
    assert (real.read_text(), real.stat().st_mode & 0o7777, link.is_symlink()) == ("new", mode, True)


def test_an_edit_at_the_limit_and_one_byte_past_it(computer: Computer) -> None:
    path = computer.workspace / "large.txt"
    path.write_bytes(b"a" + b"x" * (5 * MIB - 2) + b"\n")
    assert edit(computer, "large.txt", "a", "b").status == 200
    assert edit(computer, "large.txt", "b", "bb").json["code"] == "invalid_request"
    path.write_bytes(b"a" + b"x" * (5 * MIB))
    assert edit(computer, "large.txt", "a", "b").json["code"] == "invalid_request"
    assert path.stat().st_size == 5 * MIB + 1


def test_two_edits_at_once_both_arrive(computer: Computer) -> None:
    path = computer.workspace / "both.txt"
    path.write_text("A B")
    ready = threading.Barrier(2)

    def append(letter: str) -> list[int]:
        found = []
        for number in range(100):
            ready.wait()
            found.append(
                edit(
                    computer, "both.txt", letter + "1" * number + " ", letter + "1" * (number + 1) + " "
                ).status
            )
        return found

    path.write_text("A B ")
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(append, "AB"))
    assert results == [[200] * 100] * 2
    assert path.read_text() == "A" + "1" * 100 + " B" + "1" * 100 + " "


def test_the_first_edits_of_all_come_at_once(computer: Computer) -> None:
    names = [f"{number}.txt" for number in range(8)]
    for _ in range(30):
        shutil.rmtree(computer.workspace / ".berth/tmp", ignore_errors=True)
        for name in names:
            (computer.workspace / name).write_text("old")
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda name: edit(computer, name, "old", "new"), names))
        assert [answer.status for answer in answers] == [200] * 8, [answer.body for answer in answers]


def test_a_change_that_is_asked_for_again_is_not_made_again(computer: Computer) -> None:
    order = {"path": "again.txt", "oldText": "x = 1", "newText": "x = 1\nx = 12"}
    with ThreadPoolExecutor(4) as pool:
        for number in range(40):
            (computer.workspace / "again.txt").write_text("x = 1\n")
            body = order | {"id": f"again_{number}"}
            edits = list(pool.map(computer.call, ["POST"] * 4, ["/files/edit"] * 4, [body] * 4))
            assert [answer.json for answer in edits] == [edits[0].json] * 4
            assert edits[0].status == 200
            assert (computer.workspace / "again.txt").read_text() == "x = 1\nx = 12\n"
    for query in ("diff=1&id=call_2", "exclusive=1&id=upl_1"):
        puts = [computer.call("PUT", f"/files/content?path=again.txt&{query}", b"new\n") for _ in range(2)]
        assert puts[0].json == puts[1].json
    assert not (computer.workspace / "again (3).txt").exists()
    assert edit(computer, "again.txt", "new", "newer").status == 200
    assert edit(computer, "again.txt", "newer", "newest").status == 200


def test_an_edit_while_a_command_rewrites_the_file_is_never_a_mix(computer: Computer) -> None:
    path = computer.workspace / "busy.txt"
    path.write_text("mark 0\n" * 1)
    script = 'n=0; while :; do n=$((n+1)); printf "mark %s\\n" $n > .b; mv .b busy.txt; done'
    frames = computer.open(script, 600, "rewriter")
    next(frames)
    until(lambda: path.read_text() != "mark 0\n")
    statuses = {edit(computer, "busy.txt", "mark", "MARK").status for _ in range(200)}
    computer.call("POST", "/commands/rewriter/stop")
    list(frames)
    assert statuses <= {200, 409}
    assert path.read_text().lower().startswith("mark ")
    assert path.read_text().count("\n") == 1


def test_a_write_says_what_it_changed(computer: Computer) -> None:
    made = write(computer, "w.txt", b"one\ntwo\n").json
    assert made == {"path": "w.txt", "size": 8, "created": True}
    again = write(computer, "w.txt", b"one\n2\n").json
    assert again["diff"]["text"].endswith(" one\n-two\n+2\n")
    same = write(computer, "w.txt", b"one\n2\n").json
    assert same["diff"] == {"text": "", "added": 0, "removed": 0, "cut": False}
    (computer.workspace / "w.txt").write_bytes(b"\0")
    assert write(computer, "w.txt", b"text\n").json == {"path": "w.txt", "size": 5, "diff": None}


def test_a_write_over_what_may_not_be_read_has_no_diff(computer: Computer) -> None:
    path = computer.workspace / "big.txt"
    path.touch()
    os.truncate(path, 5 * MIB + 1)
    assert write(computer, "big.txt", b"small\n").json["diff"] is None
    assert path.read_bytes() == b"small\n"
    assert write(computer, "folder/", b"").json["created"] is True
    (computer.workspace / "dir").mkdir()
    assert write(computer, "dir", b"x").json["code"] == "not_a_file"


def test_a_full_disk_leaves_the_old_bytes(own_folder: Path) -> None:
    if not sandboxes_work():
        pytest.skip("this machine allows no sandboxes")
    computer = start_sandboxed(own_folder, "--size", str(2 * MIB), "--tmpfs", "/workspace")
    try:
        assert computer.put("f.txt", b"keep me\n").status == 200
        assert computer.put("fill", b"x" * (2 * MIB - 64 * 1024)).status == 200
        new = "y" * (512 * 1024)
        for answer in (edit(computer, "f.txt", "me", new), write(computer, "f.txt", new.encode())):
            assert (answer.status, answer.json["code"]) == (507, "workspace_full")
        assert computer.get("f.txt").body == b"keep me\n"
        ran = computer.run("ls .berth/tmp | wc -l; head -c 200000 /dev/zero | tr '\\0' z")
        assert ran.text.startswith("0\n")
        assert ran.exit["exit_code"] == 0
        assert ran.exit["log_note"]
    finally:
        computer.stop()
