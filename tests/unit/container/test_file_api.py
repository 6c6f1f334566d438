"""Files in and out over HTTP, and only files of the workspace."""

import hashlib
import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from computerd import names
from tests.unit.container.computer import Computer, until


@pytest.fixture
def folder(computer: Computer, request: pytest.FixtureRequest) -> Path:
    """A folder of the workspace for one test."""
    path = computer.workspace / f"of-{request.node.name[:60].replace('/', '-').replace('[', '-')}"
    path.mkdir()
    return path


def inside(computer: Computer, path: Path) -> str:
    return str(path.relative_to(computer.workspace))


def test_a_file_comes_out_as_it_is(computer: Computer, folder: Path) -> None:
    data = os.urandom(3_000_000)
    (folder / "data.bin").write_bytes(data)
    answer = computer.get(inside(computer, folder / "data.bin"))
    assert (answer.status, answer.body) == (200, data)
    assert answer.headers["Content-Length"] == str(len(data))
    assert answer.headers["X-Berth-Name"] == "data.bin"
    assert answer.headers["X-Berth-Media-Type"] == "application/octet-stream"


def test_an_empty_file_comes_out_empty(computer: Computer, folder: Path) -> None:
    (folder / "empty").touch()
    answer = computer.get(str(folder / "empty"))
    assert (answer.status, answer.body) == (200, b"")


def test_a_media_type_is_named(computer: Computer, folder: Path) -> None:
    (folder / "a.csv").write_text("x,y\n")
    assert computer.get(inside(computer, folder / "a.csv")).headers["X-Berth-Media-Type"] == "text/csv"


@pytest.mark.parametrize(
    "name", [b"na\xefve.txt", b"\xef\xbf\xbd", "图表.svg".encode(), b"a b+c%2F?#&=.txt", b"-x", b"new\nline"]
)
def test_any_name_goes_there_and_back(computer: Computer, folder: Path, name: bytes) -> None:
    text = os.fsdecode(name)
    path = f"{inside(computer, folder)}/{text}"
    put = computer.call("PUT", f"/files/content?path={quote(os.fsencode(path))}", b"hello")
    assert put.status == 200
    assert put.json["path"] == names.told(path)
    assert [os.fsencode(found.name) for found in folder.iterdir()] == [name]
    got = computer.call("GET", f"/files/content?path={quote(os.fsencode(path))}")
    assert got.body == b"hello"
    assert got.headers["X-Berth-Name"] == quote(names.told(text), safe="")
    assert computer.call("POST", "/files/read", {"path": path}).json["text"] == "     1\thello\n"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../outside",
        "links/../../outside",
        "/proc/self/environ",
        "/proc/1/root/etc/shadow",
        "/workspace-evil/x",
        "/",
        "..",
        "links/absolute",
        "links/relative",
        "links/proc",
        "links/up/passwd",
        "links/chain",
    ],
)
def test_paths_that_leave_the_workspace_are_refused(computer: Computer, path: str) -> None:
    links = computer.workspace / "links"
    if not links.exists():
        links.mkdir()
        (links / "absolute").symlink_to("/etc/passwd")
        (links / "relative").symlink_to("../../../../../../../etc/passwd")
        (links / "proc").symlink_to("/proc/self/root/etc/passwd")
        (links / "up").symlink_to("/etc")
        (links / "chain").symlink_to("absolute")
    for answer in (
        computer.get(path),
        computer.read(path),
        computer.put(path, b"x"),
    ):
        assert (answer.status, answer.json["code"]) == (400, "path_outside_workspace")


def test_a_neighbour_with_the_same_beginning_is_outside(computer: Computer) -> None:
    neighbour = Path(f"{computer.workspace}-evil")
    neighbour.mkdir()
    (neighbour / "x").write_text("secret")
    assert computer.get(f"{neighbour}/x").json["code"] == "path_outside_workspace"


def test_links_that_stay_inside_are_followed(computer: Computer, folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "real/file").write_text("through")
    (folder / "relative").symlink_to("real/file")
    (folder / "absolute").symlink_to(folder / "real/file")
    (folder / "folder").symlink_to("./real/../real")
    for path in ("relative", "absolute", "folder/file", "folder/../real/file"):
        assert computer.get(f"{inside(computer, folder)}/{path}").body == b"through"


def test_a_circle_of_links_ends(computer: Computer, folder: Path) -> None:
    (folder / "a").symlink_to("b")
    (folder / "b").symlink_to("a")
    assert computer.get(f"{inside(computer, folder)}/a").json["code"] == "invalid_request"


def test_what_is_not_there_is_not_found(computer: Computer, folder: Path) -> None:
    (folder / "file").touch()
    for path in ("nothing", "file/below", "no/folder"):
        answer = computer.get(f"{inside(computer, folder)}/{path}")
        assert (answer.status, answer.json["code"]) == (404, "not_found")


@pytest.mark.parametrize("kind", ["folder", "fifo", "socket"])
def test_what_is_no_regular_file_is_refused_at_once(computer: Computer, folder: Path, kind: str) -> None:
    path = folder / "thing"
    held = socket.socket(socket.AF_UNIX)
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    else:
        here = os.open(folder, os.O_PATH)
        held.bind(f"/proc/self/fd/{here}/thing")
        os.close(here)
    name = inside(computer, path)
    for answer in (computer.get(name), computer.read(name), computer.put(name, b"x")):
        assert (answer.status, answer.json["code"]) == (400, "not_a_file")
    held.close()


def test_a_missing_path_is_a_bad_request(computer: Computer) -> None:
    assert computer.call("GET", "/files/content").json["code"] == "invalid_request"
    assert computer.call("POST", "/files/read", {}).json["code"] == "invalid_request"
    assert computer.get("a\0b").json["code"] == "invalid_request"
    assert computer.get("x" * 300).json["code"] == "invalid_request"


def test_put_makes_the_folders_it_needs(computer: Computer, folder: Path) -> None:
    answer = computer.put(inside(computer, folder / "a/b/c.txt"), b"new")
    assert answer.json == {"path": inside(computer, folder / "a/b/c.txt"), "size": 3}
    assert (folder / "a/b/c.txt").read_bytes() == b"new"
    assert (folder / "a/b/c.txt").stat().st_mode & 0o7777 == 0o644


def test_a_refused_put_makes_no_folders(computer: Computer, folder: Path) -> None:
    here = inside(computer, folder)
    assert computer.put(f"{here}/new/../../../../tmp/x", b"x").status == 404
    assert computer.put(f"{here}/new/../x", b"x").status == 404
    assert not list(folder.iterdir())


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o444])
def test_put_keeps_the_mode(computer: Computer, folder: Path, mode: int) -> None:
    path = folder / "s.sh"
    path.write_text("old")
    path.chmod(mode)
    assert computer.put(inside(computer, path), b"new").status == 200
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o7777 == mode


def test_put_through_a_link_changes_its_target(computer: Computer, folder: Path) -> None:
    (folder / "real.cfg").write_text("old")
    (folder / "l.cfg").symlink_to("real.cfg")
    computer.put(inside(computer, folder / "l.cfg"), b"new")
    assert (folder / "l.cfg").is_symlink()
    assert (folder / "real.cfg").read_text() == "new"


def test_put_through_a_dangling_link_makes_its_target(computer: Computer, folder: Path) -> None:
    (folder / "l").symlink_to("later")
    assert computer.put(inside(computer, folder / "l"), b"x").json["path"].endswith("/later")
    assert (folder / "later").read_bytes() == b"x"


def test_exclusive_takes_the_next_free_name(computer: Computer, folder: Path) -> None:
    path = inside(computer, folder / "data.csv")
    used = [computer.put(path, str(n).encode(), "&exclusive=1").json["path"] for n in range(3)]
    here = inside(computer, folder)
    assert used == [f"{here}/data.csv", f"{here}/data (2).csv", f"{here}/data (3).csv"]
    assert [(computer.workspace / name).read_text() for name in used] == ["0", "1", "2"]
    assert not list((computer.workspace / ".berth/tmp").iterdir())


def test_exclusive_from_many_at_once_loses_none(computer: Computer, folder: Path) -> None:
    path = inside(computer, folder / "f")
    with ThreadPoolExecutor(8) as pool:
        used = list(pool.map(lambda n: computer.put(path, b"%d" % n, "&exclusive=1").json["path"], range(24)))
    assert len(set(used)) == 24
    assert sorted(int((computer.workspace / name).read_text()) for name in used) == list(range(24))


def test_a_change_since_it_was_read_is_not_overwritten(computer: Computer, folder: Path) -> None:
    path = inside(computer, folder / "f")
    computer.put(path, b"one")
    tag = computer.get(path).headers["ETag"]
    computer.put(path, b"two")
    refused = computer.put(path, b"three", **{"If-Match": tag})
    assert (refused.status, refused.json["code"]) == (409, "edit_no_match")
    assert refused.json["details"]["changed"] is True
    assert refused.json["details"]["reason"] == "file_changed"
    tag = computer.get(path).headers["ETag"]
    assert computer.put(path, b"four", **{"If-Match": tag}).status == 200
    assert (folder / "f").read_bytes() == b"four"


def test_two_who_edit_the_same_file_never_lose_a_change(computer: Computer, folder: Path) -> None:
    path = inside(computer, folder / "f")
    computer.put(path, b"A B")
    done = threading.Barrier(2)

    def edit(old: bytes) -> int:
        refused = 0
        for number in range(100):
            if number == 0:
                done.wait()
            while True:
                got = computer.get(path)
                new = got.body.replace(old, old + b"1", 1)
                if computer.put(path, new, **{"If-Match": got.headers["ETag"]}).status == 200:
                    break
                refused += 1
        return refused

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(edit, [b"A", b"B"]))
    assert (folder / "f").read_bytes() == b"A" + b"1" * 100 + b" B" + b"1" * 100


def test_who_swaps_a_file_for_a_link_gets_nothing_out(computer: Computer, folder: Path) -> None:
    secret = folder.parent.parent / "secret"
    secret.write_text("secret")
    (folder / "ok").write_text("fine")
    here = inside(computer, folder)
    swaps = f"ln -sfn {secret} r; ln -sfn ok r; mkdir -p d; ln -sfn {secret.parent} d/l"
    script = f"cd {here}; while :; do {swaps}; done"
    frames = computer.open(script, 600, "swapper")
    next(frames)
    until((folder / "d/l").is_symlink)
    seen = set()
    for _ in range(200):
        for answer in (computer.get(f"{here}/r"), computer.read(f"{here}/r")):
            assert answer.body != b"secret"
            assert b"\\tsecret" not in answer.body
            seen.add(answer.status)
        assert computer.get(f"{here}/d/l/secret").status != 200
    computer.call("POST", "/commands/swapper/stop")
    assert list(frames)[-1]["stopped"]
    assert 200 in seen
    assert seen <= {200, 400, 404}


def test_lines_are_numbered_and_windowed(computer: Computer, folder: Path) -> None:
    (folder / "f").write_text("".join(f"line {n}\n" for n in range(1, 5001)))
    path = inside(computer, folder / "f")
    first = computer.read(path).json
    assert first["text"].startswith("     1\tline 1\n")
    assert first["text"].endswith("  2000\tline 2000\n")
    assert (first["more_from_line"], first["total_lines"]) == (2001, 5000)
    last = computer.read(path, offset=4999, limit=10).json
    assert last == {
        "kind": "text",
        "encoding": "utf-8",
        "media_type": "text/plain",
        "size": (folder / "f").stat().st_size,
        "text": "  4999\tline 4999\n  5000\tline 5000\n",
        "more_from_line": None,
        "total_lines": 5000,
    }


@pytest.mark.parametrize("options", [{"offset": 0}, {"offset": -1}, {"limit": 0}, {"limit": 2001}])
def test_a_window_that_cannot_be_is_refused(
    computer: Computer, folder: Path, options: dict[str, int]
) -> None:
    (folder / "f").touch()
    assert computer.read(inside(computer, folder / "f"), **options).json["code"] == "invalid_request"


def test_what_is_not_text_is_described(computer: Computer, folder: Path) -> None:
    data = b"PAR1" + bytes(range(256))
    (folder / "t.parquet").write_bytes(data)
    answer = computer.read(inside(computer, folder / "t.parquet"))
    assert (answer.status, answer.json) == (
        200,
        {
            "kind": "binary",
            "media_type": "application/vnd.apache.parquet",
            "size": 260,
            "sha256": hashlib.sha256(data).hexdigest(),
        },
    )


def test_a_name_does_not_make_bytes_a_text(computer: Computer, folder: Path) -> None:
    (folder / "noise.txt").write_bytes(bytes(range(1, 256)) * 40)
    assert computer.read(inside(computer, folder / "noise.txt")).json["kind"] == "binary"


@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        ("第一行 你好\r\n二\n".encode("gb18030"), "gb18030", "     1\t第一行 你好\r\n     2\t二\n"),
        ("\ufeffa\n数\n".encode("utf-16-le"), "utf-16-le", "     1\ta\n     2\t数\n"),
        ("\ufeffa\n".encode(), "utf-8", "     1\ta\n"),
        (b"caf\xe9\n", "cp1252", "     1\tcafé\n"),
        ("数据\n".encode() + b"\x81\xff bad\n", "utf-8", "     1\t数据\n     2\t\ufffd\ufffd bad\n"),
        (b"", "utf-8", ""),
    ],
)
def test_an_encoding_is_found_and_said(
    computer: Computer, folder: Path, data: bytes, name: str, text: str
) -> None:
    (folder / "f.txt").write_bytes(data)
    answer = computer.read(inside(computer, folder / "f.txt")).json
    assert (answer["kind"], answer["encoding"], answer["text"]) == ("text", name, text)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=400))
def test_any_bytes_can_be_read(computer: Computer, data: bytes) -> None:
    (computer.workspace / "any").write_bytes(data)
    answer = computer.read("any")
    assert answer.status == 200
    assert answer.json["kind"] in {"text", "binary", "document", "picture"}


def test_a_file_of_five_gigabytes_is_read_in_bounded_memory(computer: Computer, folder: Path) -> None:
    path = folder / "huge.txt"
    path.write_text("".join(f"{n}\n" for n in range(5000)))
    os.truncate(path, 5 * 1024**3)
    started = _peak_kb(computer.process.pid)
    first = computer.read(inside(computer, path), limit=10).json
    assert first["more_from_line"] == 11
    assert "total_lines" not in first
    assert computer.read(inside(computer, path), offset=5001).json["sha256"] is None
    assert _peak_kb(computer.process.pid) - started < 16 * 1024
    path.unlink()


def _peak_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def test_reading_a_large_file_holds_up_no_command(computer: Computer, folder: Path) -> None:
    (folder / "large").write_bytes(b"x" * 99 + b"\n")
    os.truncate(folder / "large", 2 * 1024**3)
    slow = computer.connect()
    slow.request("GET", f"/files/content?path={quote(inside(computer, folder / 'large'))}")
    assert computer.run("echo meanwhile").text == "meanwhile\n"
    slow.close()


def test_a_file_that_becomes_shorter_cuts_the_connection(computer: Computer, folder: Path) -> None:
    path = folder / "shrinking"
    path.touch()
    os.truncate(path, 512 * 1024**2)
    client = computer.raw(
        f"GET /files/content?path={quote(inside(computer, path))} HTTP/1.1\r\n\r\n".encode()
    )
    got = len(client.recv(65536))
    os.truncate(path, 1024)
    while data := client.recv(1 << 20):
        got += len(data)
    client.close()
    assert got < 512 * 1024**2
