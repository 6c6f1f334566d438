"""One container: its record, the folder it owns on the host, and what runs in it.

The folder is named by a random id. It holds `fs/` with the trees that are kept (see
`records.KEPT_TREES`) and `cloudflare/` with the interception's certificate, which only the engine
writes.
"""

import asyncio
import io
import os
import tarfile
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from local.engine.egress import Gateway
from local.engine.errors import MalformedRequestError
from local.engine.groups import Groups
from local.engine.ingress import Sidecar
from local.engine.records import KEPT_TREES, SESSION_LABEL, Event, Spec, Status, session, step
from local.engine.running import Running
from local.engine.sandbox import Folder

CERTIFICATE_FOLDER = "cloudflare"
FILES = "fs"


@dataclass
class Container:
    id: str
    name: str
    spec: Spec
    folder: Path
    user: int | None
    groups: Groups
    made_at: float
    sidecar: Sidecar | None = None
    status: Status = Status.CREATED
    running: Running | None = None
    gateway: Gateway | None = None
    exit_code: int = 0
    out_of_memory: bool = False
    started_at: float = 0.0
    finished_at: float = 0.0
    volumes: list[Folder] = field(default_factory=list)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    exited: asyncio.Event = field(default_factory=asyncio.Event)
    removed: asyncio.Event = field(default_factory=asyncio.Event)

    def move(self, event: Event) -> None:
        self.status = step(self.status, event)
        match event:
            case "started":
                self.exited.clear()
            case "exited":
                self.exited.set()
            case "removed":
                self.exited.set()
                self.removed.set()

    def rename(self, name: str) -> None:
        if name != self.name:
            self.name = name
            labels = {**self.spec.labels, SESSION_LABEL: session(name) or ""}
            self.spec = replace(self.spec, labels=labels)

    @property
    def files(self) -> Path:
        return self.folder / FILES

    @property
    def certificates(self) -> Path:
        return self.folder / CERTIFICATE_FOLDER

    def make_folders(self) -> None:
        """Make what is missing of the kept trees and give it to the computer's user."""
        self.certificates.mkdir(parents=True, exist_ok=True)
        self.files.mkdir(exist_ok=True)
        for tree in KEPT_TREES.values():
            (self.files / tree).mkdir(exist_ok=True)
            # Closed by a command before the snapshot; who begins there must get in, as with Docker.
            (self.files / tree).chmod((self.files / tree).stat().st_mode & 0o7777 | 0o700)
            if self.user is not None:
                os.chown(self.files / tree, self.user, self.user)
        if self.user is not None:
            os.chown(self.files, self.user, self.user)
            self.folder.chmod(0o711)
            self.files.chmod(0o700)

    def kept_folders(self) -> list[Folder]:
        """Return the writable folders of the host as the container sees them, outer first."""
        trees = [Folder(str(self.files / tree), target) for target, tree in KEPT_TREES.items()]
        return sorted([*trees, *self.volumes], key=lambda folder: folder.target)

    def write_certificate(self, archive: bytes) -> None:
        """Unpack what workerd puts below /etc: the certificate's folder and nothing else."""
        try:
            with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
                found = {_certificate_path(m.name): packed.extractfile(m) for m in packed if m.isfile()}
                for path, content in found.items():
                    if content is not None:
                        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                        (self.folder / path).write_bytes(content.read())
        except tarfile.TarError as error:
            raise MalformedRequestError(f"not a tar archive: {error}") from error


def _certificate_path(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.parts[:1] != (CERTIFICATE_FOLDER,) or ".." in path.parts:
        raise MalformedRequestError(f"/etc/{name} cannot be written")
    return path
