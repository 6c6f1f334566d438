"""wrangler.toml as the local host understands it."""

import json
from pathlib import Path

import pytest

from local.bundle import ROOT
from local.worker_config import Assets, DurableObjectBinding, WorkerConfigError, read

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
    assert set(config.durable_objects) == {"BOT_OWNER", "BOT_COMPUTER", "PLATFORM"}
    assert json.loads(json.dumps(config.as_json()))["durable_objects"]["BOT_COMPUTER"]["image"]
