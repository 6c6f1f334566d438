"""What wrangler is told of a deployment: as the repository says, under the deployment's own names."""

from typing import Any

from local.bundle import ROOT
from local.deploy.configuration import configuration_of, read_wrangler
from local.deploy.settings import Deployment


def made(name: str, **more: Any) -> dict[str, Any]:
    deployment = Deployment(name=name, **more)
    return configuration_of(deployment, read_wrangler(ROOT), ROOT, "bot.example.com")


def test_each_deployment_of_an_account_counts_attempts_by_itself() -> None:
    ids = [made(name)["ratelimits"][0]["namespace_id"] for name in ("berth", "berth-preview", "berth")]
    assert ids[0] == ids[2] != ids[1]
    assert all(0 < int(one) < 2**32 for one in ids)
    assert made("berth")["ratelimits"][0]["name"] == read_wrangler(ROOT)["ratelimits"][0]["name"]


def test_the_address_is_closed_to_the_deployments_own_computers_beside_those_that_are_named() -> None:
    assert made("berth")["vars"]["BERTH_HOSTS"] == "bot.example.com"
    named = made("berth", variables={"BERTH_HOSTS": "old.example.com bot.example.com"})
    assert named["vars"]["BERTH_HOSTS"] == "old.example.com bot.example.com"
