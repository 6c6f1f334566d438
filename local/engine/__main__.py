"""The command line: `python -m local.engine --socket PATH --state DIR --computer DIR`.

One line is printed when the engine listens. SIGTERM and SIGINT stop every computer, remove their
files (images and volumes stay) and end the program. As root it mounts its folders at a short path
of its own, so that the computers' users reach them wherever they are.
"""

import argparse
import asyncio
import contextlib
import datetime as dt
import functools
import json
import logging
import os
import resource
import signal
import sys
from pathlib import Path

import uvloop

from local.engine import api, http, leftovers, namespaces, seccomp, system
from local.engine.authority import Authority
from local.engine.cgroups import Hierarchies, Limits, find, forget
from local.engine.engine import Engine, Settings
from local.engine.errors import EngineError, MachineRefusesError
from local.engine.probe import Probe, as_json, look

log = logging.getLogger("local.engine")

SOCKET_PATH_LIMIT = 107
MOUNT_POINT = Path("/run/berth")
VERSION_FILE = "etc/berth-image"


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.engine", description=__doc__)
    parser.add_argument("--socket", type=Path, help="where to listen, at most 107 bytes")
    parser.add_argument("--state", type=Path, help="folder for computers, images and volumes")
    parser.add_argument("--computer", type=Path, help="folder that appears at /opt/berth")
    parser.add_argument("--image-root", type=Path, help="root file system instead of the host's /usr")
    parser.add_argument("--unsandboxed", action="store_true", help="plain processes, no protection")
    parser.add_argument("--require-limits", action="store_true", help="refuse to fall back to rlimits")
    parser.add_argument("--memory-mb", type=int, default=4096, help="of one computer")
    parser.add_argument("--processes", type=int, default=1024, help="of one computer")
    parser.add_argument("--cpus", type=float, default=2.0, help="of one computer")
    parser.add_argument("--tmp-mb", type=int, default=1024, help="size of /tmp")
    parser.add_argument("--probe", action="store_true", help="print what this machine allows")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args(arguments)
    if not options.probe and (options.socket is None or options.state is None):
        parser.error("--socket and --state are needed")
    return options


def check_socket(path: Path) -> str:
    """Return the socket's path if the kernel can hold it."""
    text = str(path)
    if len(os.fsencode(text)) > SOCKET_PATH_LIMIT:
        raise MachineRefusesError(f"the socket's path is over {SOCKET_PATH_LIMIT} bytes: {text}")
    return text


def reachable(folder: Path, name: str) -> Path:
    """Return a path of `folder` that every user may walk to, mounted for this process alone."""
    place = MOUNT_POINT / name
    place.mkdir(parents=True, exist_ok=True)
    namespaces.bind(str(folder), str(place))
    return place


def mount_privately() -> bool:
    try:
        namespaces.private_mounts()
        MOUNT_POINT.mkdir(parents=True, exist_ok=True)
        namespaces.mount_tmpfs(str(MOUNT_POINT))
    except OSError as error:
        log.debug("no mounts of our own: %s", error)
        return False
    return True


def settle(options: argparse.Namespace, probe: Probe, group: str) -> Settings:
    """Turn the options into settings, with all folders at paths that computers' users reach."""
    sandboxed = not options.unsandboxed
    bwrap = probe.require(limits=options.require_limits) if sandboxed else ""
    as_root = probe.as_root and sandboxed
    folders = {"s": options.state, "o": options.computer, "r": options.image_root}
    for folder in (options.computer, options.image_root):
        if folder is not None and not folder.exists():
            raise MachineRefusesError(f"there is no {folder}")
    if as_root and mount_privately():
        folders = {k: path and reachable(path, k) for k, path in folders.items()}
    state = folders["s"]
    version = options.image_root / VERSION_FILE if options.image_root else Path(os.devnull)
    return Settings(
        state=state,
        system=system.prepare(state / "etc", folders["o"], folders["r"]),
        bwrap=bwrap,
        hierarchies=find(group) if sandboxed else Hierarchies(),
        limits=Limits(options.memory_mb << 20, options.processes, options.cpus),
        filter=seccomp.compile_filter() if sandboxed else None,
        tmp_bytes=options.tmp_mb << 20,
        sandboxed=sandboxed,
        as_root=as_root,
        image_version=version.read_text().strip() if version.exists() else "",
    )


async def serve(options: argparse.Namespace, settings: Settings) -> None:
    loop = asyncio.get_running_loop()
    engine = Engine(settings, Authority(dt.datetime.now(dt.UTC)))
    killed = await leftovers.clear(settings.state, settings.hierarchies, engine.workbench)
    if killed:
        log.warning("killed %d processes that an earlier engine left", killed)
    done = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, done.set)
    path = check_socket(options.socket)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    handler = functools.partial(api.answer, engine)
    requests: set[asyncio.Task[None]] = set()
    server = await asyncio.start_unix_server(http.acceptor(handler, requests), path)
    os.chmod(path, 0o600)
    how = "sandboxed" if settings.sandboxed else "UNSANDBOXED"
    print(f"engine listens on {path} ({how}, {settings.hierarchies.kind})", flush=True)
    await done.wait()
    server.close()
    for request in requests:
        request.cancel()
    await engine.close()
    os.unlink(path)


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    logging.basicConfig(level=logging.DEBUG if options.verbose else logging.WARNING)
    if options.probe:
        group = leftovers.group_name(Path(f"probe-{os.getpid()}"))
        print(json.dumps(as_json(look(group))))
        forget(group)
        return 0
    for name in ("socket", "state", "computer", "image_root"):
        path = getattr(options, name)
        setattr(options, name, path and Path(os.path.abspath(path)))
    # Every connection into a computer is a descriptor; and no core dump of one is wanted.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        check_socket(options.socket)
        lock = leftovers.lock(options.state)
    except EngineError as error:
        print(f"engine: {error}", file=sys.stderr)
        return 1
    group = leftovers.group_name(options.state)
    try:
        settings = settle(options, look(group), group)
        uvloop.run(serve(options, settings))
    except EngineError as error:
        print(f"engine: {error}", file=sys.stderr)
        return 1
    finally:
        forget(group)
        os.close(lock)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
