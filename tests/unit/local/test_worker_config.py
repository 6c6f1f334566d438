"""wrangler.toml as the local host understands it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from contracts.limits import SIGN_IN_ATTEMPTS_MAX, SIGN_IN_ATTEMPTS_SECONDS
from local.bundle import ROOT
from local.worker_config import Assets, DurableObjectBinding, WorkerConfigError, read
from local.worker_process import HostError, WorkerHost

SMALL = """
name = "small"
main = "build/worker/entry.py"
compatibility_date = "2026-07-01"
"""


def _write(folder: Path, text: str) -> Path:
    file = folder / "wrangler.toml"
    file.write_text(text)
    return file


def test_least_configuration_has_no_bindings(tmp_path: Path) -> None:
    config = read(_write(tmp_path, SMALL))
    assert config.entry == "entry"
    assert (config.name, config.durable_objects, config.r2_buckets, config.assets) == ("small", {}, (), None)


def test_object_with_a_container_gets_an_image_and_others_do_not(tmp_path: Path) -> None:
    config = read(
        _write(
            tmp_path,
            SMALL
            + """
[[durable_objects.bindings]]
name = "MACHINE"
class_name = "Machine"
[[durable_objects.bindings]]
name = "LEDGER"
class_name = "Ledger"
[[containers]]
class_name = "Machine"
""",
        )
    )
    assert config.durable_objects == {
        "MACHINE": DurableObjectBinding("Machine", "small-computer:local"),
        "LEDGER": DurableObjectBinding("Ledger"),
    }


def test_assets_are_found_beside_the_configuration(tmp_path: Path) -> None:
    text = f'{SMALL}\n[assets]\ndirectory = "page"\nbinding = "ASSETS"\nrun_worker_first = ["/api/*"]\n'
    assert read(_write(tmp_path, text)).assets == Assets(
        directory=str(tmp_path / "page"),
        binding="ASSETS",
        not_found_handling="none",
        worker_first=("/api/*",),
    )


def test_what_the_local_platform_lacks_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(WorkerConfigError, match=r"the local platform has no hyperdrive, queues"):
        read(_write(tmp_path, f"{SMALL}\n[queues]\n[hyperdrive]\n"))


def test_given_variables_win_over_declared_ones(tmp_path: Path) -> None:
    config = read(_write(tmp_path, f'{SMALL}\n[vars]\nA = "declared"\nB = "declared"\n'))
    assert config.with_vars({"B": "given"}).vars == {"A": "declared", "B": "given"}


def test_configuration_of_this_repository_is_read_and_can_be_written_for_the_host() -> None:
    config = read(ROOT / "wrangler.toml")
    assert set(config.durable_objects) == {"BOT_OWNER", "BOT_COMPUTER", "PLATFORM", "PERSON"}
    assert json.loads(json.dumps(config.as_json()))["durable_objects"]["BOT_COMPUTER"]["image"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "berth.example"])
def test_with_the_local_sign_in_no_other_machine_is_served(tmp_path: Path, host: str) -> None:
    config = replace(read(_write(tmp_path, SMALL)), host=host, state=str(tmp_path / "state"))
    assert config.is_closed_enough
    for ways in ("local", "passkey local"):
        open_house = config.with_vars({"BERTH_SIGN_IN": ways})
        with pytest.raises(HostError, match="no loopback address"):
            WorkerHost(open_house, root=ROOT, log=tmp_path / "log").start()
    assert not (tmp_path / "state").exists()
    assert replace(open_house, host="127.0.0.1").is_closed_enough


def test_the_counter_of_attempts_counts_as_the_limits_say() -> None:
    counters = read(ROOT / "wrangler.toml").ratelimits
    expected = {"limit": SIGN_IN_ATTEMPTS_MAX, "period": SIGN_IN_ATTEMPTS_SECONDS}
    assert {name: one["simple"] for name, one in counters.items()} == {"SIGN_IN_ATTEMPTS": expected}
