"""`./berth check`: everything that can be said about the sources without running them.

Each check is a row; they run side by side, and all of them are reported, not only the first that fails.
"""

import argparse
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from local.bundle import ROOT, build
from local.launcher import bundle_size
from local.launcher.generate import TYPES
from local.launcher.terminal import cross, say, step, tick
from local.launcher.tools import node_command, output_of, python_command, run
from local.toolchain import node_binary

# As many as there are cores on a small machine.
SIDE_BY_SIDE = 2
PYTHON_FOLDERS = (
    "berth", "contracts", "container", "durable_objects", "egress", "local", "telemetry", "tests", "workers",
)  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    passed: bool
    text: str = ""


@dataclass(frozen=True)
class Check:
    name: str
    look: Callable[[], Verdict]


def _tool(command: Callable[[], Sequence[str]], folder: str = "") -> Callable[[], Verdict]:
    def look() -> Verdict:
        done = run(command(), folder=ROOT / folder)
        return Verdict(done.returncode == 0, output_of(done))

    return look


def _sources() -> list[str]:
    return [name for name in PYTHON_FOLDERS if (ROOT / name).exists()]


def _upload() -> Verdict:
    found = bundle_size.measure()
    if isinstance(found, str):
        return Verdict(passed=False, text=found)
    return Verdict(found.fits, found.report)


def _types() -> Verdict:
    """Compare with what generating would write, without writing it."""
    script = (
        'const made = await import("./scripts/generate.ts"); process.stdout.write(await made.generated());'
    )
    done = run([str(node_binary(ROOT)), "--input-type=module", "-e", script], folder=ROOT / "web")
    if done.returncode:
        return Verdict(passed=False, text=output_of(done))
    fresh = done.stdout == TYPES.read_text()
    return Verdict(fresh, "" if fresh else f"{TYPES.relative_to(ROOT)} is stale: run ./berth generate")


CHECKS = (
    Check("mypy", _tool(lambda: python_command("mypy", *_sources()[1:]))),
    Check("the upload", _upload),
    Check("ruff", _tool(lambda: python_command("ruff", "check", *_sources()))),
    Check("ruff format", _tool(lambda: python_command("ruff", "format", "--check", *_sources()))),
    Check("biome", _tool(lambda: node_command("@biomejs/biome/bin/biome", "check", "."))),
    Check("biome of the page", _tool(lambda: node_command("@biomejs/biome/bin/biome", "check", "."), "web")),
    Check("tsc", _tool(lambda: node_command("typescript/bin/tsc", "--noEmit", "-p", "tsconfig.json"), "web")),
    Check("the page's types", _types),
)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="berth check")
    parser.add_argument("names", nargs="*", help=f"of: {', '.join(check.name for check in CHECKS)}")
    wanted = parser.parse_args(arguments).names
    chosen = [check for check in CHECKS if not wanted or check.name in wanted]
    return 0 if passes(chosen) else 1


def passes(checks: Sequence[Check] = CHECKS) -> bool:
    with step("Checking"):
        build(ROOT)
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            verdicts = list(pool.map(lambda check: check.look(), checks))
    for check, verdict in zip(checks, verdicts, strict=True):
        if verdict.passed:
            tick(f"{check.name} {verdict.text if check.name == 'the upload' else ''}".rstrip())
        else:
            cross(check.name)
            say(verdict.text)
    return all(verdict.passed for verdict in verdicts)
