"""`./berth test [GROUP...]`: runs the tests, a group each, and says at the end how they went.

Most of a test's time is waiting, so three groups run beside each other. A group in which no test ran
has failed.
"""

import argparse
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from local.bundle import ROOT, build
from local.launcher.check import passes
from local.launcher.terminal import cross, say, step, tick
from local.launcher.tools import node_command, output_of, python_command, run
from local.launcher.web import WEB, build_page


@dataclass(frozen=True)
class Result:
    passed: bool
    output: str = ""


@dataclass(frozen=True)
class Group:
    name: str
    run: Callable[[Sequence[str]], Result]
    last: bool = False
    """Whether it comes when all others have ended."""


def _pytest(folder: str, *, but: Sequence[str] = ()) -> Callable[[Sequence[str]], Result]:
    without = [f"--ignore={other}" for other in but]

    def run_group(more: Sequence[str]) -> Result:
        if not any((ROOT / folder).rglob("test_*.py")):
            return Result(passed=False, output=f"there is no test in {folder}")
        # pytest ends with 5 when it has found none to run, which is a failure here too.
        done = run(python_command("pytest", folder, *without, "-q", "--color=yes", *more))
        return Result(done.returncode == 0, output_of(done))

    return run_group


def _vitest(_more: Sequence[str]) -> Result:
    done = run(node_command("vitest/vitest.mjs", "run"), folder=WEB)
    return Result(done.returncode == 0, output_of(done))


def _check(_more: Sequence[str]) -> Result:
    return Result(passes())


AT_ONCE = 3
# Of the integration tests, those that are groups of their own.
APART = ("chat", "bench", "deploy")
# The longest first: the short ones fill what is left at the end.
GROUPS = (
    Group("integration", _pytest("tests/integration", but=[f"tests/integration/{one}" for one in APART])),
    Group("browser", _pytest("tests/browser")),
    Group("chat", _pytest("tests/integration/chat")),
    Group("unit", _pytest("tests/unit")),
    Group("bench", _pytest("tests/integration/bench")),
    Group("deploy", _pytest("tests/integration/deploy")),
    Group("web", _vitest),
    # It shows by itself what it does.
    Group("check", _check, last=True),
)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="berth test")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(group.name for group in GROUPS))
    parser.add_argument("-k", dest="expression", help="only tests whose names match, as in pytest")
    options = parser.parse_args(arguments)
    known = {group.name: group for group in GROUPS}
    if unknown := [name for name in options.groups if name not in known]:
        parser.error(f"there is no group {unknown[0]!r}")
    chosen = [known[name] for name in options.groups] if options.groups else list(GROUPS)
    more = ["-k", options.expression] if options.expression else []
    build(ROOT)
    build_page()
    results = _run(chosen, more)
    return _summary(results)


def _run(groups: Sequence[Group], more: Sequence[str]) -> dict[str, Result]:
    """The results in the order of the groups."""
    results: dict[str, Result] = {}
    first = [group for group in groups if not group.last]
    todo = [group.name for group in first]
    if first:
        with step(f"Testing: {', '.join(todo)}") as running, ThreadPoolExecutor(AT_ONCE) as pool:

            def run_group(group: Group) -> None:
                result = results[group.name] = group.run(more)
                todo.remove(group.name)
                running.text = f"Testing: {', '.join(todo)}"
                running.interrupt(_told(group.name, result, running.seconds))

            list(pool.map(run_group, first))
            running.text = "Testing"
    for group in groups:
        if group.last:
            say(f"\n{group.name}")
            results[group.name] = group.run(more)
    return {group.name: results[group.name] for group in groups}


def _told(name: str, result: Result, seconds: float) -> str:
    return f"\n{name}, ended after {seconds:.0f} s\n{result.output}\n"


def _summary(results: dict[str, Result]) -> int:
    say()
    for name, result in results.items():
        (tick if result.passed else cross)(name)
    passed = bool(results) and all(result.passed for result in results.values())
    return 0 if passed else 1
