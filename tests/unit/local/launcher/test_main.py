"""The launcher's commands and how it fails."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from local.launcher import image, requirements
from local.launcher import main as launcher
from local.launcher.errors import LauncherError, MissingError
from local.launcher.main import COMMANDS, main
from local.launcher.requirements import Requirement, ensure


def _requirement(*, present: list[bool], brought: list[str]) -> Requirement:
    return Requirement(
        "a thing", "for a test", lambda: present.pop(0), lambda: brought.append("thing"), "install thing"
    )


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: str(command.name))
def test_every_command_has_its_module(command: launcher.Command) -> None:
    assert importlib.util.find_spec(f"local.launcher.{command.name}") is not None


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {command.name} " in shown for command in COMMANDS)


def test_unknown_command_is_named_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deev"]) == 2
    assert "there is no command 'deev'" in capsys.readouterr().err


def test_failure_is_one_sentence(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_needs: object) -> None:
        raise LauncherError("the reason, and what to do")

    monkeypatch.setattr(requirements, "ensure", fail)
    assert main(["dev"]) == 1
    assert capsys.readouterr().err == "berth: the reason, and what to do\n"


def test_what_is_there_is_not_brought(capsys: pytest.CaptureFixture[str]) -> None:
    brought: list[str] = []
    ensure([_requirement(present=[True], brought=brought)])
    assert brought == []
    assert capsys.readouterr().out == ""


def test_what_is_missing_is_brought_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    brought: list[str] = []
    ensure([_requirement(present=[False, True], brought=brought)])
    assert brought == ["thing"]
    assert "Bringing a thing (for a test)" in capsys.readouterr().out


def test_what_cannot_be_brought_is_named_with_its_cure() -> None:
    with pytest.raises(MissingError, match="a thing is missing: install thing"):
        ensure([_requirement(present=[False, False], brought=[])])


def test_what_berth_runs_without_is_said_and_stops_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    brought: list[str] = []
    spare = replace(_requirement(present=[False, False], brought=brought), needed=False)
    needed = _requirement(present=[False, True], brought=brought)
    ensure([spare, needed])
    assert brought == ["thing", "thing"]
    assert "- Computers go without for a test: a thing is missing: install thing" in capsys.readouterr().out
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    ensure([replace(spare, present=lambda: False)])
    assert brought == ["thing", "thing"]
    assert capsys.readouterr().out == "- Computers go without for a test: a thing is missing: install thing\n"


def test_what_berth_runs_without_is_tried_once_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    brought: list[str] = []
    monkeypatch.setattr(requirements, "in_venv", lambda: False)
    ensure([replace(_requirement(present=[False], brought=brought), needed=False)])
    assert brought == []


def test_what_computers_get_of_this_machine_is_on_the_list_of_their_own_system() -> None:
    assert {one.name for one in requirements.COMPUTER} <= set(image.packages())
    assert not any(one.needed for one in requirements.COMPUTER)


def test_a_built_system_needs_nothing_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requirements, "image_root", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not requirements.POPPLER.present()
    monkeypatch.setattr(requirements, "image_root", lambda: tmp_path)
    assert requirements.POPPLER.present()
