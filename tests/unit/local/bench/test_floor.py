"""The floor as a process: it streams, says how a command ended, and has an environment with nothing in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from local.bench.errors import BenchError
from local.bench.places import Floor
from local.bench.rig import SHELL, copy_shell_start, floor_served


@pytest.fixture
async def session(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    etc = tmp_path / "etc"
    (etc / "profile.d").mkdir(parents=True)
    (etc / "profile").write_text("STARTED=profile; . /etc/profile.d/*.sh\n")
    (etc / "profile.d/one.sh").write_text("STARTED=$STARTED,one\n")
    copy_shell_start(etc, tmp_path / SHELL)
    with floor_served(tmp_path) as (_, url):
        async with aiohttp.ClientSession(url) as made:
            yield made


async def test_output_arrives_while_the_command_runs(session: aiohttp.ClientSession) -> None:
    async with session.post("/", data="echo a; read < /dev/null; cat") as response:
        assert await response.content.readuntil(b"\n") == b"a\n"
        assert await response.read() == b"\x000"


async def test_timing_counts_what_arrived(session: aiohttp.ClientSession) -> None:
    timing = await Floor(session).run("echo hello")
    assert timing.characters == 6
    assert timing.first is not None
    assert 0 < timing.first <= timing.last


async def test_silent_command_has_no_first_byte(session: aiohttp.ClientSession) -> None:
    timing = await Floor(session).run("true")
    assert (timing.first, timing.characters) == (None, 0)


async def test_failed_command_is_no_measurement(session: aiohttp.ClientSession) -> None:
    with pytest.raises(BenchError, match="ended with b'3'"):
        await Floor(session).run("exit 3")


async def test_shells_begin_with_the_files_of_the_computer(session: aiohttp.ClientSession) -> None:
    async with session.post("/", data="echo $STARTED") as response:
        assert await response.text() == "profile,one\n\x000"


async def test_environment_is_clean_and_home_is_empty(session: aiohttp.ClientSession) -> None:
    async with session.post("/", data="env | cut -d= -f1 | sort | xargs; ls -A") as response:
        names, listing, _ = (await response.text()).partition("\n")
    assert set(names.split()) <= {"HOME", "LANG", "PATH", "PWD", "SHLVL", "OLDPWD", "_"}
    assert listing == "\n"
