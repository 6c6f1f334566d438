"""`./berth generate`: writes the web's types from contracts/, and docs/policy.md from egress/."""

import argparse
import sys
from collections.abc import Sequence

from local.bundle import ROOT
from local.launcher.errors import LauncherError
from local.launcher.terminal import step
from local.launcher.tools import output_of, run
from local.toolchain import node_binary

SCRIPT = ROOT / "web/scripts/generate.ts"
TYPES = ROOT / "web/src/contracts.ts"
POLICY_PAGE = ROOT / "docs/policy.md"


def main(arguments: Sequence[str]) -> int:
    argparse.ArgumentParser(prog="berth generate").parse_args(arguments)
    with step(f"Writing {TYPES.relative_to(ROOT)}"):
        write_types()
    with step(f"Writing {POLICY_PAGE.relative_to(ROOT)}"):
        write_policy_page()
    return 0


def write_types() -> None:
    done = run([str(node_binary(ROOT)), str(SCRIPT)], folder=ROOT / "web")
    if done.returncode:
        raise LauncherError(f"the types could not be generated:\n{output_of(done)}")


def write_policy_page() -> None:
    done = run([sys.executable, "-m", "egress.page"], folder=ROOT)
    if done.returncode:
        raise LauncherError(f"the policy could not be printed:\n{output_of(done)}")
    POLICY_PAGE.write_text(done.stdout)
