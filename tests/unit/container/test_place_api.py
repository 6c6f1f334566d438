"""Moving and removing over HTTP: what changes on the disk, and what is never reached or written over."""

import os
import tempfile
from pathlib import Path

import pytest

from tests.unit.container.computer import Answer, Computer


@pytest.fixture
def folder(computer: Computer) -> Path:
    return Path(tempfile.mkdtemp(prefix="places-", dir=computer.workspace))


def move(computer: Computer, path: str, to: str) -> Answer:
    return computer.call("POST", "/files/move", {"path": path, "to": to})


def remove(computer: Computer, path: str) -> Answer:
    return computer.call("POST", "/files/remove", {"path": path})


def test_a_file_is_renamed_and_put_into_another_folder(computer: Computer, folder: Path) -> None:
    (folder / "a.txt").write_text("a")
    (folder / "in").mkdir()
    answer = move(computer, f"{folder.name}/a.txt", f"/workspace-is-not/{folder.name}/b.txt")
    assert (answer.status, answer.json["code"]) == (400, "path_outside_workspace")
    answer = move(computer, f"{folder.name}/a.txt", f"{folder.name}/in/b.txt")
    assert (answer.status, answer.json) == (200, {"path": f"{folder.name}/in/b.txt"})
    assert [str(one.relative_to(folder)) for one in folder.rglob("*")] == ["in", "in/b.txt"]
    answer = move(computer, f"{computer.workspace}/{folder.name}/in", f"{folder.name}/out/")
    assert answer.json == {"path": f"{folder.name}/out"}
    assert (folder / "out/b.txt").read_text() == "a"


def test_nothing_is_written_over(computer: Computer, folder: Path) -> None:
    (folder / "a").write_text("a")
    (folder / "b").write_text("b")
    (folder / "empty").mkdir()
    for there in ("b", "empty", "a"):
        answer = move(computer, f"{folder.name}/a", f"{folder.name}/{there}")
        details = answer.json["details"]
        assert (answer.status, details["reason"], details["exists"]) == (400, "name_taken", True)
    assert (folder / "b").read_text() == "b"
    assert (folder / "a").read_text() == "a"


def test_a_link_is_moved_and_removed_itself(computer: Computer, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    (folder / "link").symlink_to(outside)
    (folder / "full").mkdir()
    (folder / "full/link").symlink_to(outside)
    assert move(computer, f"{folder.name}/link", f"{folder.name}/moved").status == 200
    assert os.readlink(folder / "moved") == str(outside)
    for path in ("moved", "full"):
        assert remove(computer, f"{folder.name}/{path}").status == 200
    assert list(folder.iterdir()) == []
    assert (outside / "kept").read_text() == "kept"
    (folder / "link").symlink_to(outside)
    for answer in (
        remove(computer, f"{folder.name}/link/kept"),
        move(computer, f"{folder.name}/link/kept", f"{folder.name}/kept"),
        move(computer, f"{folder.name}/link", f"{folder.name}/link/kept"),
    ):
        assert (answer.status, answer.json["code"]) == (400, "path_outside_workspace")
    assert (outside / "kept").read_text() == "kept"


@pytest.mark.parametrize("path", ["", "/", ".", "..", "a/..", "a/.", "./", "//"])
def test_the_workspace_itself_stays(computer: Computer, path: str) -> None:
    assert remove(computer, path).status == 400
    assert move(computer, path, "elsewhere").status == 400
    assert move(computer, "elsewhere", path).status == 400


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a/../../x", "\0", "a\0b"])
def test_no_path_leads_outside(computer: Computer, path: str) -> None:
    for answer in (remove(computer, path), move(computer, path, "x"), move(computer, ".berth", path)):
        assert answer.status in {400, 404}
    assert Path("/etc/passwd").exists()


def test_the_workspace_by_its_own_name_is_not_removed(computer: Computer) -> None:
    assert remove(computer, str(computer.workspace)).status == 400
    assert computer.workspace.is_dir()


def test_a_folder_goes_with_all_that_is_in_it_also_what_is_closed(computer: Computer, folder: Path) -> None:
    deep = folder / "deep"
    deep.joinpath(*["d"] * 200).mkdir(parents=True)
    (deep / "closed").mkdir()
    (deep / "closed/file").write_text("x")
    (deep / "closed").chmod(0)
    os.mkfifo(deep / "pipe")
    assert remove(computer, f"{folder.name}/deep").status == 200
    assert list(folder.iterdir()) == []


def test_what_is_not_there_is_said(computer: Computer, folder: Path) -> None:
    for answer in (
        remove(computer, f"{folder.name}/none"),
        remove(computer, f"{folder.name}/none/none"),
        move(computer, f"{folder.name}/none", f"{folder.name}/some"),
        move(computer, folder.name, "none/some"),
    ):
        assert (answer.status, answer.json["code"]) == (404, "not_found")


def test_a_folder_is_not_put_into_itself(computer: Computer, folder: Path) -> None:
    (folder / "a").mkdir()
    answer = move(computer, f"{folder.name}/a", f"{folder.name}/a/b")
    assert (answer.status, answer.json["code"]) == (400, "invalid_request")
    assert (folder / "a").is_dir()


def test_names_of_any_bytes_are_understood_as_they_were_told(computer: Computer, folder: Path) -> None:
    name = b"na\xefve"
    (Path(os.fsdecode(os.fsencode(folder) + b"/" + name))).write_text("x")
    told = f"{folder.name}/na\ufffdEFve"
    answer = move(computer, told, f"{folder.name}/z\ufffdEF")
    assert answer.json == {"path": f"{folder.name}/z\ufffdEF"}
    assert os.listdir(os.fsencode(folder)) == [b"z\xef"]
    assert remove(computer, f"{folder.name}/z\ufffdEF").status == 200


@pytest.mark.parametrize("body", [{}, {"path": 1}, {"path": "a"}, {"path": "a", "to": None}, []])
def test_a_body_that_is_none_is_refused(computer: Computer, body: object) -> None:
    assert computer.call("POST", "/files/move", body).status == 400
