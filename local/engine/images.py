"""Images: names of the system that exists, and the snapshots of computers.

`snapshotContainer` commits a computer to an image; starting from it brings /workspace and
/home/berth back. A snapshot is a folder with its files and a record beside them, written under
another name and renamed when whole. Its parent is always the plain image, so a computer that
wakes and sleeps for years does not grow a chain. Old ones go: workerd never deletes them.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from local.engine.errors import NoSuchObjectError
from local.engine.trees import Workbench

SNAPSHOT_PREFIX = "workerd-container-snap-"
KEPT_PER_COMPUTER = 4
KEPT_SECONDS = 30 * 86400.0
RECORD, FILES, UNFINISHED = "image.json", "fs", ".new"


@dataclass(frozen=True)
class Image:
    name: str
    id: str
    parent: str
    size: int
    computer: str
    made_at: float
    used_at: float


def identify(name: str, version: str) -> str:
    return "sha256:" + hashlib.sha256(f"{name}\0{version}".encode()).hexdigest()


def surplus(images: list[Image], now: float) -> list[Image]:
    """Return the snapshots that nobody will start from again."""
    found = [image for image in images if now - image.used_at > KEPT_SECONDS]
    for computer in {image.computer for image in images}:
        mine = [image for image in images if image.computer == computer]
        mine.sort(key=lambda image: image.made_at, reverse=True)
        found += [image for image in mine[KEPT_PER_COMPUTER:] if image not in found]
    return found


@dataclass(frozen=True)
class Images:
    folder: Path
    workbench: Workbench
    version: str
    """Which build of the system this is: a snapshot fits only the one it was made on."""

    def inspect(self, reference: str) -> Image:
        name = reference.removesuffix(":latest")
        snapshots = list(self.snapshots())
        for image in snapshots:
            if reference in (image.id, image.name) or name == image.name:
                return image
        if name.startswith("sha256:"):
            if not any(image.parent == name for image in snapshots):
                raise NoSuchObjectError(f"No such image: {reference}")
            return Image(name, name, "", 0, "", 0, 0)
        if name.startswith(SNAPSHOT_PREFIX) or not name:
            raise NoSuchObjectError(f"No such image: {reference}")
        return Image(name, identify(name, self.version), "", 0, "", 0, 0)

    def snapshots(self) -> Iterator[Image]:
        for record in sorted(self.folder.glob(f"*/{RECORD}")):
            yield Image(**json.loads(record.read_text()))

    async def commit(self, files: Path, image: Image) -> Image:
        """Copy a computer's files into a new snapshot; replace one of the same name."""
        place = self.place(image)
        new = place.with_name(place.name + UNFINISHED)
        if new.exists():
            await self.workbench.delete(new)
        owner = os.stat(files).st_uid
        (new / FILES).mkdir(parents=True, mode=0o700)
        for folder in (new, new / FILES):
            if self.workbench.as_root:
                os.chown(folder, owner, owner)
        await self.workbench.copy(files, new / FILES)
        whole = replace(image, size=await self.workbench.size(new / FILES))
        self._write(new, whole)
        if place.exists():
            await self.workbench.delete(place)
        new.rename(place)
        return whole

    async def restore(self, image: Image, files: Path, now: float) -> None:
        """Copy a snapshot's files into the empty folder of a computer that has not started."""
        source = self.place(image)
        if self.workbench.as_root:
            owner = os.stat(source / FILES).st_uid
            os.chown(files, owner, owner)
        await self.workbench.copy(source / FILES, files)
        self._write(source, replace(image, used_at=now))

    async def delete(self, reference: str) -> None:
        image = self.inspect(reference)
        if not self.place(image).exists():
            raise NoSuchObjectError(f"No such snapshot: {reference}")
        await self.workbench.delete(self.place(image))

    async def prune(self, now: float) -> None:
        for image in surplus(list(self.snapshots()), now):
            await self.workbench.delete(self.place(image))

    def owner(self, image: Image) -> int:
        return os.stat(self.place(image) / FILES).st_uid

    def place(self, image: Image) -> Path:
        return self.folder / hashlib.sha256(image.name.encode()).hexdigest()[:20]

    def is_snapshot(self, image: Image) -> bool:
        return image.parent != ""

    def _write(self, folder: Path, image: Image) -> None:
        new = folder / (RECORD + UNFINISHED)
        new.write_text(json.dumps(asdict(image)))
        new.rename(folder / RECORD)
