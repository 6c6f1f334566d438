"""Finding the processes below another one, and what they cost, with real processes."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from local.bench.processes import below, in_another_network, pss_bytes, tree_pss_bytes

# A name that looks like the end of its own field in /proc/<pid>/stat.
TREE = """
import subprocess, sys
child = subprocess.Popen(["bash", "-c", "exec -a 'a) R 1 1' cat"], stdin=subprocess.PIPE)
print(child.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def tree() -> Iterator[tuple[int, int]]:
    """(process, its child), children of this process."""
    with subprocess.Popen(
        [sys.executable, "-c", TREE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        yield parent.pid, int(parent.stdout.readline())
        parent.kill()


def test_descendants_come_after_their_parents(tree: tuple[int, int]) -> None:
    parent, child = tree
    assert below(parent) == [child]
    found = below(os.getpid())
    assert found.index(parent) < found.index(child)


def test_process_without_children_has_none_below(tree: tuple[int, int]) -> None:
    assert below(tree[1]) == []


def test_memory_is_counted_until_the_process_is_gone(tree: tuple[int, int]) -> None:
    assert pss_bytes(tree[0]) > 500_000
    assert tree_pss_bytes(tree[0]) > pss_bytes(tree[0])
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert pss_bytes(gone.pid) == 0


def test_processes_of_this_network_are_not_in_another(tree: tuple[int, int]) -> None:
    assert in_another_network([*tree, 2**22 + 1]) is None
