"""What folders take: by blocks, once, whatever modes and depths hide it."""

import os
import subprocess
from pathlib import Path

import pytest

from computerd.measure import Meter

MIB = 1024 * 1024


def measured(*folders: Path, left_out: tuple[int, ...] = ()) -> int:
    meter = Meter(left_out)
    for folder in folders:
        fd = os.open(folder, os.O_PATH | os.O_DIRECTORY)
        try:
            meter.add(fd)
        finally:
            os.close(fd)
    return meter.total


def put(path: Path, size: int) -> None:
    path.write_bytes(os.urandom(size))
    fd = os.open(path, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def test_files_and_folders_count_by_their_blocks(tmp_path: Path) -> None:
    before = measured(tmp_path)
    put(tmp_path / "a", MIB + 1)
    assert measured(tmp_path) == before + (tmp_path / "a").stat().st_blocks * 512 >= before + MIB + 1
    (tmp_path / "d").mkdir()
    put(tmp_path / "d/b", MIB)
    assert measured(tmp_path) >= before + 2 * MIB


def test_holes_cost_nothing(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(100 << 30)
    assert measured(tmp_path) < MIB


def test_a_file_with_many_names_counts_once_over_all_folders(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    put(tmp_path / "one/a", MIB)
    single = measured(tmp_path / "one", tmp_path / "two")
    for name in ("one/b", "two/c"):
        os.link(tmp_path / "one/a", tmp_path / name)
    assert measured(tmp_path / "one", tmp_path / "two") == single


def test_links_pipes_and_what_is_left_out_lead_nowhere(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    put(outside / "large", MIB)
    (inside / "link").symlink_to(outside)
    os.mkfifo(inside / "pipe")
    put(inside / "ours", MIB)
    assert measured(inside, left_out=((inside / "ours").stat().st_ino,)) < MIB


@pytest.mark.parametrize("mode", [0o000, 0o200, 0o300, 0o400, 0o600])
def test_a_folder_that_keeps_its_owner_out_hides_nothing_and_stays_as_it_is(
    tmp_path: Path, mode: int
) -> None:
    hidden = tmp_path / "hidden"
    (hidden / "deeper").mkdir(parents=True)
    put(hidden / "deeper/a", MIB)
    open_to_all = measured(tmp_path)
    (hidden / "deeper").chmod(mode)
    hidden.chmod(mode)
    try:
        assert measured(tmp_path) == open_to_all
        assert hidden.stat().st_mode & 0o777 == mode
    finally:
        hidden.chmod(0o755)
    assert (hidden / "deeper").stat().st_mode & 0o777 == mode
    (hidden / "deeper").chmod(0o755)


def test_depth_costs_no_descriptors_and_hides_nothing(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d", dir_fd=fd)
        below = os.open("d", os.O_RDONLY, dir_fd=fd)
        os.close(fd)
        fd = below
    file = os.open("a", os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=fd)
    os.write(file, os.urandom(MIB))
    os.fsync(file)
    os.close(file)
    os.close(fd)
    (tmp_path / "e").mkdir()
    put(tmp_path / "e/b", MIB)
    before = len(os.listdir("/proc/self/fd"))
    assert measured(tmp_path) >= 2 * MIB
    assert len(os.listdir("/proc/self/fd")) <= before
    # pytest cannot tidy up so deep a tree.
    subprocess.run(["rm", "-rf", tmp_path / "d"], check=True)
