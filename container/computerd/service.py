"""Puts computerd together and runs it: options, descriptors, signals, the port.

It listens before it does anything slow, so a caller that comes early waits and is not refused.
Read `api.py` for what it answers, `job.py` for the life of a command and `supervisor.py` for the
process that each command runs under.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket
import stat
import sys
import time
from contextlib import suppress
from typing import NamedTuple

from . import VERSION, cgroup, environment, limits, linux, trust
from .api import Api, Parts
from .backup_api import BackupApi
from .change_api import ChangeApi
from .commands import Commands
from .connection import Connection
from .errands import Errands
from .file_api import FileApi
from .folder_api import FolderApi
from .loop import Loop
from .peer import is_inside, is_our_user
from .place_api import PlaceApi
from .restore_api import RestoreApi
from .space import Space
from .supervisors import Helper, Pool
from .turns import Turns
from .views import Views
from .workspace import Workspace

USAGE = "usage: computerd [--listen HOST:PORT] [--workspace DIR] [--home DIR] [--limit NAME=NUMBER]..."
_BACKLOG = 128
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Options(NamedTuple):
    host: str = "127.0.0.1"
    port: int = 8080
    workspace: str = "/workspace"
    home: str = "/home/berth"


class UsageError(Exception):
    """The command line makes no sense."""


def parse_options(arguments: list[str]) -> Options:
    options = Options()
    words = iter(arguments)
    for word in words:
        value = next(words, None)
        if value is None:
            raise UsageError(f"{word} needs a value")
        match word:
            case "--listen":
                host, _, port = value.rpartition(":")
                if not host or not port.isdecimal():
                    raise UsageError(f"not an address: {value}")
                options = options._replace(host=host, port=int(port))
            case "--workspace":
                options = options._replace(workspace=os.path.realpath(value))
            case "--home":
                options = options._replace(home=os.path.realpath(value))
            case "--limit":
                set_limit(value)
            case _:
                raise UsageError(f"unknown option {word}")
    return options


def set_limit(setting: str) -> None:
    """Change a number of `limits`: what holds for minutes in use is tried in moments."""
    name, _, text = setting.partition("=")
    known = vars(limits).get(name)
    if not isinstance(known, int | float):
        raise UsageError(f"there is no limit {name!r}")
    try:
        setattr(limits, name, type(known)(text))
    except ValueError as error:
        raise UsageError(f"not a number: {text!r}") from error


class Service:
    """The running service."""

    def __init__(self, options: Options, listener: socket.socket) -> None:
        self.loop = Loop()
        self._listener = listener
        self._home = options.home
        self._trusting: Helper | None = None
        self._signals = linux.signal_descriptor(signal.SIGCHLD, *_STOP_SIGNALS)
        groups = cgroup.Groups(limits.PROCESSES_PER_COMMAND)
        self._pool = Pool(self.loop, groups, self._signals, memory_bytes())
        space = Space(self.loop, self._pool, [options.workspace, options.home])
        turns = self._turns = Turns()
        self._commands = Commands(
            self.loop,
            self._pool,
            options.workspace,
            lambda: environment.command_environment(os.environ, options.home, os.path.exists),
            now_ms=lambda: time.time_ns() // 1_000_000,
            space=space,
            use=turns.use,
        )
        health = {
            "service": "computerd",
            "version": VERSION,
            "boot": os.urandom(8).hex(),
            "process_limit": groups.kind,
        }
        workspace = Workspace(options.workspace)
        views = Views(self._commands, workspace, _token)
        files = FileApi(self.loop, workspace, views)
        changes = ChangeApi(self.loop, workspace, space, _token, turns.use)
        folders = FolderApi(self.loop, workspace, self._pool)
        places = PlaceApi(self.loop, workspace, turns.use)
        errands = Errands(self.loop, self._pool, options.home, options.workspace)
        backups = BackupApi(self.loop, errands, self._commands, workspace, turns, _token)
        restores = RestoreApi(self.loop, errands, workspace, turns, _token, self._quiet, self._restored)
        self._backups = backups
        parts = Parts(self._commands, files, changes, folders, places, backups, restores)
        self._api = Api(parts, turns, health)
        self._connections: set[Connection] = set()
        self._outside_is_us: bool | None = None

    def run(self) -> None:
        # What is there now stays for good: the collector and forked children leave it alone.
        gc.collect()
        gc.freeze()
        self._pool.warm()
        self.loop.spawn(self._trust())
        self.loop.spawn(self._accept())
        self.loop.spawn(self._obey())
        self.loop.run()

    async def _trust(self) -> None:
        """Have the stores made of those who read no PEM file, and let a command that waits begin first."""
        await self.loop.sleep(limits.TRUST_AFTER_S)
        if not self._turns.restoring:
            self._make_stores()

    def _make_stores(self) -> None:
        if os.path.exists(environment.CERTIFICATE):
            pid = trust.start(environment.CERTIFICATE, self._home)
            self._trusting = self._pool.watch(pid, "trust")

    async def _quiet(self) -> None:
        """Until nothing writes into the home folder."""
        while self._trusting is not None and self._trusting.status is None:
            await self._trusting.bell.heard()

    def _restored(self) -> None:
        self._backups.woke()
        # Those that came back may be of another authority.
        self._make_stores()

    async def _accept(self) -> None:
        while await self.loop.readable(self._listener.fileno()):
            # All that wait, now: whoever connected while a command ran is looked at before its end is.
            while self._accept_one():
                continue

    def _accept_one(self) -> bool:
        try:
            client, _address = self._listener.accept()
        except BlockingIOError:
            return False
        except ConnectionAbortedError:
            return True
        if self._from_a_command(client):
            client.close()
            return True
        self._make_room()
        connection = Connection(self.loop, client)
        self._connections.add(connection)
        self.loop.spawn(self._serve(connection))
        return True

    def _from_a_command(self, client: socket.socket) -> bool:
        if self._outside_is_us is None:
            # The first connection comes before any command, so from outside: whose user has it?
            self._outside_is_us = is_our_user(client)
        return bool(self._commands.running()) and is_inside(
            client, self._pool.command_processes, outside_is_us=self._outside_is_us
        )

    async def _serve(self, connection: Connection) -> None:
        try:
            await self._api.serve(connection)
        finally:
            self._connections.discard(connection)

    def _make_room(self) -> None:
        """Over the limit, the connection that has been idle longest has to go."""
        idle = [connection for connection in self._connections if connection.idle]
        if len(self._connections) >= limits.CONNECTIONS and idle:
            min(idle, key=lambda connection: connection.idle_since).close()

    async def _obey(self) -> None:
        """Bury the dead, and end in order when the world outside asks for it."""
        while await self.loop.readable(self._signals):
            for arrival in linux.arrivals(self._signals):
                # The first process of a namespace sees sender 0 for everybody outside of it.
                from_inside = os.getpid() == 1 and arrival.sender != 0
                if arrival.number in _STOP_SIGNALS and not from_inside:
                    self.loop.spawn(self._end())
            self._pool.reap()

    async def _end(self) -> None:
        self._commands.stop_all()
        deadline = self.loop.clock() + limits.GRACE_STOP_S + limits.SUPERVISOR_SILENCE_S
        while self._commands.running() and self.loop.clock() < deadline:
            await self.loop.sleep(limits.KILL_PASS_S)
        self.loop.stop()


def _token() -> str:
    return os.urandom(8).hex()


def memory_bytes() -> int:
    """The memory of this machine, which is what one process may ask for at most."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def main(arguments: list[str]) -> int:
    try:
        options = parse_options(arguments)
        os.makedirs(options.workspace, exist_ok=True)
        for folder in (options.workspace, options.home):
            _open_up(folder)
        os.chdir(options.workspace)
        listener = socket.create_server((options.host, options.port), backlog=_BACKLOG)
    except (UsageError, OSError) as error:
        print(f"computerd: {error}\n{USAGE}", file=sys.stderr)
        return 2
    listener.setblocking(False)
    _close_inherited(listener.fileno())
    os.umask(0o022)
    linux.block_signals()
    linux.hide_memory()
    linux.adopt_orphans()
    linux.name_process("computerd")
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    host, port = listener.getsockname()[:2]
    print(f"computerd {VERSION} listens on {host}:{port}", flush=True)
    Service(options, listener).run()
    return 0


def _open_up(folder: str) -> None:
    """A command may have closed one of the two folders to its owner; a computer that starts needs them."""
    with suppress(OSError):
        mode = stat.S_IMODE(os.stat(folder).st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(folder, mode | stat.S_IRWXU)


def _close_inherited(kept: int) -> None:
    """Nothing that the starter left open reaches a command."""
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))
