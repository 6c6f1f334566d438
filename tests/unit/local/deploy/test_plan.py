"""What a deployment would change, and what it refuses to begin."""

from dataclasses import replace

import pytest

from local.deploy.plan import Found, Plan, plan_of
from local.deploy.secrets import MADE
from local.deploy.settings import Deployment
from local.launcher.errors import LauncherError

BOT = Deployment("bot", variables={"BERTH_SIGN_IN": "passkey"})
ALL_MADE = frozenset(secret.name for secret in MADE)
EMPTY = Found(
    migration=None,
    secrets=frozenset(),
    bucket=False,
    subdomain="someone",
    zone=False,
    containers=True,
    docker=True,
)
DEPLOYED = replace(EMPTY, migration="v2", secrets=ALL_MADE, bucket=True)


def plan(
    deployment: Deployment = BOT,
    found: Found = EMPTY,
    *,
    given: frozenset[str] = frozenset(),
    image: bool = True,
) -> Plan:
    return plan_of(
        deployment, found, bucket=deployment.name, migrations=("v1", "v2"), given=given, image=image
    )


def test_the_first_time_everything_is_made() -> None:
    made = plan()
    assert made.address == "bot.someone.workers.dev"
    assert made.create_bucket
    assert {secret.name for secret in made.made} == ALL_MADE
    assert made.lines[0] == "create the Worker bot, at https://bot.someone.workers.dev"
    assert "bring the objects' classes from nothing to v2" in made.lines


def test_the_second_time_what_is_there_stays() -> None:
    made = plan(found=DEPLOYED)
    assert not made.create_bucket
    assert made.made == ()
    assert made.lines == (
        "update the Worker bot, at https://bot.someone.workers.dev",
        "build the computer's image and let computers start from it",
    )


def test_a_secret_that_is_there_is_never_made_again() -> None:
    """The keys of owners are sealed with it: another one would lock them away for good."""
    found = replace(DEPLOYED, secrets=ALL_MADE - {"BERTH_VAPID_KEY"})
    assert [secret.name for secret in plan(found=found).made] == ["BERTH_VAPID_KEY"]


def test_a_deployment_from_before_is_brought_up_step_by_step() -> None:
    assert "bring the objects' classes from v1 to v2" in plan(found=replace(DEPLOYED, migration="v1")).lines


def test_a_newer_deployment_is_left_alone() -> None:
    with pytest.raises(LauncherError, match="a newer Berth was deployed here"):
        plan(found=replace(DEPLOYED, migration="v3"))


def test_a_domain_needs_its_zone() -> None:
    named = replace(BOT, domain="bot.example.com")
    assert plan(named, replace(EMPTY, zone=True)).address == "bot.example.com"
    with pytest.raises(LauncherError, match=r"no zone of the account holds bot\.example\.com"):
        plan(named)


def test_without_a_domain_the_account_needs_its_host() -> None:
    with pytest.raises(LauncherError, match=r"no host below workers\.dev"):
        plan(found=replace(EMPTY, subdomain=""))


def test_the_plan_of_the_account_needs_containers() -> None:
    with pytest.raises(LauncherError, match="paid plan of Workers"):
        plan(found=replace(EMPTY, containers=False))


def test_the_image_needs_docker_or_to_be_there() -> None:
    without = replace(DEPLOYED, docker=False)
    with pytest.raises(LauncherError, match="--keep-image"):
        plan(found=without)
    assert "keep the computer's image as it is" in plan(found=without, image=False).lines
    built = replace(BOT, image="registry.cloudflare.com/x/computer@sha256:00")
    assert any("registry.cloudflare.com" in line for line in plan(built, without).lines)


def test_the_first_deployment_has_an_image() -> None:
    with pytest.raises(LauncherError, match="the first deployment needs"):
        plan(image=False)


def test_what_is_optional_is_only_noted() -> None:
    assert any(note.startswith("BERTH_OPENAI_KEY is not set") for note in plan().notes)
    given = plan(given=frozenset({"BERTH_OPENAI_KEY"}))
    assert "set the secret BERTH_OPENAI_KEY" in given.lines
    assert not any("BERTH_OPENAI_KEY" in note for note in given.notes)
    kept = plan(found=replace(DEPLOYED, secrets=ALL_MADE | {"BERTH_OPENAI_KEY"}))
    assert not any("BERTH_OPENAI_KEY" in line for line in (*kept.lines, *kept.notes))


def test_a_worker_that_is_not_berth_is_left_alone() -> None:
    with pytest.raises(LauncherError, match="a Worker bot that is not Berth"):
        plan(found=replace(EMPTY, migration=""))


def test_keys_that_replace_others_are_noted_first() -> None:
    keys = frozenset({"BERTH_KEY_ENCRYPTION_KEYS"})
    assert plan(found=DEPLOYED, given=keys).notes[0].startswith("BERTH_KEY_ENCRYPTION_KEYS is replaced")
    assert not any("is replaced" in note for note in plan(given=keys).notes)
