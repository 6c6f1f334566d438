"""Which folders an archive tool is shown."""

from pathlib import Path

import pytest

from local.engine.cgroups import Hierarchies
from local.engine.containers import Container
from local.engine.errors import MalformedRequestError, NoSuchObjectError
from local.engine.groups import Groups
from local.engine.keeping import archive_folders
from local.engine.records import Spec
from local.engine.sandbox import Folder


@pytest.fixture
async def container() -> Container:
    found = Container("id", "name", Spec("i"), Path("/s/c/1"), None, Groups(Hierarchies(), "x"), 0)
    found.volumes = [Folder("/s/v/1/data", "/workspace/data"), Folder("/s/v/2/data", "/mnt")]
    return found


@pytest.mark.parametrize(
    ("path", "targets"),
    [
        ("/workspace", ["/workspace", "/workspace/data"]),
        ("/workspace/.", ["/workspace", "/workspace/data"]),
        ("/workspace/a/b", ["/workspace", "/workspace/data"]),
        ("/home/berth/x", ["/home/berth"]),
        ("/mnt", ["/mnt"]),
    ],
)
async def test_one_tree_and_what_is_mounted_in_it(
    container: Container, path: str, targets: list[str]
) -> None:
    assert [folder.target for folder in archive_folders(container, path)] == targets


@pytest.mark.parametrize("path", ["/etc", "/", "/workspaces", "/workspace2/x", "/home", "/tmp"])
async def test_what_is_not_kept_is_not_there(container: Container, path: str) -> None:
    with pytest.raises(NoSuchObjectError):
        archive_folders(container, path)


@pytest.mark.parametrize("path", ["workspace", "/workspace/../etc", "/workspace/\0", ""])
async def test_a_path_that_climbs_is_refused(container: Container, path: str) -> None:
    with pytest.raises(MalformedRequestError):
        archive_folders(container, path)
