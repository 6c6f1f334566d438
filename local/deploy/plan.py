"""What a deployment would change, decided from what is there; nothing is done here."""

from collections.abc import Sequence
from dataclasses import dataclass

from local.deploy.secrets import OPTIONAL, SEALING_KEYS, Made, missing_secrets
from local.deploy.settings import FILE, Deployment
from local.launcher.errors import LauncherError


@dataclass(frozen=True)
class Found:
    """What the account and this machine have."""

    migration: str | None
    """The newest Durable Object migration of the Worker; None where there is no Worker yet."""
    secrets: frozenset[str]
    bucket: bool
    subdomain: str
    zone: bool
    containers: bool
    docker: bool


@dataclass(frozen=True)
class Plan:
    address: str
    """The host at which it will answer."""
    create_bucket: bool
    made: tuple[Made, ...]
    image: bool
    lines: tuple[str, ...]
    """What will be done, a sentence each."""
    notes: tuple[str, ...]
    """What the operator may want to know or do besides."""


def plan_of(
    deployment: Deployment,
    found: Found,
    *,
    bucket: str,
    migrations: Sequence[str],
    given: frozenset[str] = frozenset(),
    image: bool = True,
) -> Plan:
    """Raises LauncherError for the first thing without which it cannot go on.

    `given` are the secrets that come with this deployment; `migrations` the tags that this Berth knows.
    """
    address = _address(deployment, found)
    if not found.containers:
        raise LauncherError(
            "the account has no containers: they come with the paid plan of Workers (docs/deploy.md)"
        )
    if found.migration == "":
        # Berth has had objects from its first version on.
        raise LauncherError(
            f"the account has a Worker {deployment.name} that is not Berth: take another name in {FILE}"
        )
    there = found.secrets | given
    steps = _migrations(found.migration, migrations)
    if image and not deployment.image and not found.docker:
        hint = "" if found.migration is None else ", or keep the present one with --keep-image"
        raise LauncherError(
            f"the computer's image is built by Docker, which does not answer here: start it{hint}"
        )
    if not image and found.migration is None:
        raise LauncherError("the first deployment needs the computer's image: run it without --keep-image")
    made = missing_secrets(there)
    lines = [
        f"{'update' if found.migration is not None else 'create'} the Worker {deployment.name}, at https://{address}",
        *([] if found.bucket else [f"create the bucket {bucket} for files and backups"]),
        *(
            [f"bring the objects' classes from {found.migration or 'nothing'} to {steps[-1]}"]
            if steps
            else []
        ),
        *(f"make the secret {secret.name}, which {secret.why}" for secret in made),
        *(f"set the secret {name}" for name in sorted(given)),
        _image(deployment, wanted=image),
    ]
    notes = [f"{name} is not set: {why}" for name, why in OPTIONAL.items() if name not in there]
    if SEALING_KEYS in given & found.secrets:
        notes.insert(0, f"{SEALING_KEYS} is replaced: what only a key of before can open is lost")
    return Plan(address, not found.bucket, made, image, tuple(lines), tuple(notes))


def _image(deployment: Deployment, *, wanted: bool) -> str:
    if not wanted:
        return "keep the computer's image as it is"
    if deployment.image:
        return f"let computers start from {deployment.image}"
    return "build the computer's image and let computers start from it"


def _address(deployment: Deployment, found: Found) -> str:
    if deployment.domain:
        if not found.zone:
            raise LauncherError(
                f"no zone of the account holds {deployment.domain}: add its domain to Cloudflare first"
            )
        return deployment.domain
    if not found.subdomain:
        raise LauncherError(
            "the account has no host below workers.dev yet: choose one in the dashboard, under Workers"
        )
    return f"{deployment.name}.{found.subdomain}.workers.dev"


def _migrations(there: str | None, known: Sequence[str]) -> tuple[str, ...]:
    """Those still to come. Where wrangler does not know the one that is there, it would do them all."""
    if not there:
        return tuple(known)
    if there not in known:
        raise LauncherError(
            f"a newer Berth was deployed here: its objects are at {there}, which this one does not know"
        )
    return tuple(known[list(known).index(there) + 1 :])
