"""`./berth soak --minutes N [--seed S]`: random histories under faults, judged. See docs/failures.md.

The histories are tests, so they lie with the tests; here they are only started, in place of the launcher.
"""

import os
from collections.abc import Sequence

from local.bundle import ROOT, build
from local.launcher.tools import environment, python_command

SOAK = "tests.integration.nemesis.soak"


def main(arguments: Sequence[str]) -> int:
    build(ROOT)
    os.chdir(ROOT)
    command = python_command(SOAK, *arguments)
    os.execve(command[0], command, environment())  # noqa: S606 - no shell is wanted
