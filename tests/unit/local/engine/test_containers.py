"""What workerd puts below /etc of a container: the certificate's folder and nothing else."""

import io
import tarfile
from pathlib import Path

import pytest

from local.engine.cgroups import Hierarchies
from local.engine.containers import Container
from local.engine.errors import MalformedRequestError
from local.engine.groups import Groups
from local.engine.records import Spec

GOOD = "cloudflare/certs/cloudflare-containers-ca.crt"


def archive(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as packed:
        member = tarfile.TarInfo(name)
        member.type, member.linkname, member.size = kind, link, 4 if kind == tarfile.REGTYPE else 0
        packed.addfile(member, io.BytesIO(b"cert"))
    return buffer.getvalue()


@pytest.fixture
async def container(tmp_path: Path) -> Container:
    found = Container("id", "name", Spec("i"), tmp_path / "c", None, Groups(Hierarchies(), "x"), 0)
    found.folder.mkdir()
    found.make_folders()
    return found


async def test_the_certificate_is_written(container: Container) -> None:
    container.write_certificate(archive(GOOD))
    assert (container.folder / GOOD).read_text() == "cert"


@pytest.mark.parametrize(
    "name", ["passwd", "../x", "cloudflare/../../x", "/etc/passwd", "cloudflared/x", "fs/workspace/x"]
)
async def test_other_names_are_refused(container: Container, name: str, tmp_path: Path) -> None:
    with pytest.raises(MalformedRequestError):
        container.write_certificate(archive(name))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
async def test_links_and_devices_are_left_out(container: Container, kind: bytes) -> None:
    container.write_certificate(archive(GOOD, kind, "/etc/passwd"))
    assert not (container.folder / GOOD).is_symlink()
    assert not (container.folder / GOOD).exists()


@pytest.mark.parametrize("data", [b"", b"not a tar archive", b"\0" * 100])
async def test_what_is_no_archive_is_refused(container: Container, data: bytes) -> None:
    with pytest.raises(MalformedRequestError):
        container.write_certificate(data)
