"""`./berth deploy`: put Berth on Cloudflare, look whether it answers, and go back if need be.

    ./berth deploy                      check, show the plan, ask, deploy, look
    ./berth deploy --dry-run            check and show the plan; with wrangler's own check of the upload
    ./berth deploy --preview NAME       the same beside it, with objects, files and an address of its own
    ./berth deploy rollback [VERSION]   to the version before, or the one named
    ./berth deploy versions             which versions there are
    ./berth deploy remove --preview NAME    take a preview away

What is missing is said in one sentence. docs/deploy.md walks from an empty account to a first thread.
"""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from local.bundle import ROOT, build
from local.deploy import publish
from local.deploy.account import Account, connect
from local.deploy.configuration import (
    bucket_of,
    configuration_of,
    migrations_of,
    read_wrangler,
    written,
)
from local.deploy.plan import Found, Plan, plan_of
from local.deploy.rollback import target_of
from local.deploy.secrets import SETUP_CODE, given_secrets
from local.deploy.settings import FILE, Deployment, read_deployment
from local.deploy.smoke import smoke
from local.deploy.turn import alone
from local.launcher import bundle_size
from local.launcher.errors import LauncherError
from local.launcher.terminal import say, step, tick
from local.launcher.web import build_page


def main(arguments: Sequence[str]) -> int:
    chosen = _parser().parse_args(arguments)
    wrangler = read_wrangler(ROOT)
    deployment = read_deployment(chosen.settings, wrangler["vars"])
    if chosen.preview:
        deployment = deployment.previewed(chosen.preview)
    with alone(ROOT / ".berth"), connect() as account:
        match chosen.action:
            case "rollback":
                return _rollback(account, deployment, chosen)
            case "versions":
                return _versions(account, deployment)
            case "remove":
                return _remove(account, deployment, chosen)
        return _deploy(account, deployment, wrangler, chosen)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="berth deploy")
    parser.add_argument("action", nargs="?", choices=("rollback", "versions", "remove"))
    parser.add_argument("version", nargs="?", default="", help="with rollback: the beginning of its id")
    parser.add_argument("--preview", metavar="NAME", default="", help="a deployment beside the real one")
    parser.add_argument("--dry-run", action="store_true", help="change nothing")
    parser.add_argument(
        "--keep-image", action="store_true", help="do not build the computer's image (no Docker needed)"
    )
    parser.add_argument(
        "--settings", type=Path, default=ROOT / FILE, help=f"the deployment's file, if not {FILE}"
    )
    parser.add_argument("--skip-look", action="store_true", help="do not look whether it answers afterwards")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    return parser


def _deploy(
    account: Account, deployment: Deployment, wrangler: dict[str, Any], chosen: argparse.Namespace
) -> int:
    given = given_secrets(os.environ)
    with step(f"Asking Cloudflare about {deployment.name}"):
        found = _found(account, deployment)
        plan = plan_of(
            deployment,
            found,
            bucket=bucket_of(deployment),
            migrations=migrations_of(wrangler),
            given=frozenset(given),
            image=not chosen.keep_image,
        )
    if os.environ.get("CI") and any(secret.told for secret in plan.made):
        raise LauncherError(
            f"a pipeline's log is read by many: give the first deployment {SETUP_CODE} in its environment"
        )
    _build()
    _show(plan)
    if chosen.dry_run:
        say("\nNothing was changed.")
        return 0
    if not _agreed(chosen, "Do this?"):
        return 1
    if _found(account, deployment) != found:
        raise LauncherError(
            f"{deployment.name} was changed at Cloudflare since this plan was made: run it again"
        )
    secrets = {**given, **{secret.name: secret.make() for secret in plan.made}}
    try:
        _carry_out(account, deployment, wrangler, plan, secrets)
    except (LauncherError, KeyboardInterrupt):
        _tell_what_arrived(account, deployment, found, plan, secrets)
        raise
    # First, for it is told only once.
    _tell_made(plan, secrets)
    return _seen(f"https://{plan.address}", chosen)


def _found(account: Account, deployment: Deployment) -> Found:
    worker = account.worker(deployment.name)
    return Found(
        migration=worker.migration if worker else None,
        secrets=worker.secrets if worker else frozenset(),
        bucket=account.bucket(bucket_of(deployment)),
        subdomain="" if deployment.domain else account.subdomain(),
        zone=bool(deployment.domain) and account.has_zone_of(deployment.domain),
        containers=account.may_run_containers(),
        docker=publish.docker_answers(),
    )


def _build() -> None:
    build_page()
    with step("Building the Worker") as building:
        build()
        upload = bundle_size.measure()
        if isinstance(upload, str):
            raise LauncherError(f"wrangler does not accept the Worker:\n{upload}")
        if not upload.fits:
            raise LauncherError(f"the Worker is too large: {upload.report}")
        building.text = f"Building the Worker: {upload.report}"


def _show(plan: Plan) -> None:
    say("\nThis will")
    for line in plan.lines:
        say(f"  · {line}")
    for note in plan.notes:
        say(f"  ({note})")


def _agreed(chosen: argparse.Namespace, question: str) -> bool:
    if chosen.yes:
        return True
    if not sys.stdin.isatty():
        raise LauncherError("there is nobody to ask: look at the plan, then say --yes")
    sys.stdout.write(f"\n{question} [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _carry_out(
    account: Account, deployment: Deployment, wrangler: dict[str, Any], plan: Plan, secrets: Mapping[str, str]
) -> None:
    if plan.create_bucket:
        with step("Creating the bucket"):
            account.create_bucket(bucket_of(deployment))
    made = configuration_of(deployment, wrangler, ROOT, plan.address)
    with step("Deploying with wrangler"), written(made, ROOT) as configuration:
        publish.deploy_worker(configuration, account.id, secrets, image=plan.image)


def _tell_made(plan: Plan, secrets: Mapping[str, str]) -> None:
    for secret in plan.made:
        if secret.told:
            say(f"\n{secret.name} {secret.why}. It is shown only now:\n\n    {secrets[secret.name]}\n")


def _tell_what_arrived(
    account: Account, deployment: Deployment, found: Found, plan: Plan, secrets: Mapping[str, str]
) -> None:
    """wrangler may fail after the Worker is there, with secrets that no later deployment makes again."""
    try:
        worker = account.worker(deployment.name)
    except LauncherError:
        say("\nWhether the Worker has arrived could not be asked. If it has:")
        _tell_made(plan, secrets)
        return
    if worker and worker.secrets != found.secrets:
        _tell_made(plan, secrets)


def _seen(address: str, chosen: argparse.Namespace) -> int:
    """Look whether it answers as it should; the exit code."""
    if chosen.skip_look:
        tick(f"Berth is at {address}; nobody has looked whether it answers")
        return 0
    wrong = []
    with step(f"Looking at {address}") as looking:
        for look, problem in smoke(address):
            looking.interrupt(f"  {look.path}: {problem or look.what}")
            wrong += [look.path] if problem else []
        if wrong:
            raise LauncherError(f"it is deployed and does not answer as it should: {', '.join(wrong)}")
    tick(f"Berth is at {address}")
    return 0


def _versions(account: Account, deployment: Deployment) -> int:
    running = account.running(deployment.name)
    for version in account.versions(deployment.name):
        mark = "*" if version.id == running else " "
        say(f"{mark} {version.number:>4}  {version.id[:8]}  {version.created[:19]}  {version.message}")
    return 0


def _rollback(account: Account, deployment: Deployment, chosen: argparse.Namespace) -> int:
    with step(f"Asking Cloudflare about {deployment.name}"):
        versions, running = account.versions(deployment.name), account.running(deployment.name)
    target = target_of(versions, running, chosen.version)
    say(f"\nVersion {target.number} ({target.message or target.id[:8]}, {target.created[:19]}) comes back.")
    say("Data stays as it is.")
    if chosen.dry_run:
        return 0
    if not _agreed(chosen, "Go back to it?"):
        return 1
    with step("Going back"):
        options = ["rollback", target.id, "--name", deployment.name, "--message", "rollback", "--yes"]
        publish.wrangler(options, account.id)
    host = deployment.domain or f"{deployment.name}.{account.subdomain()}.workers.dev"
    return _seen(f"https://{host}", chosen)


def _remove(account: Account, deployment: Deployment, chosen: argparse.Namespace) -> int:
    if not deployment.preview:
        raise LauncherError(
            "only a preview is taken away here: name it with --preview (docs/deploy.md has the rest)"
        )
    if account.worker(deployment.name) is None:
        raise LauncherError(f"there is no {deployment.name}")
    say(
        f"{deployment.name} goes, with every thread and computer in it. Its bucket stays until you delete it."
    )
    if not _agreed(chosen, "Remove it?"):
        return 1
    with step(f"Removing {deployment.name}"):
        publish.wrangler(["delete", "--name", deployment.name, "--force"], account.id)
    return 0
