"""Volumes: folders with a name and labels, by which workerd keeps directory snapshots.

On the host a volume's folder is named by a digest, never by what the request said. Until a
computer mounts it, it belongs to a user of the store's own.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from local.engine.errors import NoSuchObjectError
from local.engine.trees import Workbench

RECORD, FILES = "volume.json", "data"


@dataclass(frozen=True)
class Volume:
    name: str
    labels: Mapping[str, str]


@dataclass(frozen=True)
class Volumes:
    folder: Path
    workbench: Workbench
    owner: int

    def create(self, volume: Volume) -> bool:
        """Make the volume; False if there is one of that name already."""
        place = self._place(volume.name)
        if (place / RECORD).exists():
            return False
        (place / FILES).mkdir(parents=True, exist_ok=True)
        if self.workbench.as_root:
            for folder in (place, place / FILES):
                os.chown(folder, self.owner, self.owner)
        (place / RECORD).write_text(json.dumps(asdict(volume)))
        return True

    def inspect(self, name: str) -> Volume:
        record = self._place(name) / RECORD
        if not record.exists():
            raise NoSuchObjectError(f"no such volume: {name}")
        return Volume(**json.loads(record.read_text()))

    def files(self, name: str) -> Path:
        self.inspect(name)
        return self._place(name) / FILES

    def listed(self, parts_of_names: Sequence[str]) -> Iterator[Volume]:
        for record in sorted(self.folder.glob(f"*/{RECORD}")):
            volume = Volume(**json.loads(record.read_text()))
            if not parts_of_names or any(part in volume.name for part in parts_of_names):
                yield volume

    async def delete(self, name: str) -> None:
        self.inspect(name)
        place = self._place(name)
        (place / RECORD).unlink()
        # Its files may belong to the computer that mounted it, the folder around them does not.
        await self.workbench.delete(place / FILES)
        place.rmdir()

    def _place(self, name: str) -> Path:
        return self.folder / hashlib.sha256(name.encode()).hexdigest()[:20]
