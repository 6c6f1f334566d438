"""A folder as a zip: streamed while it is read, whatever happens to the folder or to the reader meanwhile."""

import io
import os
import re
import signal
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse, IncompleteRead
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.unit.container.computer import Computer, until

MIB = 1024 * 1024
# Larger than all buffers between a file and a reader who does not read.
LARGE = 64 * MIB


class Stream:
    """An archive on its way, of which one byte has been read: the packer is at work by then."""

    def __init__(self, response: HTTPResponse) -> None:
        self.first = response.read(1)
        self.read = response.read

    def whole(self) -> bytes:
        return self.first + self.read()


@contextmanager
def begun(computer: Computer, folder: Path) -> Iterator[Stream]:
    connection = computer.connect()
    connection.request("GET", f"/files/archive?path={quote(folder.name)}")
    response = connection.getresponse()
    try:
        assert response.status == 200, response.read()
        yield Stream(response)
    finally:
        response.close()
        connection.close()


def packers(computer: Computer) -> list[str]:
    return [line for line in computer.processes() if "archive.py" in line]


def packer(computer: Computer, folder: Path) -> int:
    """The process that packs this folder, as the machine sees it."""
    for name in os.listdir("/proc"):
        try:
            if name.isdecimal() and os.path.realpath(f"/proc/{name}/fd/3").endswith(f"/{folder.name}"):
                return int(name)
        except OSError:
            continue
    raise AssertionError("nobody packs this folder")


def peak_mib(pid: int) -> float:
    """Nothing for one that has ended: the last of what it wrote may still be on its way."""
    try:
        found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def service_in(sandbox: Computer) -> int:
    """computerd itself, below the processes that made its sandbox."""
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if command[:1] == [b"/usr/bin/python3"] and int(parent) == sandbox.process.pid:
            return int(name)
    raise AssertionError("the service is not there")


def content(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture
def folder(computer: Computer, request: pytest.FixtureRequest) -> Path:
    made = computer.workspace / f"f{abs(hash(request.node.name))}"
    made.mkdir()
    return made


def test_what_happens_to_a_folder_while_it_is_packed_does_not_break_the_archive(
    computer: Computer, folder: Path
) -> None:
    data = os.urandom(LARGE)
    (folder / "a").write_bytes(data)
    for name in ("b", "c", "z/passwd"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("early")
    with begun(computer, folder) as stream:
        # Nobody reads, so the packer is still in the first file.
        with (folder / "a").open("ab") as file:
            file.write(b"more")
        (folder / "b").write_text("late")
        (folder / "c").unlink()
        (folder / "z").rename(computer.workspace / f"{folder.name}.away")
        (folder / "z").symlink_to("/etc")
        (folder / "d").write_text("new")
        assert content(stream.whole()) == {"a": data, "b": b"late"}


def test_a_file_that_becomes_shorter_comes_as_short_as_it_is(computer: Computer, folder: Path) -> None:
    (folder / "a").write_bytes(os.urandom(LARGE))
    (folder / "b").write_text("whole")
    with begun(computer, folder) as stream:
        os.truncate(folder / "a", 10)
        found = content(stream.whole())
    assert len(found["a"]) < LARGE
    assert found["b"] == b"whole"


def test_a_reader_that_hangs_up_ends_the_work(computer: Computer, folder: Path) -> None:
    (folder / "a").write_bytes(os.urandom(LARGE))
    with begun(computer, folder) as stream:
        assert len(stream.read(1000)) == 1000
        assert len(packers(computer)) == 1
    until(lambda: not packers(computer))


def test_a_large_folder_passes_in_little_memory(sandbox: Computer) -> None:
    made = sandbox.run(
        "mkdir large && cd large && truncate -s 600M zeros && head -c 20M /dev/urandom > noise"
        " && mkdir many && cd many && seq 5000 | xargs touch"
    )
    assert made.exit["exit_code"] == 0
    service = service_in(sandbox)
    before = peak_mib(service)
    with begun(sandbox, sandbox.workspace / "large") as stream:
        pid = packer(sandbox, sandbox.workspace / "large")
        sent, peak = 0, 0.0
        data = bytearray(stream.first)
        while piece := stream.read(64 * 1024):
            if sent % (16 * 64 * 1024) == 0:
                peak = max(peak, peak_mib(pid))
            sent += len(piece)
            data += piece
    assert 0 < peak < 60
    assert peak_mib(service) - before < 8
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.getinfo("zeros").file_size == 600 * MIB
        assert len(archive.namelist()) == 5003
    assert sandbox.run("ls -A .berth/tmp 2>/dev/null").text == ""


@pytest.mark.parametrize(
    "name",
    ["two\nlines", "back\\slash", "-rf", "مرحبا", "👩‍👩‍👧 图.txt", "x" * 255, "é" * 127, " ", "a:b*?", "con"],
)
def test_odd_names_are_kept(computer: Computer, folder: Path, name: str) -> None:
    (folder / name).write_text("here")
    with begun(computer, folder) as stream:
        assert content(stream.whole()) == {name: b"here"}


def test_names_that_are_no_utf_8_do_not_fall_together(computer: Computer, folder: Path) -> None:
    for raw in (b"na\xefve", b"na\xeeve", b"na%EFve", b"na\xef\xbf\xbdEFve"):
        (folder / os.fsdecode(raw)).write_bytes(raw)
    with begun(computer, folder) as stream:
        assert content(stream.whole()) == {
            "na\ufffdEFve": b"na\xefve",
            "na\ufffdEEve": b"na\xeeve",
            "na%EFve": b"na%EFve",
            "na\ufffdEF\ufffdBF\ufffdBDEFve": b"na\xef\xbf\xbdEFve",
        }


def test_what_may_not_be_read_is_named(sandbox: Computer) -> None:
    sandbox.run(
        "mkdir -p shut/closed shut/dark; cd shut; echo secret > file; echo a > dark/a; echo b > open;"
        " echo mine > 'left out of this zip.txt'; chmod 0 closed file; chmod 400 dark"
    )
    found = content(sandbox.call("GET", "/files/archive?path=shut").body)
    told = found.pop("_left out of this zip.txt").decode().splitlines()[1:]
    assert told == ['"closed"', '"dark/a"', '"file"']
    assert found == {"dark/": b"", "open": b"b\n", "left out of this zip.txt": b"mine\n"}


def test_a_folder_deeper_than_any_path_is_packed(computer: Computer, folder: Path) -> None:
    here = os.open(folder, os.O_PATH)
    for _ in range(60):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_PATH, dir_fd=here)
        os.close(here)
        here = below
    with open(os.open("end", os.O_WRONLY | os.O_CREAT, dir_fd=here), "w") as file:
        file.write("deep")
    os.close(here)
    with begun(computer, folder) as stream:
        found = content(stream.whole())
    assert found["/".join(["d" * 200] * 60 + ["end"])] == b"deep"


def test_times_that_a_zip_cannot_say_and_modes_are_kept_as_well_as_can_be(
    computer: Computer, folder: Path
) -> None:
    for name, seconds in (("old", 0), ("new", 4_500_000_000), ("now", 1_700_000_000)):
        (folder / name).write_text(name)
        os.utime(folder / name, (seconds, seconds))
    (folder / "old").chmod(0o750)
    with begun(computer, folder) as stream, zipfile.ZipFile(io.BytesIO(stream.whole())) as archive:
        assert archive.getinfo("old").date_time == (1980, 1, 1, 0, 0, 0)
        assert archive.getinfo("new").date_time[0] == 2107
        assert archive.getinfo("now").date_time == (2023, 11, 14, 22, 13, 20)
        assert archive.getinfo("old").external_attr >> 16 == 0o100750


def test_a_packer_that_is_killed_leaves_no_archive_that_looks_whole(computer: Computer, folder: Path) -> None:
    (folder / "a").write_bytes(os.urandom(LARGE))
    with begun(computer, folder) as stream:
        os.kill(packer(computer, folder), signal.SIGKILL)
        with pytest.raises(IncompleteRead):
            stream.whole()
    assert computer.run("echo on").text == "on\n"


def test_a_command_that_kills_its_supervisor_does_not_end_the_packing(
    computer: Computer, folder: Path
) -> None:
    data = os.urandom(LARGE)
    (folder / "a").write_bytes(data)
    with begun(computer, folder) as stream:
        computer.run("kill -9 $PPID; sleep 1")
        assert content(stream.whole()) == {"a": data}


def test_one_that_is_stopped_is_given_up(hasty: Computer) -> None:
    folder = hasty.workspace / "stopped"
    folder.mkdir()
    (folder / "a").write_bytes(os.urandom(LARGE))
    with begun(hasty, folder) as stream:
        os.kill(packer(hasty, folder), signal.SIGSTOP)
        with pytest.raises(IncompleteRead):
            stream.whole()
    until(lambda: not packers(hasty))


def test_more_folders_at_once_than_allowed_are_refused(hasty: Computer) -> None:
    folder = hasty.workspace / "busy"
    folder.mkdir()
    (folder / "a").write_bytes(os.urandom(LARGE))
    with begun(hasty, folder):
        answer = hasty.call("GET", "/files/archive?path=busy")
        assert (answer.status, answer.json["code"]) == (409, "computer_busy")
    (folder / "a").unlink()
    until(lambda: hasty.call("GET", "/files/archive?path=busy").status == 200)


@pytest.mark.parametrize(("count", "whole"), [(20, True), (21, False)])
def test_as_many_entries_as_allowed_and_one_more(hasty: Computer, count: int, whole: bool) -> None:
    folder = hasty.workspace / f"count{count}"
    folder.mkdir()
    for number in range(count):
        (folder / str(number)).touch()
    until(lambda: not packers(hasty))
    with begun(hasty, folder) as stream:
        if whole:
            assert len(content(stream.whole())) == count
        else:
            with pytest.raises(IncompleteRead):
                stream.whole()


def test_an_old_client_gets_it_until_the_connection_ends(computer: Computer, folder: Path) -> None:
    (folder / "a").write_text("x")
    with computer.raw(f"GET /files/archive?path={folder.name} HTTP/1.0\r\n\r\n".encode()) as client:
        data = b"".join(iter(lambda: client.recv(65536), b""))
    head, _, body = data.partition(b"\r\n\r\n")
    assert b"chunked" not in head
    assert content(body) == {"a": b"x"}
