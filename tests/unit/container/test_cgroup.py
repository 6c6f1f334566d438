"""Groups below delegated folders, with plain folders in their place."""

from pathlib import Path

from computerd.cgroup import Groups


def delegate(base: Path, *kinds: str) -> str:
    for kind in kinds:
        (base / kind).mkdir(parents=True)
        (base / kind / "cgroup.procs").touch()
    return str(base)


def test_without_delegation_nothing_is_bounded(tmp_path: Path) -> None:
    groups = Groups(512, str(tmp_path))
    group = groups.make()
    assert (group.folders, group.bounded, groups.kind) == ([], False, "rlimit")
    assert group.oom_kills() is None
    assert not group.kill()
    group.join()
    group.remove()


def test_each_group_has_a_folder_in_each_hierarchy(tmp_path: Path) -> None:
    groups = Groups(512, delegate(tmp_path, "pids", "unified"))
    first, second = groups.make(), groups.make()
    assert len(set(first.folders + second.folders)) == 4
    assert {Path(folder).parent.name for folder in first.folders} == {"pids", "unified"}
    first.remove()
    assert not any(Path(folder).exists() for folder in first.folders)
    first.remove()


def test_the_kernels_count_is_read_where_there_is_one(tmp_path: Path) -> None:
    group = Groups(512, delegate(tmp_path, "unified")).make()
    (Path(group.folders[0]) / "memory.events").write_text("low 0\noom 3\noom_kill 2\n")
    assert group.oom_kills() == 2
