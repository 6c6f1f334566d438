"""Whoever pulls a backup from a computer and brings it back, and what a tree is like to the last bit."""

import hashlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from computerd import process_tree
from tests.unit.container.computer import Answer, Computer

MIB = 1024 * 1024


@dataclass
class Saved:
    """One whole backup as it was pulled."""

    manifest: str
    summary: dict[str, Any]
    new_packs: list[bytes]


@dataclass
class Bucket:
    """Keeps packs and manifests by their hashes."""

    kept: dict[str, bytes] = field(default_factory=dict)

    def begin(self, computer: Computer, previous: str | None = None, known: bool = False) -> str:
        answer = computer.call("POST", "/backup", {"previous": previous, "tree_known": known})
        assert answer.status == 200, answer.body
        token: str = answer.json["backup"]
        if answer.json["needs_manifest"]:
            assert previous is not None
            put = computer.call("PUT", f"/backup/{token}/manifest", self.kept[previous])
            assert put.status == 200, put.body
        return token

    def pull(self, computer: Computer, previous: str | None = None, known: bool = False) -> Saved:
        """A backup from its start to its end."""
        token = self.begin(computer, previous, known)
        new_packs = []
        number = 0
        while True:
            answer = piece(computer, token, number)
            assert answer.status == 200, answer.body
            sha256 = hashlib.sha256(answer.body).hexdigest()
            assert answer.headers["X-Berth-Sha256"] == sha256
            self.kept[sha256] = answer.body
            if answer.headers["X-Berth-Piece"] == "manifest":
                break
            new_packs.append(answer.body)
            number += 1
        summary = computer.call("GET", f"/backup/{token}/summary").json
        assert summary["manifest"] == sha256
        assert {pack["sha256"] for pack in summary["packs"]} <= self.kept.keys()
        assert computer.call("DELETE", f"/backup/{token}").status == 200
        return Saved(sha256, summary, new_packs)

    def bring_back(self, computer: Computer, manifest: str) -> dict[str, Any]:
        """A restore from its start to its end."""
        token = computer.call("POST", "/restore", {"manifest": manifest}).json["restore"]
        answer = computer.call("PUT", f"/restore/{token}/manifest", self.kept[manifest])
        assert answer.status == 200, answer.body
        for sha256 in answer.json["packs"]:
            put = computer.call("PUT", f"/restore/{token}/packs/{sha256}", self.kept[sha256])
            assert (put.status, put.json) == (200, {})
        return finished(computer, token)


def finished(computer: Computer, token: str) -> dict[str, Any]:
    """What was restored, asked for as long as it is not ready."""
    while (answer := computer.call("POST", f"/restore/{token}/finish")).status == 202:
        continue
    assert answer.status == 200, answer.body
    result: dict[str, Any] = answer.json
    return result


def helpers(computer: Computer, kind: str = "backup") -> list[int]:
    """The processes that make a backup or a restore, as the machine sees them."""
    # In a sandbox the service is below what made that.
    above = {computer.process.pid, *process_tree.below(computer.process.pid, process_tree.parents())}
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
            parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if kind.encode() in words and int(parent) in above:
            found.append(int(name))
    return found


def piece(computer: Computer, token: str, number: int) -> Answer:
    """A piece, asked for as long as it is not ready."""
    while (answer := computer.call("GET", f"/backup/{token}/pieces/{number}")).status == 202:
        continue
    return answer


def tree(root: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a folder that a backup keeps, but for what is the computer's own."""
    found: dict[str, tuple[object, ...]] = {}
    links: dict[int, str] = {}
    for at, folders, names, fd in os.fwalk(root):
        folders.sort()
        if at == str(root / ".berth"):
            folders[:] = [name for name in folders if name not in ("backup", "tmp")]
        for name in [".", *folders, *sorted(names)]:
            state = os.stat(name, dir_fd=fd, follow_symlinks=False)
            shown = os.path.relpath(os.path.join(at, name), root)
            if shown == ".berth" or stat.S_ISSOCK(state.st_mode):
                continue
            about: tuple[object, ...] = (stat.filemode(state.st_mode), state.st_mtime_ns)
            if stat.S_ISLNK(state.st_mode):
                about += (os.readlink(name, dir_fd=fd),)
            elif stat.S_ISREG(state.st_mode):
                first = links.setdefault(state.st_ino, shown) if state.st_nlink > 1 else shown
                about += (state.st_size, first, content(name, fd, state))
            found[shown] = about
    return found


def content(name: str, folder: int, state: os.stat_result) -> str:
    """The hash of a file's content without its holes, with where those are."""
    digest = hashlib.sha256()
    fd = os.open(name, os.O_RDONLY, dir_fd=folder)
    at = 0
    while at < state.st_size:
        try:
            at = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            break
        end = os.lseek(fd, at, os.SEEK_HOLE)
        while at < end and (data := os.pread(fd, min(MIB, end - at), at)):
            digest.update(b"%d " % at + data)
            at += len(data)
    os.close(fd)
    return digest.hexdigest()
