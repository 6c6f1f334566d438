"""What must not be in the repository: addresses of package registries, and paths of somebody's machine."""

import subprocess
from pathlib import Path

import pytest
from pip._internal.models.index import PyPI

ROOT = Path(__file__).resolve().parents[2]


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def npm_registry() -> str:
    answer = subprocess.run(
        ["npm", "config", "get", "registry"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    return answer.strip().split("//")[-1].split("/")[0].split(":")[0]


@pytest.mark.parametrize(
    "host", [PyPI.netloc, PyPI.file_storage_domain, npm_registry(), "deb." + "debian.org"]
)
def test_no_host_of_a_package_registry_is_written_anywhere(host: str) -> None:
    assert host
    found = [str(path) for path in tracked() if host.encode() in path.read_bytes()]
    assert found == []


def test_no_path_of_the_machine_it_was_made_on_is_written_anywhere() -> None:
    here = str(ROOT).encode()
    assert [str(path) for path in tracked() if here in path.read_bytes()] == []
