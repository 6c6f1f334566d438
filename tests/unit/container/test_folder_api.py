"""Folders over HTTP: pages of a listing, and a zip of what is in one."""

import io
import os
import tempfile
import zipfile
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.unit.container.computer import Answer, Computer


def listed(computer: Computer, path: str, query: str = "") -> Answer:
    return computer.call("GET", f"/files/list?path={quote(path)}{query}")


def names(answer: Answer) -> list[str]:
    return [entry["name"] for entry in answer.json["entries"]]


@pytest.fixture
def folder(computer: Computer) -> Path:
    return Path(tempfile.mkdtemp(prefix="folder-", dir=computer.workspace))


def test_a_folder_is_listed_with_kinds_sizes_and_times(computer: Computer, folder: Path) -> None:
    (folder / "b.txt").write_bytes(b"12345")
    os.utime(folder / "b.txt", (1_000, 1_000))
    (folder / "a").mkdir()
    (folder / "link").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")
    answer = listed(computer, folder.name).json
    assert (answer["path"], answer["total"], answer["cut"]) == (folder.name, 4, False)
    assert [(e["name"], e["kind"]) for e in answer["entries"]] == [
        ("a", "folder"),
        ("b.txt", "file"),
        ("link", "link"),
        ("pipe", "other"),
    ]
    assert answer["entries"][1] == {"name": "b.txt", "kind": "file", "size": 5, "modified_ms": 1_000_000}


def test_a_listing_is_sorted_and_paged(computer: Computer, folder: Path) -> None:
    for number, name in enumerate(["B", "a", "c"]):
        (folder / name).write_bytes(b"x" * (10 - number))
        os.utime(folder / name, (number, number))
    (folder / "z").mkdir()
    here = folder.name
    assert names(listed(computer, here)) == ["z", "a", "B", "c"]
    assert names(listed(computer, here, "&order=desc")) == ["z", "c", "B", "a"]
    assert names(listed(computer, here, "&sort=size")) == ["z", "c", "a", "B"]
    assert names(listed(computer, here, "&sort=time&order=desc")) == ["z", "c", "a", "B"]
    assert names(listed(computer, here, "&offset=1&limit=2")) == ["a", "B"]
    assert names(listed(computer, here, "&offset=9")) == []


def test_a_page_at_the_limit_and_one_past_it(computer: Computer, folder: Path) -> None:
    for number in range(1001):
        (folder / f"{number:04}").touch()
    answer = listed(computer, folder.name, "&limit=5000")
    assert (len(names(answer)), answer.json["total"]) == (1000, 1001)
    assert names(listed(computer, folder.name, "&offset=1000")) == ["1000"]


def test_the_workspace_itself_is_a_folder(computer: Computer) -> None:
    for path in (".", "", "/", str(computer.workspace)):
        answer = listed(computer, path)
        if path == "/":
            assert answer.json["code"] == "path_outside_workspace"
        else:
            assert (answer.status, answer.json["path"]) == (200, "")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("..", "path_outside_workspace"),
        ("/etc", "path_outside_workspace"),
        ("{}/out", "path_outside_workspace"),
        ("{}/file", "not_a_file"),
        ("{}/nothing", "not_found"),
        ("{}/file/below", "not_found"),
    ],
)
def test_what_is_no_folder_of_the_workspace_is_refused(
    computer: Computer, folder: Path, path: str, code: str
) -> None:
    (folder / "file").touch()
    (folder / "out").symlink_to("/etc")
    for route in ("list", "archive"):
        answer = computer.call("GET", f"/files/{route}?path={quote(path.format(folder.name))}")
        assert answer.json["code"] == code


@pytest.mark.parametrize(
    "query", ["&sort=colour", "&order=up", "&offset=-1", "&limit=x", "&offset=9999999999"]
)
def test_a_listing_that_cannot_be_is_refused(computer: Computer, query: str) -> None:
    assert listed(computer, ".", query).json["code"] == "invalid_request"


def test_a_name_that_is_no_utf_8_can_be_listed_and_asked_for(computer: Computer, folder: Path) -> None:
    raw = (b"na\xefve", b"na%EFve", b"\xff", b"\xff" * 255, b"na\xef\xbf\xbdEFve", b"\xef\xbf\xbd")
    for name in raw:
        (folder / os.fsdecode(b"dir" + name[:250])).mkdir()
        (folder / os.fsdecode(b"dir" + name[:250]) / os.fsdecode(name)).write_bytes(name)
    seen = []
    for above in names(listed(computer, folder.name)):
        answer = listed(computer, f"{folder.name}/{above}")
        assert answer.json["path"] == f"{folder.name}/{above}"
        (told,) = names(answer)
        path = f"{folder.name}/{above}/{told}"
        got = computer.call("GET", f"/files/content?path={quote(path)}")
        assert got.headers["X-Berth-Name"] == quote(told, safe="")
        seen.append(got.body)
        put = computer.call("PUT", f"/files/content?path={quote(path)}&diff=1", b"one\n")
        assert put.json["path"] == path
        edit = {"path": path, "oldText": "one", "newText": "two"}
        assert computer.call("POST", "/files/edit", edit).json["path"] == path
        assert computer.call("POST", "/files/read", {"path": path}).json["text"] == "     1\ttwo\n"
        assert len(names(listed(computer, f"{folder.name}/{above}"))) == 1
    assert sorted(seen) == sorted(raw)


def test_a_folder_comes_as_a_zip_without_what_leads_out_of_it(computer: Computer, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "empty").mkdir()
    (folder / "sub/数.txt").write_bytes(b"deep" * 1000)
    (folder / "passwd").symlink_to("/etc/passwd")
    (folder / "etc").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    (folder / ".berth").mkdir()
    (folder / ".berth/log").touch()
    answer = computer.call("GET", f"/files/archive?path={quote(folder.name)}")
    assert (answer.status, answer.headers["X-Berth-Name"]) == (200, f"{folder.name}.zip")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert sorted(archive.namelist()) == ["empty/", "sub/", "sub/数.txt"]
        assert archive.read("sub/数.txt") == b"deep" * 1000
