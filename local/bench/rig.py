"""The three places, standing: a floor process, a fresh Berth, and its computer with a way straight into it.

Everything runs on this machine's loopback and is gone when the rig is closed.
"""

import asyncio
import itertools
import shutil
import socket
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from local.bench.errors import BenchError
from local.bench.places import Computerd, Floor, Lane, Place, Whole
from local.bench.processes import PROC, below, in_another_network
from local.bench.series import AT_ONCE
from local.bundle import ROOT
from local.child import Child, ChildError
from local.client import Berth, Model
from local.engine.namespaces import Namespaces, sockets_inside
from local.stack import LocalStack

SERVICE = "http://127.0.0.1:8080"
STANDBY_SECONDS = 60.0
FLOOR_SECONDS = 30.0
SHELL = "floor-shell"
LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class Rig:
    stack: LocalStack
    berth: Berth
    floor: Floor
    computerd: Computerd
    whole: Whole
    floor_process: int

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.floor, self.computerd, self.whole)


@asynccontextmanager
async def standing(stack: LocalStack) -> AsyncIterator[Rig]:
    """Give a rig on a started stack."""
    async with AsyncExitStack() as cleanup:
        numbers = itertools.count()
        session = await cleanup.enter_async_context(aiohttp.ClientSession(stack.url, headers=stack.headers))
        berth = Berth(session)
        lanes = [await open_lane(berth, cleanup) for _ in range(AT_ONCE)]
        whole = Whole(berth, lanes, lambda: f"bench-message-{next(numbers)}")
        # It wakes the computer, of which the other places are made.
        await whole.run("true")
        leader = in_another_network(below(stack.engine_pid))
        if leader is None:
            raise BenchError("The computer's processes cannot be found.")
        copy_shell_start(PROC / str(leader) / "root/etc", stack.state / SHELL)
        process, url = cleanup.enter_context(floor_served(stack.state))
        floor = Floor(await cleanup.enter_async_context(aiohttp.ClientSession(url)))
        connector = cleanup.enter_context(_sockets(leader))
        inside = await cleanup.enter_async_context(aiohttp.ClientSession(SERVICE, connector=connector))
        computerd = Computerd(inside, lambda: f"bench-{next(numbers)}")
        yield Rig(stack, berth, floor, computerd, whole, process)


def copy_shell_start(etc: Path, target: Path) -> None:
    """Copy what a login shell reads first; it costs as much as bash itself and differs between systems."""
    target.mkdir()
    shutil.copyfile(etc / "profile", target / "profile")
    (target / "profile.d").mkdir()
    for script in etc.glob("profile.d/*.sh"):
        shutil.copyfile(script, target / "profile.d" / script.name)


@contextmanager
def floor_served(folder: Path) -> Iterator[tuple[int, str]]:
    """Start the floor with a clean environment and an empty home; gives its process and its address.

    Its shells begin as the computer's do: with the files that `copy_shell_start` put into the folder, which
    one bwrap around the server, and none a command, puts into their place.
    """
    home, shell = folder / "floor-home", folder / SHELL
    home.mkdir(exist_ok=True)
    command = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/"]
    for name in ("profile", "profile.d"):
        command += ["--ro-bind", str(shell / name), f"/etc/{name}"]
    command += ["--", sys.executable, str(ROOT / "local/bench/floor.py")]
    env = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
    process = Child("the floor", command, log=folder / "logs/floor.log", env=env)
    try:
        port = process.next_line(time.monotonic() + FLOOR_SECONDS)
        yield process.pid, f"http://127.0.0.1:{port}"
    except ChildError as error:
        raise BenchError(f"The floor's server does not work: {error}") from error
    finally:
        process.stop()


async def open_lane(berth: Berth, cleanup: AsyncExitStack) -> Lane:
    bot_id = await berth.create_bot("Bench", Model())
    thread_id = await berth.create_thread(bot_id)
    lane = Lane(thread_id, await cleanup.enter_async_context(berth.watch(thread_id)))
    reading = asyncio.create_task(lane.read())
    cleanup.callback(reading.cancel)
    return lane


@contextmanager
def _sockets(leader: int) -> Iterator[aiohttp.TCPConnector]:
    """Sockets of the computer's own network, as the engine makes them: nothing stands in between."""
    spaces = Namespaces.of(leader)
    try:
        stock = sockets_inside(spaces, 2 * AT_ONCE, None)

        def take(_address: object) -> socket.socket:
            if not stock:
                stock.extend(sockets_inside(spaces, AT_ONCE, None))
            return stock.pop()

        yield aiohttp.TCPConnector(socket_factory=take)
        for unused in stock:
            unused.close()
    finally:
        spaces.close()


async def sleep(berth: Berth) -> None:
    """Bring the computer to standby and return when it is there."""
    deadline = time.monotonic() + STANDBY_SECONDS
    while await berth.standby() != "standby":
        if time.monotonic() > deadline:
            raise BenchError(f"The computer was not in standby within {STANDBY_SECONDS:.0f} s.")
        await asyncio.sleep(LOOK_SECONDS)
