"""The walk to Cloudflare: every command in it is one that there is, and what it says of settings is so."""

import re
import shlex
import tomllib

import pytest

from local.bundle import ROOT
from local.deploy.secrets import MADE, NEWER_SEALING_KEYS, OPTIONAL
from local.deploy.settings import SIGN_IN_VARIABLES
from local.keys import MADE as KEYS
from local.launcher.deploy import _parser
from local.launcher.main import COMMANDS

WALK = (ROOT / "docs/deploy.md").read_text()
# What stands in a block of its own, or in a line of text.
TYPED = [
    line.split("#")[0].strip()
    for line in (*re.findall(r"^    (\S.*)$", WALK, re.MULTILINE), *re.findall(r"`([^`]+)`", WALK))
]
OURS = sorted({line[line.index("./berth ") :] for line in TYPED if "./berth " in line})
VARIABLES = tomllib.loads((ROOT / "wrangler.toml").read_text())["vars"]


def test_there_are_commands_to_look_at() -> None:
    assert {"./berth deploy", "./berth doctor", "./berth deploy rollback"} <= set(OURS)


@pytest.mark.parametrize("line", OURS)
def test_a_command_of_ours_is_one(line: str) -> None:
    _, command, *arguments = shlex.split(line)
    assert command in {one.name for one in COMMANDS}
    if command == "deploy":
        _parser().parse_args(arguments)


def test_a_module_that_is_run_is_there_and_takes_what_it_is_given() -> None:
    runs = re.findall(r"([^\s(]+) -m local\.keys ([a-z]+)", WALK)
    # What it imports is there alone.
    assert {python for python, _ in runs} == {".berth/venv/bin/python"}
    assert {kind for _, kind in runs} <= set(KEYS)


def test_every_setting_that_it_names_is_one() -> None:
    secrets = {secret.name for secret in MADE} | {*OPTIONAL, NEWER_SEALING_KEYS}
    assert set(re.findall(r"BERTH_[A-Z_]+[A-Z]", WALK)) <= set(VARIABLES) | secrets
    for variables in SIGN_IN_VARIABLES.values():
        assert set(variables) <= set(re.findall(r"BERTH_[A-Z_]+[A-Z]", WALK))
