"""What the local host must know about the Worker, read from wrangler.toml.

Bindings, classes and assets are declared once, for Cloudflare; this module turns the declaration into the
host's configuration and refuses what the local platform does not have.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

LogLevel = Literal["debug", "info", "log", "warn", "error"]

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
SUPPORTED = frozenset(
    {
        "name", "main", "compatibility_date", "compatibility_flags", "build", "durable_objects", "migrations",
        "containers", "r2_buckets", "ratelimits", "assets", "vars", "observability", "rules",
        # Only Cloudflare has them: here the bindings are missing, and Berth says so where one is asked for.
        "ai", "version_metadata", "analytics_engine_datasets",
    }
)  # fmt: skip


class WorkerConfigError(Exception):
    """wrangler.toml asks for something that the local platform does not have."""


@dataclass(frozen=True)
class DurableObjectBinding:
    class_name: str
    image: str | None = None


@dataclass(frozen=True)
class Assets:
    directory: str
    binding: str
    not_found_handling: str
    worker_first: tuple[str, ...]


@dataclass(frozen=True)
class HostConfig:
    """What host.mjs reads as a JSON file of the same names."""

    name: str
    entry: str
    """The module, without its suffix, whose classes the Worker exports."""
    compatibility_date: str
    compatibility_flags: tuple[str, ...]
    durable_objects: Mapping[str, DurableObjectBinding]
    r2_buckets: tuple[str, ...]
    ratelimits: Mapping[str, Any]
    """By the names of their bindings, as wrangler.toml has them."""
    vars: Mapping[str, str]
    assets: Assets | None
    state: str = ""
    bundle: str = ""
    modules: tuple[str, ...] = ()
    """Files of JavaScript that Python imports by their names."""
    packages: str = ""
    host_files: str = ""
    cache: str = ""
    host: str = "127.0.0.1"
    port: int = 0
    engine_socket: str | None = None
    outside: str | None = None
    """`host:port` of a server that stands in for everything outside, for tests."""
    watch: bool = False
    faults: bool = False
    """Whether its owner, a test, may order faults over its standard input."""
    log_level: LogLevel = "info"
    homes: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_closed_enough(self) -> bool:
        """Whether no other machine reaches it, where one that does would only need the token."""
        return "local" not in self.vars.get("BERTH_SIGN_IN", "").split() or self.host in LOOPBACK

    def with_vars(self, more: Mapping[str, str]) -> "HostConfig":
        return replace(self, vars={**self.vars, **more})

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def read(file: Path) -> HostConfig:
    """Read wrangler.toml; paths in it are relative to it."""
    declared = tomllib.loads(file.read_text())
    if unknown := sorted(set(declared) - SUPPORTED):
        raise WorkerConfigError(f"{file.name}: the local platform has no {', '.join(unknown)}")
    return HostConfig(
        name=declared["name"],
        entry=Path(declared["main"]).stem,
        compatibility_date=declared["compatibility_date"],
        compatibility_flags=tuple(declared.get("compatibility_flags", ())),
        durable_objects=_durable_objects(declared),
        r2_buckets=tuple(bucket["binding"] for bucket in declared.get("r2_buckets", ())),
        ratelimits={
            one["name"]: {"namespace_id": one["namespace_id"], "simple": one["simple"]}
            for one in declared.get("ratelimits", ())
        },
        vars={name: str(value) for name, value in declared.get("vars", {}).items()},
        assets=_assets(declared.get("assets"), file.parent),
    )


def _durable_objects(declared: Mapping[str, Any]) -> dict[str, DurableObjectBinding]:
    name = declared["name"]
    # The engine gets the name back with each start; what it runs is its own matter.
    images = {
        container["class_name"]: f"{name}-computer:local" for container in declared.get("containers", ())
    }
    bindings = declared.get("durable_objects", {}).get("bindings", ())
    return {
        binding["name"]: DurableObjectBinding(binding["class_name"], images.get(binding["class_name"]))
        for binding in bindings
    }


def _assets(declared: Mapping[str, Any] | None, folder: Path) -> Assets | None:
    if declared is None:
        return None
    return Assets(
        directory=str(folder / declared["directory"]),
        binding=declared["binding"],
        not_found_handling=declared.get("not_found_handling", "none"),
        worker_first=tuple(declared.get("run_worker_first", ())),
    )
