"""Descendants are found and ended, whatever session or parent they chose."""

import os
import signal
import subprocess
import sys

from computerd import process_tree
from tests.unit.container.computer import until

TABLE = {1: 0, 2: 1, 3: 2, 4: 2, 5: 4, 6: 1, 7: 6}


def test_below_finds_all_generations() -> None:
    assert process_tree.below(2, TABLE) == [3, 4, 5]


def test_below_leaves_out_the_spared_with_what_is_below_them() -> None:
    assert process_tree.below(1, TABLE, spared=[6]) == [2, 3, 4, 5]


def test_the_table_knows_this_process_and_no_zombie() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    table = process_tree.parents()
    child.wait()
    assert table[os.getpid()] == os.getppid()
    assert child.pid not in table


def test_a_name_with_brackets_and_blanks_is_read_right() -> None:
    code = "import ctypes,sys; ctypes.CDLL(None).prctl(15, b') S 1 (x'); print(); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout
        child.stdout.readline()
        assert process_tree.parents()[child.pid] == os.getpid()


def test_kill_below_ends_a_child_in_its_own_session() -> None:
    script = "setsid sleep 300 & sleep 300 & echo $$; wait"
    shell = subprocess.Popen(["bash", "-c", script], stdout=subprocess.PIPE, text=True)
    assert shell.stdout
    shell.stdout.readline()
    until(lambda: len(process_tree.below(shell.pid, process_tree.parents())) == 2)
    killed = process_tree.kill_below(shell.pid)
    assert len(killed) == 2
    until(lambda: not set(killed) & set(process_tree.parents()))
    shell.stdout.close()
    assert shell.wait(10) == 0 or shell.returncode == 128 + signal.SIGKILL


def test_a_child_with_a_lower_number_than_its_parent_is_found() -> None:
    assert process_tree.below(30_000, {32_767: 30_000, 301: 32_767, 300: 301, 29_999: 1}) == [
        32_767,
        301,
        300,
    ]


def test_signals_to_a_process_that_has_ended_are_forgotten() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    process_tree.send([child.pid], signal.SIGTERM)
    assert child.returncode == 0
