"""Which package registries a computer may read from.

The source holds none. When the bundle is built, this file is replaced by one that lists what
pip, npm and apt are set up to use on the machine that builds, so that no address is written here.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["pip-index", "pip-files", "npm", "apt"]


@dataclass(frozen=True)
class Registry:
    """One host of a registry and the path prefixes below which it serves packages."""

    host: str
    port: int
    paths: tuple[str, ...]
    kind: Kind


REGISTRIES: tuple[Registry, ...] = ()
