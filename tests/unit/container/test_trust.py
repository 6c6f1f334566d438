"""The stores of Java and of browsers: what they name, and what lies in their way."""

import ctypes
import datetime as dt
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from computerd import trust
from local.engine.authority import Authority


def run(certificate: Path, home: Path) -> "subprocess.CompletedProcess[str]":
    argv = [sys.executable, "-I", "-S", trust.__file__, str(certificate), str(home)]
    return subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False)


def authority(folder: Path, name: str = "ca.crt") -> Path:
    file = folder / name
    file.write_bytes(Authority(dt.datetime.now(dt.UTC)).pem)
    return file


def has_nss() -> bool:
    try:
        ctypes.CDLL("libnss3.so")
    except OSError:
        return False
    return True


def in_database(home: Path) -> list[bytes]:
    with closing(sqlite3.connect(home / trust.DATABASE / "cert9.db")) as database:
        return [row[0] for row in database.execute("SELECT a11 FROM nssPublic WHERE a11 IS NOT NULL")]


def test_java_reads_the_keystore(tmp_path: Path) -> None:
    if not (keytool := shutil.which("keytool")):
        pytest.skip("this machine has no keytool")
    pem = authority(tmp_path)
    assert run(pem, tmp_path).returncode == 0
    argv = [keytool, "-list", "-rfc", "-keystore", str(tmp_path / trust.KEYSTORE), "-storepass", "changeit"]
    listed = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout
    assert trust.certificates(listed) == trust.certificates(pem.read_text())
    assert len(trust.certificates(listed)) == 1


def test_every_certificate_of_the_file_is_in_the_keystore(tmp_path: Path) -> None:
    pems = authority(tmp_path).read_text() + "between\n" + authority(tmp_path).read_text()
    found = trust.certificates(pems)
    store = trust.keystore(found)
    assert len(found) == 2
    assert all(der in store for der in found)


def test_a_browser_trusts_the_last_authority_alone(tmp_path: Path) -> None:
    if not has_nss():
        pytest.skip("this machine has no libnss3")
    for name in ("first.crt", "second.crt", "second.crt"):
        pem = tmp_path / name
        if not pem.exists():
            authority(tmp_path, name)
        done = run(pem, tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        assert in_database(tmp_path) == trust.certificates(pem.read_text())


def test_what_lies_in_the_way_of_the_keystore_is_replaced(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    store = tmp_path / trust.KEYSTORE
    store.parent.mkdir(parents=True)
    for kind in ("link", "pipe"):
        store.unlink(missing_ok=True)
        if kind == "link":
            store.symlink_to(elsewhere)
        else:
            os.mkfifo(store)
        assert run(authority(tmp_path), tmp_path).returncode == 0
        assert store.is_file()
        assert not store.is_symlink()
    assert elsewhere.read_text() == "mine"


@pytest.mark.parametrize("name", [trust.KEYSTORE, ".pki"])
def test_what_cannot_be_made_is_said_and_ends(tmp_path: Path, name: str) -> None:
    if name == ".pki" and not has_nss():
        pytest.skip("this machine has no libnss3")
    way = tmp_path / name
    if name == trust.KEYSTORE:
        (way / "folder").mkdir(parents=True)
    else:
        way.write_text("a file")
    done = run(authority(tmp_path), tmp_path)
    assert done.returncode == 1
    assert "Java or a browser" in done.stderr
