"""What a deployment is told: `deployment.toml` at the root, which belongs to its operator and is not in git.

name = "berth"                 # of the Worker, its bucket and its containers
domain = "bot.example.com"     # a host of a zone in the account; without it, NAME.SUBDOMAIN.workers.dev

[variables]                    # instead of the values in wrangler.toml
BERTH_SIGN_IN = "passkey"
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from local.launcher.errors import LauncherError

FILE = "deployment.toml"
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,40}[a-z0-9])?")
DOMAIN = re.compile(r"(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}")
IMAGE = re.compile(r"[a-z0-9.-]+(/[a-z0-9._-]+)+@sha256:[0-9a-f]{64}")
KNOWN = frozenset({"name", "domain", "image", "variables"})

# What each way to sign in needs to be told.
SIGN_IN_VARIABLES: Mapping[str, tuple[str, ...]] = {
    "passkey": (),
    "oidc": ("BERTH_OIDC_ISSUER", "BERTH_OIDC_CLIENT_ID"),
    "access": ("BERTH_ACCESS_TEAM", "BERTH_ACCESS_AUDIENCE"),
}
# Nobody but the person at the machine uses these.
OF_THIS_MACHINE = frozenset({"BERTH_VENUE_URL", "BERTH_UNSANDBOXED"})

TEMPLATE = Path(__file__).with_name(FILE)


@dataclass(frozen=True)
class Deployment:
    name: str
    domain: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    image: str = ""
    """The computer's image where it was built elsewhere; empty: it is built here."""
    preview: str = ""
    """The name of the preview that this is, or nothing for the deployment itself."""

    @property
    def ways(self) -> tuple[str, ...]:
        """How people sign in."""
        return tuple(self.variables.get("BERTH_SIGN_IN", "").split())

    def previewed(self, preview: str) -> "Deployment":
        """A deployment beside this one, with objects, files and an address of its own."""
        if not NAME.fullmatch(preview):
            raise LauncherError("a preview's name is of small letters, digits and hyphens, like `new-cards`")
        name = f"{self.name}-{preview}"
        if not NAME.fullmatch(name):
            raise LauncherError(f"{name} is too long for the name of a Worker: choose a shorter preview name")
        return replace(self, name=name, domain="", preview=preview)


def read_deployment(file: Path, known_variables: Mapping[str, str]) -> Deployment:
    """The deployment of a file; a missing one is written anew, for its owner to look at.

    `known_variables` are those of wrangler.toml with their values, which hold where nothing else is said.
    Raises LauncherError with the line to change.
    """
    if not file.exists():
        file.write_text(TEMPLATE.read_text())
        raise LauncherError(f"{file.name} was missing and has been written: look at it, then run this again")
    try:
        told = tomllib.loads(file.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LauncherError(f"{FILE} cannot be read: {error}") from error
    if odd := sorted(told.keys() - KNOWN):
        raise LauncherError(f"{FILE} has a line that means nothing here: {odd[0]}")
    name, domain = _text(told, "name", "berth"), _text(told, "domain", "")
    if not NAME.fullmatch(name):
        raise LauncherError(f"name in {FILE} is of small letters, digits and hyphens, and at most 42 long")
    if domain and not DOMAIN.fullmatch(domain):
        raise LauncherError(f"domain in {FILE} is a host name alone, like bot.example.com")
    image = _text(told, "image", "")
    if image and not IMAGE.fullmatch(image):
        raise LauncherError(
            f"image in {FILE} is an image of the account's registry by its digest: NAME@sha256:..."
        )
    deployment = Deployment(name, domain, {**known_variables, **_variables(told, known_variables)}, image)
    _check_ways(deployment)
    return deployment


def _text(told: Mapping[str, Any], name: str, otherwise: str) -> str:
    value = told.get(name, otherwise)
    if not isinstance(value, str):
        raise LauncherError(f"{name} in {FILE} is a text in quotation marks")
    return value


def _variables(told: Mapping[str, Any], known: Mapping[str, str]) -> dict[str, str]:
    variables = told.get("variables", {})
    if not isinstance(variables, dict):
        raise LauncherError(f"variables in {FILE} is a table: [variables] on a line of its own")
    for name, value in variables.items():
        if name in OF_THIS_MACHINE or name not in known:
            raise LauncherError(
                f"{FILE} sets {name}, which is no variable of a deployment (wrangler.toml lists them)"
            )
        if not isinstance(value, str):
            raise LauncherError(f"{name} in {FILE} is a text in quotation marks")
    return variables


def _check_ways(deployment: Deployment) -> None:
    if not deployment.ways:
        raise LauncherError(f"{FILE} names no way to sign in, so nobody could: set BERTH_SIGN_IN")
    for way in deployment.ways:
        if way == "local":
            raise LauncherError("signing in as `local` is for one machine: choose passkey, oidc or access")
        if way not in SIGN_IN_VARIABLES:
            raise LauncherError(
                f"{way} in BERTH_SIGN_IN is no way to sign in: choose passkey, oidc or access"
            )
        for name in SIGN_IN_VARIABLES[way]:
            if not deployment.variables.get(name):
                raise LauncherError(f"signing in by {way} needs {name} in {FILE}")
