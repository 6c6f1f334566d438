"""The command line, and names that are derived from it."""

from pathlib import Path

import pytest

from computerd.replacement import free_names
from computerd.service import Options, UsageError, memory_bytes, parse_options


def test_without_options_it_is_the_computer() -> None:
    assert parse_options([]) == Options("127.0.0.1", 8080, "/workspace", "/home/berth")


def test_options_are_read(tmp_path: Path) -> None:
    arguments = ["--listen", "0.0.0.0:0", "--workspace", str(tmp_path), "--home", str(tmp_path)]
    assert parse_options(arguments) == Options("0.0.0.0", 0, str(tmp_path), str(tmp_path))


@pytest.mark.parametrize(
    "arguments", [["--listen"], ["--listen", "8080"], ["--listen", "x:y"], ["--what", "x"]]
)
def test_options_that_make_no_sense_are_refused(arguments: list[str]) -> None:
    with pytest.raises(UsageError):
        parse_options(arguments)


def test_the_machine_has_memory() -> None:
    assert memory_bytes() > 1 << 28


@pytest.mark.parametrize(
    ("name", "second"),
    [
        ("data.csv", "data (2).csv"),
        ("data", "data (2)"),
        (".profile", ".profile (2)"),
        ("a.tar.gz", "a (2).tar.gz"),
        ("a.b.c", "a.b (2).c"),
    ],
)
def test_the_next_free_name_keeps_the_ending(name: str, second: str) -> None:
    names = free_names(name)
    assert [next(names), next(names)] == [name, second]
