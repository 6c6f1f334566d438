"""Where tools find folders when there is no sandbox around them."""

import pytest

from local.engine.sandbox import Folder
from local.engine.trees import _outside

FOLDERS = [
    Folder("/s/fs/workspace", "/workspace"),
    Folder("/s/v/1", "/workspace/data"),
    Folder("/s/src", "/src"),
]


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ("/workspace", "/s/fs/workspace"),
        ("/workspace/a/.", "/s/fs/workspace/a/."),
        ("/workspace/data/x", "/s/v/1/x"),
        ("/workspaces", "/workspaces"),
        ("/src/.", "/s/src/."),
        ("-a", "-a"),
    ],
)
def test_a_path_inside_is_found_outside(inside: str, outside: str) -> None:
    assert _outside(FOLDERS, inside) == outside
