"""What of a container can be kept and carried: its snapshot as an image, and archives of its files.

A snapshot is taken while nothing in the container moves. An archive tool is shown one tree only,
with the volumes that are mounted in it.
"""

from local.engine.containers import Container
from local.engine.errors import MalformedRequestError, NoSuchObjectError, WrongStateError
from local.engine.images import Image, Images, identify
from local.engine.records import Status, parse_name, slot
from local.engine.sandbox import Folder


async def commit(images: Images, container: Container, name: str, now: float) -> Image:
    """Save the kept trees as the image `name`, and drop the snapshots that it makes surplus."""
    name = parse_name(name)
    base = images.inspect(container.spec.image)
    image = Image(
        name=name,
        id=identify(name, container.id + str(now)),
        parent=base.parent or base.id,
        size=0,
        computer=slot(container.name),
        made_at=now,
        used_at=now,
    )
    async with container.turn:
        if container.status not in (Status.RUNNING, Status.EXITED):
            raise WrongStateError(f"Container {container.name} has not been started")
        frozen = container.running is not None and await container.groups.freeze(True)
        try:
            image = await images.commit(container.files, image)
        finally:
            if frozen:
                await container.groups.freeze(False)
    await images.prune(now)
    return image


def archive_folders(container: Container, path: str) -> list[Folder]:
    """Return the folders that a tool may see for `path`: one tree and what is mounted in it."""
    if not path.startswith("/") or "\0" in path or ".." in path.split("/"):
        raise MalformedRequestError(f"not an absolute path: {path!r}")
    folders = container.kept_folders()
    for top in folders:
        if path == top.target or path.startswith(top.target + "/"):
            return [f for f in folders if (f.target + "/").startswith(top.target + "/")]
    raise NoSuchObjectError(f"{path} is not kept: only /workspace, /home/berth and volumes are")
