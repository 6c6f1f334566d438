"""One deployment at a time in a folder: two would build into the same place, and each would make secrets.

On another machine there may be one all the same: what the plan was made from is asked again before it begins.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.launcher.errors import LauncherError

FILE = "deploy.lock"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Raises LauncherError where another one is at it. A process that dies lets go."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise LauncherError("another `./berth deploy` runs in this folder: wait for its end") from error
        yield
    finally:
        os.close(descriptor)
