"""A Worker that holds some of Berth's packages and little else, for tests of one piece in real workerd."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from local import worker_config
from local.bundle import ROOT, build, tree, write_archive
from local.worker_process import WorkerHost


@contextmanager
def small_worker(
    worker: Path,
    folder: Path,
    packages: tuple[str, ...],
    *,
    more: Mapping[str, Path] | None = None,
    outside: str | None = None,
) -> Iterator[str]:
    """Serve the folder `worker` with these packages of ours, and give its address.

    `more` are further files by their names in the bundle; `outside` stands in for the internet.
    """
    built = build(ROOT)
    files = {name: path for name, path in tree(worker).items() if name.endswith(".py")}
    for package in packages:
        files |= {f"{package}/{name}": path for name, path in tree(ROOT / package).items()}
    write_archive(folder / "worker.zip", files | dict(more or {}))
    config = replace(
        worker_config.read(worker / "wrangler.toml"),
        state=str(folder / "state"),
        cache=str(ROOT / ".berth/cache"),
        bundle=str(folder / "worker.zip"),
        modules=tuple(map(str, built.modules)),
        packages=str(built.packages_archive),
        host_files=str(built.host_archive),
        outside=outside,
    )
    host = WorkerHost(config, root=ROOT, log=folder / "host.log")
    try:
        yield host.start().url
    finally:
        host.stop()
