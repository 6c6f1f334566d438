"""Which hosts pip, npm and apt fetch packages from on this machine, as a Python module for the bundle.

Nothing is written down here: the tools are asked. Where pip has no index set up, its own model of the
default index names the hosts. Indexes on disk need no network and are left out.
"""

import ast
import json
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

PORTS = {"https": 443, "http": 80}
Kind = Literal["pip-index", "pip-files", "npm", "apt"]

DEFAULT_INDEX = """
import json
from pip._internal.models.index import PyPI
print(json.dumps([PyPI.simple_url, PyPI.file_storage_domain]))
"""


class RegistryError(Exception):
    """pip or npm could not say what it is set up to use."""


@dataclass(frozen=True)
class Registry:
    """As the bundle's own class of this name."""

    host: str
    port: int
    paths: tuple[str, ...]
    kind: Kind


def pip_registries(python: Path) -> tuple[Registry, ...]:
    settings = _pip_settings(_output([str(python), "-m", "pip", "config", "list"]))
    default, files = json.loads(_output([str(python), "-c", DEFAULT_INDEX]))
    indexes = [settings.get("index-url", default), *settings.get("extra-index-url", "").split()]
    found: list[Registry] = []
    for index in indexes:
        if (registry := _registry(index, "pip-index")) is None:
            continue
        found.append(registry)
        # Another index than the default one says in its pages where its files lie: mostly beside them.
        file_host = files if index == default else registry.host
        found.append(Registry(file_host, registry.port, ("/",), "pip-files"))
    return tuple(dict.fromkeys(found))


def npm_registries(npm: str) -> tuple[Registry, ...]:
    registry = _registry(_output([npm, "config", "get", "registry"]).strip(), "npm")
    return () if registry is None else (registry,)


def apt_registries(apt_get: str) -> tuple[Registry, ...]:
    """The archives of the system's packages; none where apt is not there."""
    if shutil.which(apt_get) is None:
        return ()
    listed = _output([apt_get, "indextargets", "--format", "$(REPO_URI)"]).split()
    found = (_registry(url, "apt") for url in listed)
    return tuple(dict.fromkeys(registry for registry in found if registry is not None))


def _pip_settings(listing: str) -> dict[str, str]:
    """Read `pip config list`; the environment and a section for a command win over the general one."""
    ranks = {"global": 0, "install": 1, ":env:": 2}
    best: dict[str, tuple[int, str]] = {}
    for line in listing.splitlines():
        name, _, value = line.partition("=")
        section, _, option = name.rpartition(".")
        rank = ranks.get(section)
        if rank is not None and rank >= best.get(option, (-1, ""))[0]:
            best[option] = (rank, str(ast.literal_eval(value)))
    return {option: value for option, (_, value) in best.items()}


def _registry(url: str, kind: Kind) -> Registry | None:
    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname:
        return None
    path = parts.path.rstrip("/") + "/"
    return Registry(parts.hostname, parts.port or PORTS[parts.scheme], (path,), kind)


def module_source(template: str, registries: Iterable[Registry]) -> str:
    """Return the bundle's registries module: the source's own text, its empty list filled in."""
    empty = "REGISTRIES: tuple[Registry, ...] = ()\n"
    if empty not in template:
        raise RegistryError(f"the registries module does not end with {empty.strip()!r}")
    rows = "".join(f"    {registry!r},\n" for registry in registries)
    return template.replace(empty, empty.replace("()", f"(\n{rows})") if rows else empty)


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.SubprocessError) as error:
        raise RegistryError(f"{command[0]} could not be asked for its registry: {error}") from error
    return done.stdout
