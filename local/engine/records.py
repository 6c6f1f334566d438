"""What the engine knows of a container, and how its state moves.

A container is created, running, exited or removed, and `step` is the only thing that moves it.
`Spec` is the part of Docker's create request that means something here, checked once; everything
else that workerd sends (published ports, restart policy, capabilities) has no effect by design.
"""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from local.engine.errors import MalformedRequestError

NAME_LIMIT = 255
ARGUMENT_LIMIT = 1024
KEPT_TREES = {"/workspace": "workspace", "/home/berth": "home"}
"""Where a computer may write for keeps, and the folder on the host that holds it."""

SESSION_LABEL = "dev.workerd.session"
SESSION = re.compile(r"(?<=^workerd-)[0-9a-f]{16}-")
"""workerd's supervisor puts a number of its own into every name, a new one at each of its starts."""

SYSTEM_TOPS = frozenset((
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "libx32", "opt", "proc", "root", "run",
    "sbin", "sys", "tmp", "usr", "var",
))  # fmt: skip


class Status(StrEnum):
    CREATED = "created"
    RUNNING = "running"
    EXITED = "exited"
    REMOVED = "removed"


Event = Literal["started", "exited", "removed"]


def step(status: Status, event: Event) -> Status:
    """Return what `event` makes of `status`. A pair with no rule leaves it as it is."""
    match status, event:
        case ((Status.CREATED | Status.EXITED), "started"):
            return Status.RUNNING
        case Status.RUNNING, "exited":
            return Status.EXITED
        case _, "removed":
            return Status.REMOVED
    return status


@dataclass(frozen=True)
class Mount:
    volume: str
    target: str
    read_only: bool = False


@dataclass(frozen=True)
class Spec:
    image: str
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    mounts: tuple[Mount, ...] = ()
    network_of: str = ""
    """Name of the sidecar whose network this container shares."""

    @property
    def is_sidecar(self) -> bool:
        return "--http-egress-port" in self.command

    @property
    def is_copy(self) -> bool:
        """True for the helper by which workerd copies one volume into another."""
        return self.entrypoint == ("/bin/cp",) and self.command == ("-a", "/src/.", "/dst/")


def parse_spec(body: object) -> Spec:
    """Build a Spec from the JSON of `POST /containers/create`."""
    request = as_mapping(body, "body")
    host = as_mapping(request.get("HostConfig") or {}, "HostConfig")
    mode = as_text(host.get("NetworkMode") or "", "NetworkMode")
    labels = as_mapping(request.get("Labels") or {}, "Labels")
    return Spec(
        image=as_text(request.get("Image") or "", "Image"),
        entrypoint=as_texts(request.get("Entrypoint"), "Entrypoint"),
        command=as_texts(request.get("Cmd"), "Cmd"),
        environment=_environment(as_texts(request.get("Env"), "Env")),
        labels={key: as_text(value, "Labels") for key, value in labels.items()},
        mounts=_mounts(host),
        network_of=mode.removeprefix("container:") if mode.startswith("container:") else "",
    )


def parse_name(name: str) -> str:
    if not 0 < len(name) <= NAME_LIMIT or not name.isprintable():
        raise MalformedRequestError(f"not a name: {name[:80]!r}")
    return name


def slot(name: str) -> str:
    """Return what of a name stays the same when workerd's supervisor is started again."""
    return SESSION.sub("", name)


def session(name: str) -> str | None:
    found = SESSION.search(name)
    return found[0].rstrip("-") if found is not None else None


def as_mapping(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise MalformedRequestError(f"{what} must be an object, not {type(value).__name__}")
    return value


def as_text(value: object, what: str) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise MalformedRequestError(f"{what} must be text without a NUL byte")
    return value


def as_texts(value: object, what: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > ARGUMENT_LIMIT:
        raise MalformedRequestError(f"{what} must be a list of at most {ARGUMENT_LIMIT} texts")
    return tuple(as_text(item, what) for item in value)


def _environment(entries: Sequence[str]) -> dict[str, str]:
    pairs = [entry.partition("=") for entry in entries]
    if bad := [name for name, equals, _ in pairs if not name or not equals]:
        raise MalformedRequestError(f"not NAME=value in Env: {bad[0]!r}")
    return {name: value for name, _, value in pairs}


def _mounts(host: Mapping[str, object]) -> tuple[Mount, ...]:
    found = []
    for bind in as_texts(host.get("Binds"), "Binds"):
        volume, _, rest = bind.partition(":")
        target, _, options = rest.partition(":")
        found.append(Mount(parse_name(volume), parse_target(target), "ro" in options.split(",")))
    listed = host.get("Mounts") or []
    if not isinstance(listed, list):
        raise MalformedRequestError("Mounts must be a list")
    for item in listed:
        entry = as_mapping(item, "Mounts")
        if entry.get("Type") != "volume":
            raise MalformedRequestError("only mounts of type volume are offered")
        source = parse_name(as_text(entry.get("Source"), "Source"))
        target = parse_target(as_text(entry.get("Target"), "Target"))
        found.append(Mount(source, target, entry.get("ReadOnly") is True))
    return tuple(found)


def parse_target(target: str) -> str:
    """Return the path inside at which a volume may appear: never over the system itself."""
    if not target.startswith("/") or "\0" in target or ".." in target.split("/"):
        raise MalformedRequestError(f"not an absolute path: {target!r}")
    path = posixpath.normpath("/" + target.lstrip("/"))
    top = path.split("/")[1]
    if not top or top in SYSTEM_TOPS or path == "/home":
        raise MalformedRequestError(f"a volume cannot be mounted at {path}")
    return path
