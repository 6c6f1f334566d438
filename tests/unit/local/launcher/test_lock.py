"""Lock files: names, versions and hashes, and no address."""

import re
import tomllib

import pytest

from local.bundle import ROOT
from local.launcher.lock import edge_lock

LOCKED = re.compile(r"^([a-z0-9.-]+)==(\S+) \\$", re.MULTILINE)


def _item(name: str, version: str, digest: str) -> dict[str, object]:
    return {
        "metadata": {"name": name, "version": version},
        "download_info": {"url": "https://index.test/x", "archive_info": {"hashes": {"sha256": digest}}},
    }


def test_lock_for_the_worker_is_sorted_and_has_one_hash_a_package() -> None:
    report = {"install": [_item("Pydantic_Core", "2", "bb"), _item("anyio", "1", "aa")]}
    assert edge_lock(report) == (
        "anyio==1 \\\n    --hash=sha256:aa\npydantic-core==2 \\\n    --hash=sha256:bb\n"
    )


@pytest.mark.parametrize("name", ["edge.txt", "host.txt"])
def test_lock_in_the_repository_names_no_address(name: str) -> None:
    lines = (ROOT / "requirements" / name).read_text().splitlines()
    locked = [line for line in lines if line and not line.startswith("# ")]
    assert locked
    assert all("://" not in line for line in lines)
    for line in locked:
        assert re.fullmatch(r"[a-z0-9.-]+==\S+ \\|    --hash=sha256:[0-9a-f]{64}( \\)?", line), line


def test_javascript_lock_in_the_repository_names_no_address() -> None:
    assert '"resolved": "http' not in (ROOT / "package-lock.json").read_text()


def test_what_the_project_pins_is_what_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    edge = dict(LOCKED.findall((ROOT / "requirements/edge.txt").read_text()))
    host = dict(LOCKED.findall((ROOT / "requirements/host.txt").read_text()))
    for pinned in project["project"]["dependencies"]:
        name, _, version = pinned.partition("==")
        assert edge[name] == version
        assert host[name] == version
    for pinned in (row for group in project["dependency-groups"].values() for row in group):
        name, _, version = pinned.partition("==")
        assert host[name] == version


def test_packages_of_both_sides_have_the_same_versions() -> None:
    edge = dict(LOCKED.findall((ROOT / "requirements/edge.txt").read_text()))
    host = dict(LOCKED.findall((ROOT / "requirements/host.txt").read_text()))
    assert {name: host[name] for name in edge} == edge
