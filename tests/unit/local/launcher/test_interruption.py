"""Being told to end, as a command takes it."""

import subprocess
import sys

import pytest

SCRIPT = """
import os, signal
from local.launcher.interruption import end_as_interrupted
end_as_interrupted()
try:
    os.kill(os.getpid(), signal.SIGTERM)
    print("went on")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("before", ["", "trap '' INT; "], ids=["foreground", "background"])
def test_being_told_to_end_is_an_interruption_however_it_was_started(before: str) -> None:
    shell = ["sh", "-c", f'{before}exec "$@"', "sh", sys.executable, "-c", SCRIPT]
    assert subprocess.check_output(shell, text=True) == "interrupted\n"
