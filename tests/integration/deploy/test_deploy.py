"""`./berth deploy` as a whole: the real wrangler and the real bundle, on a stand-in of the account's API.

What is beyond it was never seen here: Cloudflare running what was uploaded, and Docker building the image.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from local.bundle import ROOT
from local.deploy import publish
from local.deploy.configuration import migrations_of, read_wrangler
from local.deploy.secrets import MADE
from local.launcher.tools import environment, node_command
from local.launcher.web import build_page
from tests.cloudflare_api.server import ACCOUNT, TOKEN, CloudflareState, WorkerState, served

IMAGE = f"registry.cloudflare.com/{ACCOUNT}/berth-computer@sha256:{'ab' * 32}"
SETTINGS = f"""\
name = "berth-test"
domain = "bot.example.com"
image = "{IMAGE}"
[variables]
BERTH_SIGN_IN = "passkey"
"""


@dataclass
class Operator:
    """Somebody at a terminal who deploys."""

    state: CloudflareState
    base_url: str
    settings: Path

    def deploy(self, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
        env = {
            **{name: value for name, value in os.environ.items() if name != "CI"},
            "CLOUDFLARE_API_BASE_URL": self.base_url,
            "CLOUDFLARE_API_TOKEN": TOKEN,
            **more,
        }
        command = [
            sys.executable,
            str(ROOT / "berth"),
            "deploy",
            "--settings",
            str(self.settings),
            *arguments,
        ]
        return subprocess.run(
            command, cwd=ROOT, env=env, check=False, text=True, capture_output=True, stdin=subprocess.DEVNULL
        )

    def deployed(self, *arguments: str, **more: str) -> str:
        done = self.deploy("--yes", "--skip-look", *arguments, **more)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module", autouse=True)
def page() -> None:
    build_page()


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    settings = tmp_path / "deployment.toml"
    settings.write_text(SETTINGS)
    state = CloudflareState()
    with served(state) as base_url:
        yield Operator(state, base_url, settings)


@pytest.mark.timeout(600)
def test_from_an_empty_account_to_an_upgrade_and_back(operator: Operator) -> None:
    said = operator.deployed(BERTH_OPENAI_KEY="a-key-of-the-operator")
    state, worker = operator.state, operator.state.workers["berth-test"]
    assert state.buckets == {"berth-test"}
    assert state.images == [IMAGE]
    assert len(state.applications) == 1
    assert worker.domains == ["bot.example.com"]
    assert worker.migration == migrations_of(read_wrangler(ROOT))[-1]
    assert set(worker.secrets) == {secret.name for secret in MADE} | {"BERTH_OPENAI_KEY"}
    assert {"entry.py", "noble.mjs"} <= set(worker.modules)
    assert "/index.html" in state.assets
    texts = {one["name"]: one["text"] for one in worker.metadata["bindings"] if one["type"] == "plain_text"}
    assert texts["BERTH_SIGN_IN"] == "passkey"
    assert texts["BERTH_HOSTS"] == "bot.example.com"
    # What a person has to type is shown, once; what nobody needs to know is not.
    told = {name for name, value in worker.secrets.items() if value in said}
    assert told == {"BERTH_SETUP_CODE"}

    secrets = dict(worker.secrets)
    said = operator.deployed("--keep-image")
    assert worker.secrets == secrets
    assert not any(value in said for value in secrets.values())
    assert len(worker.versions) == 2

    operator.deployed("rollback")
    assert worker.deployments[-1]["versions"][0]["version_id"] == worker.versions[0]["id"]
    listed = operator.deploy("versions").stdout.splitlines()
    assert [line[0] for line in listed] == [" ", "*"]
    assert not list(ROOT.glob("wrangler.berth-test*.json"))


@pytest.mark.timeout(600)
def test_a_preview_stands_beside_the_real_one_and_goes_alone(operator: Operator) -> None:
    operator.deployed()
    real = operator.state.workers["berth-test"]
    operator.deployed("--preview", "new")
    preview = operator.state.workers["berth-test-new"]
    assert preview.workers_dev
    assert preview.domains == []
    assert not set(preview.secrets.values()) & set(real.secrets.values())
    assert operator.state.buckets == {"berth-test", "berth-test-new"}
    operator.deployed("remove", "--preview", "new")
    assert set(operator.state.workers) == {"berth-test"}


@pytest.mark.timeout(600)
def test_a_dry_run_changes_nothing(operator: Operator) -> None:
    done = operator.deploy("--dry-run")
    assert done.returncode == 0, done.stderr
    assert "create the Worker berth-test" in done.stdout
    assert not [one for one in operator.state.asked if not one.startswith("GET ")]


def test_without_a_yes_nothing_is_done(operator: Operator) -> None:
    done = operator.deploy()
    assert done.returncode == 1
    assert "there is nobody to ask" in done.stderr
    assert not operator.state.workers


@pytest.mark.timeout(600)
def test_an_upload_that_breaks_off_can_be_done_again(operator: Operator) -> None:
    """The bucket is there by then, the Worker is not; no secret was shown or lost."""
    operator.state.failing["/scripts/berth-test"] = 500
    done = operator.deploy("--yes", "--skip-look")
    assert done.returncode == 1
    assert done.stderr.startswith("berth: wrangler did not succeed")
    assert "BERTH_SETUP_CODE lets" not in done.stdout
    operator.state.failing.clear()
    said = operator.deployed()
    assert "create the bucket" not in said
    assert operator.state.workers["berth-test"].secrets["BERTH_SETUP_CODE"] in said


@pytest.mark.timeout(600)
def test_a_pipeline_is_shown_no_code(operator: Operator) -> None:
    done = operator.deploy("--yes", "--skip-look", CI="true")
    assert (done.returncode, "give the first deployment BERTH_SETUP_CODE" in done.stderr) == (1, True)
    assert not operator.state.workers
    said = operator.deployed(CI="true", BERTH_SETUP_CODE="a-code-of-the-operator")
    assert operator.state.workers["berth-test"].secrets["BERTH_SETUP_CODE"] == "a-code-of-the-operator"
    assert "a-code-of-the-operator" not in said


def test_only_a_preview_is_removed(operator: Operator) -> None:
    done = operator.deploy("remove", "--yes")
    assert (done.returncode, "only a preview" in done.stderr) == (1, True)


def typed_to_wrangler() -> list[str]:
    """What the walk has a person type."""
    found = re.findall(r"npx wrangler ([a-z][^`\n#]+)", (ROOT / "docs/deploy.md").read_text())
    return sorted({line.strip() for line in found})


@pytest.mark.parametrize("line", typed_to_wrangler())
def test_what_the_walk_has_typed_to_wrangler_is_a_command_of_it(line: str) -> None:
    """An unknown word has it print the help of the words before, as a good end."""
    words = [word for word in line.split(" --", maxsplit=1)[0].split() if word.islower()]
    command = node_command(publish.WRANGLER, *words, "--help")
    done = subprocess.run(command, cwd=ROOT, env=environment(), check=False, text=True, capture_output=True)
    said = done.stdout + done.stderr
    found = re.search(r"^wrangler ([a-z0-9 -]+?)( [<\[].*)?$", said, re.MULTILINE)
    assert found, said
    usage, takes_a_name = found[1].split(), bool(found[2])
    assert words == usage or (takes_a_name and words[:-1] == usage)
    for option in re.findall(r"--[a-z-]+", line):
        assert option in said


@pytest.mark.timeout(600)
def test_a_worker_that_arrives_before_wrangler_fails_has_its_code_told(operator: Operator) -> None:
    """No later deployment makes it again: it is there already, where nobody can read it."""
    operator.state.failing["/domains/records"] = 500
    done = operator.deploy("--yes", "--skip-look")
    assert done.returncode == 1
    assert done.stderr.startswith("berth: wrangler did not succeed")
    code = operator.state.workers["berth-test"].secrets["BERTH_SETUP_CODE"]
    assert code in done.stdout
    operator.state.failing.clear()
    said = operator.deployed()
    assert operator.state.workers["berth-test"].secrets["BERTH_SETUP_CODE"] == code
    assert code not in said
    assert operator.state.workers["berth-test"].domains == ["bot.example.com"]


@pytest.mark.timeout(600)
def test_what_was_deployed_from_elsewhere_since_the_plan_is_not_overwritten(operator: Operator) -> None:
    """Its secrets would be replaced by newly made ones, and nobody would be told."""
    others = WorkerState(migration="v2", secrets={secret.name: "theirs" for secret in MADE})
    operator.state.appears["/zones"] = ("berth-test", others)
    done = operator.deploy("--yes", "--skip-look")
    assert (done.returncode, "was changed at Cloudflare since" in done.stderr) == (1, True)
    assert set(others.secrets.values()) == {"theirs"}
    assert others.versions == []


def test_a_worker_of_somebody_else_with_that_name_is_left_alone(operator: Operator) -> None:
    operator.state.workers["berth-test"] = WorkerState()
    done = operator.deploy("--yes")
    assert (done.returncode, "that is not Berth" in done.stderr) == (1, True)
    assert not [one for one in operator.state.asked if not one.startswith("GET ")]
