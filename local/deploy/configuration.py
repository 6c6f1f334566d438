"""wrangler's configuration of one deployment, from `wrangler.toml` and what the deployment is told."""

import json
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

from local.deploy.settings import Deployment


def read_wrangler(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "wrangler.toml").read_text())


def configuration_of(
    deployment: Deployment, wrangler: dict[str, Any], root: Path, address: str
) -> dict[str, Any]:
    """As wrangler reads it from JSON, with absolute paths.

    `address` is the host that people will use: it is closed to the deployment's own computers.
    """
    made = {key: value for key, value in wrangler.items() if key != "build"}
    made["name"] = deployment.name
    made["main"] = str(root / wrangler["main"])
    made["vars"] = {**deployment.variables, "BERTH_HOSTS": _hosts(deployment, address)}
    made["assets"] = {**wrangler["assets"], "directory": str(root / wrangler["assets"]["directory"])}
    made["r2_buckets"] = [
        {**bucket, "bucket_name": bucket_of(deployment)} for bucket in wrangler["r2_buckets"]
    ]
    made["ratelimits"] = [
        {**one, "namespace_id": _namespace(deployment, one["name"])} for one in wrangler["ratelimits"]
    ]
    made["containers"] = [_container(one, deployment, root) for one in wrangler["containers"]]
    made["workers_dev"] = not deployment.domain
    made["preview_urls"] = False
    if deployment.domain:
        made["routes"] = [{"pattern": deployment.domain, "custom_domain": True}]
    return made


@contextmanager
def written(made: dict[str, Any], root: Path) -> Iterator[Path]:
    """The configuration as a file, while it is needed; there is no secret in it.

    It lies at the root because wrangler looks for the vendored packages beside it.
    """
    file = root / f"wrangler.{made['name']}.json"
    file.write_text(json.dumps(made, indent=2))
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def bucket_of(deployment: Deployment) -> str:
    return deployment.name


def migrations_of(wrangler: dict[str, Any]) -> tuple[str, ...]:
    """The tags of the Durable Object migrations, oldest first."""
    return tuple(step["tag"] for step in wrangler["migrations"])


def _hosts(deployment: Deployment, address: str) -> str:
    hosts = [*deployment.variables.get("BERTH_HOSTS", "").split(), address]
    return " ".join(dict.fromkeys(hosts))


def _namespace(deployment: Deployment, name: str) -> str:
    """Who counts together: Workers of an account with the same number do, so a preview has one of its own."""
    return str(crc32(f"{deployment.name} {name}".encode()) or 1)


def _container(container: dict[str, Any], deployment: Deployment, root: Path) -> dict[str, Any]:
    images = {name: _image(image, deployment, root) for name, image in container["images"].items()}
    return {**container, "name": f"{deployment.name}-computer", "images": images}


def _image(image: dict[str, str], deployment: Deployment, root: Path) -> dict[str, str]:
    return (
        {"image": deployment.image} if deployment.image else {"dockerfile": str(root / image["dockerfile"])}
    )
