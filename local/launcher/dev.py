"""`./berth dev`: serves Berth on this machine until it is interrupted.

Sources are watched: a change is bundled, and the host takes the new bundle with its state kept. A host or an
engine that ends by itself is started again. Before it stops it asks the computers to go to standby, so that
their files are kept.
"""

import argparse
import http.client
import json
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from types import FrameType
from typing import Any

from local.bundle import ROOT, BundleError, build
from local.launcher.errors import LauncherError
from local.launcher.host_keeper import HostKeeper
from local.launcher.image import image_root
from local.launcher.terminal import Step, cross, say, step, tick
from local.launcher.web import build_page
from local.stack import LocalStack, StackError

WATCHED = ("workers", "durable_objects", "egress", "contracts", "telemetry")
LOOK_SECONDS = 0.4
# Ending what runs takes up to ten seconds, saving a large workspace some more.
# A save is ended after ten minutes, its snapshot after two.
STANDBY_SECONDS = 720.0
# Until a workerd that went is there again.
PAUSES = (1.0, 5.0, 20.0)


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    started = time.monotonic()
    build_page()
    stopping = _on_signals()
    try:
        with ExitStack() as running:
            with step("Starting") as progress:
                stack = running.enter_context(_stack(options, progress))
            seconds = time.monotonic() - started
            say(f"\n  Open {stack.address}\n  ready in {seconds:.1f} s, Ctrl-C stops it\n")
            _serve(stack, stopping)
            _standby(stack)
    except StackError as error:
        raise LauncherError(str(error)) from error
    return 0


def _stack(options: argparse.Namespace, progress: Step) -> LocalStack:
    def show(event: Mapping[str, Any]) -> None:
        if "progress" in event:
            progress.text = f"Starting: {event['progress']}"

    return LocalStack(
        options.state,
        port=options.port,
        unsandboxed=options.unsandboxed,
        echo=True,
        watch=True,
        image_root=image_root(),
        events=show,
    )


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="berth dev")
    parser.add_argument("--port", type=int, default=8787)
    parser.add_argument("--state", type=Path, default=ROOT / ".berth/dev", help="where everything is kept")
    parser.add_argument(
        "--unsandboxed",
        action="store_true",
        help="run computers as plain processes of yours, without any protection",
    )
    return parser.parse_args(arguments)


def _on_signals() -> threading.Event:
    stopping = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt
        stopping.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    return stopping


def _serve(stack: LocalStack, stopping: threading.Event) -> None:
    seen = _look()
    keeper = HostKeeper(stack)
    while not stopping.wait(LOOK_SECONDS):
        if keeper.look():
            tick("the Worker host ended by itself and was started again")
        if stack.revive_engine():
            cross("the container engine ended by itself and was started again; what ran is lost")
        for event in stack.host_events():
            _tell(event)
        if (now := _look()) != seen:
            seen = now
            _bundle()
    # Without it no computer's files are saved.
    keeper.look()


def _bundle() -> None:
    try:
        build()
    except BundleError as error:
        cross(str(error))


def _tell(event: Mapping[str, Any]) -> None:
    if event.get("reloaded"):
        tick("reloaded")
    elif "reloaded" in event:
        cross(f"the changed Worker does not start: {event['error']}")
    elif "restarted" in event:
        tick("workerd ended by itself and was started again")


def _look() -> frozenset[tuple[str, int]]:
    """Return what tells one state of the sources from another."""
    return frozenset(
        (str(path), path.stat().st_mtime_ns)
        for folder in WATCHED
        for path in (ROOT / folder).rglob("*")
        if path.suffix != ".pyc" and path.is_file()
    )


def _standby(stack: LocalStack) -> None:
    """End what runs and save the files of every computer that is awake; say whose could not be saved."""
    with step("Saving the computers' files"):
        try:
            owners = _ask(stack, "GET", "/api/computers/awake", "localhost")["owners"]
        except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
            raise LauncherError(f"the computers' last files could not be saved: {error}") from error
        unsaved = [owner for owner in owners if not _put_to_standby(stack, owner)]
    if unsaved:
        raise LauncherError(f"the last files of these owners could not be saved: {', '.join(unsaved)}")


def _put_to_standby(stack: LocalStack, owner: str) -> bool:
    name = owner.removeprefix("local").removeprefix("-")
    host = f"{name}.localhost" if name else "localhost"
    try:
        answer = _ask(stack, "POST", "/api/computer/standby?stop=true", host)
    except (OSError, http.client.HTTPException, ValueError):
        # Said with the name; the files of the others are saved all the same.
        return False
    return answer.get("state") == "standby"


def _ask(stack: LocalStack, method: str, path: str, host: str) -> dict[str, Any]:
    """Ask until somebody answers: it may just be taking a new bundle, or coming back from a death."""
    for pause in PAUSES:
        try:
            return _ask_once(stack, method, path, host)
        except TimeoutError:
            raise
        except (OSError, http.client.HTTPException):
            time.sleep(pause)
    return _ask_once(stack, method, path, host)


def _ask_once(stack: LocalStack, method: str, path: str, host: str) -> dict[str, Any]:
    address = stack.url.removeprefix("http://")
    connection = http.client.HTTPConnection(address, timeout=STANDBY_SECONDS)
    headers = {"Host": f"{host}:{address.rpartition(':')[2]}", "Content-Type": "application/json"}
    headers |= stack.headers
    with closing(connection):
        connection.request(method, path, b"{}" if method == "POST" else None, headers)
        answer: dict[str, Any] = json.loads(connection.getresponse().read())
        return answer
