"""The `/etc` of the computers: what is copied, what is written, what never comes in."""

from pathlib import Path

import pytest

from local.engine.errors import MachineRefusesError
from local.engine.system import prepare


@pytest.fixture
def image(tmp_path: Path) -> Path:
    root = tmp_path / "image"
    (root / "usr/bin").mkdir(parents=True)
    (root / "etc/ssl/private").mkdir(parents=True)
    (root / "etc/ssl/private").chmod(0o700)
    (root / "etc/ssl/certs").mkdir()
    (root / "etc/ssl/certs/ca.crt").write_text("ca")
    (root / "etc/shadow").write_text("root:secret")
    (root / "etc/passwd").write_text("somebody:x:7:7::/:/bin/sh")
    (root / "etc/profile").write_text("own profile")
    (root / "etc/link").symlink_to("/usr/lib/thing")
    return root


def test_an_images_etc_is_taken_without_its_secrets(image: Path, tmp_path: Path) -> None:
    prepare(tmp_path / "etc", None, image)
    etc = tmp_path / "etc"
    assert (etc / "ssl/certs/ca.crt").read_text() == "ca"
    assert (etc / "profile").read_text() == "own profile"
    assert (etc / "link").readlink() == Path("/usr/lib/thing")
    assert not (etc / "shadow").exists()
    assert not (etc / "ssl/private").exists()
    assert "berth:x:1000:1000" in (etc / "passwd").read_text()
    assert "somebody" not in (etc / "passwd").read_text()


def test_of_the_host_only_named_things_are_taken(tmp_path: Path) -> None:
    prepare(tmp_path / "etc", None, None)
    etc = tmp_path / "etc"
    for name in ("shadow", "ssh", "hostname-", "pip.conf", "sudoers", "ssl/private"):
        assert not (etc / name).exists()
    assert (etc / "hosts").read_text().startswith("127.0.0.1 localhost")
    assert (etc / "resolv.conf").read_text() == "nameserver 127.0.0.1\n"
    assert (etc / "cloudflare").is_dir()


def test_a_new_start_begins_with_a_new_etc(image: Path, tmp_path: Path) -> None:
    prepare(tmp_path / "etc", None, image)
    (tmp_path / "etc/old").write_text("")
    prepare(tmp_path / "etc", None, image)
    assert not (tmp_path / "etc/old").exists()


def test_a_folder_without_a_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MachineRefusesError, match="no usr/bin"):
        prepare(tmp_path / "etc", None, tmp_path)
