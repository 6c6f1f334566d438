"""The launcher's commands, a row each.

A command names what it needs and the module that does it. What it needs is brought first, by whatever Python
started the launcher; the command itself runs in the environment where our packages are.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from local.bundle import ROOT, BundleError
from local.launcher import requirements
from local.launcher.errors import LauncherError
from local.launcher.requirements import VENV_PYTHON, Requirement
from local.launcher.terminal import say

INTERRUPTED = 130


@dataclass(frozen=True)
class Command:
    """Done by the module of its name beside this one: `main(arguments) -> exit code`."""

    name: str
    summary: str
    needs: tuple[Requirement, ...]


COMMANDS = (
    Command("dev", "start Berth on this machine and print its address", requirements.SERVE),
    Command("test", "run the tests: unit, integration, browser, web, check", requirements.TEST),
    Command("soak", "run random histories under faults, and judge them", requirements.TEST),
    Command("check", "ruff, mypy, biome, tsc, the bundle, the generated files", requirements.SERVE),
    Command("demo", "have a bot draw a chart from a real file, in a Berth of its own", requirements.SERVE),
    Command("bench", "measure commands against the floor of this machine", requirements.SERVE),
    Command("deploy", "put Berth on Cloudflare, look whether it answers, or go back", requirements.DEPLOY),
    Command("doctor", "list every requirement with a tick or the cure", ()),
    Command("image", "build the computer's system from container/packages.txt", requirements.BUILD_IMAGE),
    Command("generate", "write the web's types and docs/policy.md", requirements.SERVE),
    Command("lock", "compile the lock files anew", requirements.SERVE),
)


def main(arguments: Sequence[str]) -> int:
    name, *rest = arguments or ("help",)
    command = next((command for command in COMMANDS if command.name == name), None)
    if command is None:
        return _help(name)
    try:
        requirements.ensure(command.needs)
        if command.needs and not requirements.in_venv():
            # The same command again, where our packages are.
            os.execv(VENV_PYTHON, [str(VENV_PYTHON), str(ROOT / "berth"), *arguments])  # noqa: S606
        result: int = importlib.import_module(f"local.launcher.{command.name}").main(rest)
    except (LauncherError, BundleError) as error:
        sys.stderr.write(f"berth: {error}\n")
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return result


def _help(name: str) -> int:
    asked = name in {"help", "-h", "--help"}
    if not asked:
        sys.stderr.write(f"berth: there is no command {name!r}\n")
    say("Usage: ./berth COMMAND [OPTIONS]\n")
    for command in COMMANDS:
        say(f"  {command.name:<10} {command.summary}")
    return 0 if asked else 2
