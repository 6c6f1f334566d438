"""A disk that fills up under a computer: old files stay, refusals say why, and room is enough to go on."""

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, of

DISK = "96m"


@pytest.fixture
def small_stack(tmp_path: Path) -> Iterator[LocalStack]:
    """A stack whose computers share a small disk."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    disk = tmp_path / "state/engine"
    disk.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", disk], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"this machine mounts no small disk: {mounted.stderr!r}")
    try:
        with LocalStack(tmp_path / "state") as stack:
            yield stack
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


@pytest.fixture
async def thread(small_stack: LocalStack) -> AsyncIterator[Thread]:
    async with Person.at(small_stack) as person:
        yield await person.thread()


async def test_a_full_disk_takes_nothing_that_was_there_and_room_is_enough_to_go_on(thread: Thread) -> None:
    await thread.exec("head -c 5000000 /dev/urandom > big; sha256sum big > sums; echo kept > a.txt")
    filled = await thread.exec("head -c 200000000 /dev/zero > more; echo $?; head -c 1000 more | wc -c")
    assert filled["state"] == "exited"
    assert filled["output"].splitlines()[-2:] == ["1", "1000"]
    (refused,) = of(await thread.run("/write a.txt\n" + "new " * 50_000), "tool.finished")
    assert refused["error"]["code"] == "workspace_full"
    (read,) = of(await thread.run("/read a.txt"), "tool.finished")
    assert read["text"].split() == ["1", "kept"]
    assert (await thread.exec("rm more; sha256sum --quiet -c sums && cat a.txt"))["output"] == "kept\n"
    assert (await thread.person.post("/api/computer/standby"))["state"] == "standby"
    assert (await thread.exec("sha256sum --quiet -c sums && cat a.txt"))["output"] == "kept\n"
