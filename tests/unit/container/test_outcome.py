"""Wait statuses and memory, told apart."""

import pytest

from computerd.outcome import Ending, ending, kernel_kills_now, may_be_out_of_memory, out_of_memory

TRACEBACK = b'Traceback (most recent call last):\n  File "<string>", line 1\nMemoryError\n'
NUMPY = b"numpy._core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB\n"
KILLED = b"bash: line 1:    12 Killed                  python3 hog.py\n"


@pytest.mark.parametrize(
    ("status", "end"),
    [
        (0, Ending(0, None)),
        (44 << 8, Ending(44, None)),
        (9, Ending(None, 9)),
        (0x80 | 11, Ending(None, 11)),
        (None, Ending(None, None)),
    ],
)
def test_a_status_is_a_code_or_a_signal(status: int | None, end: Ending) -> None:
    assert ending(status) == end


@pytest.mark.parametrize(
    ("end", "kernel_kills", "ours", "stderr", "oom"),
    [
        (Ending(None, 9), 1, False, b"", True),
        (Ending(137, None), 1, False, b"", True),
        (Ending(0, None), 1, False, KILLED, True),
        (Ending(None, 9), 0, False, b"", False),
        (Ending(None, 9), 1, True, b"", False),
        (Ending(1, None), 1, False, b"", False),
        (Ending(1, None), 0, False, TRACEBACK, True),
        (Ending(1, None), 0, False, NUMPY, True),
        (Ending(134, None), 0, False, b"FATAL ERROR: ... JavaScript heap out of memory\n", True),
        (Ending(None, 6), 0, False, b"  what():  std::bad_alloc\n", True),
        (Ending(254, None), 0, False, b"bash: fork: Cannot allocate memory\n", True),
        (Ending(0, None), 0, False, TRACEBACK, False),
        (Ending(1, None), 0, False, b"I know what a MemoryError is\n", False),
    ],
)
def test_out_of_memory_is_named_and_nothing_else(
    end: Ending, kernel_kills: int, ours: bool, stderr: bytes, oom: bool
) -> None:
    assert out_of_memory(end, kernel_kills, ours, stderr) is oom


def test_only_a_clean_end_needs_no_second_look() -> None:
    assert not may_be_out_of_memory(Ending(0, None), b"warning\n")
    assert may_be_out_of_memory(Ending(0, None), KILLED)
    assert may_be_out_of_memory(Ending(None, 9), b"")


def test_the_kernel_counts_its_kills() -> None:
    assert kernel_kills_now() >= 0
