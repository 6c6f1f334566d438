"""No spelling of what is closed reaches the outside, through the Worker's own URL parser and the real rules.

`BERTH_SPELLINGS` says how many are tried; a hundred thousand take some minutes.
"""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.integration.egress.outside import Outside
from tests.integration.egress.spellings import Asked, spellings
from tests.integration.small_worker import small_worker

WORKER = Path(__file__).parent / "worker"
COUNT = int(os.environ.get("BERTH_SPELLINGS", "3000"))
BATCH = 1_000
CONTROL: Asked = ("GET", "https://api.kraken.com/0/public/Time", None)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory, outside: Outside) -> Iterator[str]:
    """The address of a Worker that holds the egress entrypoint and little else."""
    folder = tmp_path_factory.mktemp("spellings")
    with small_worker(WORKER, folder, ("egress", "contracts", "telemetry"), outside=outside.address) as url:
        yield url


@pytest.mark.timeout(900)
def test_no_spelling_of_what_is_closed_is_reached(judge: str, outside: Outside) -> None:
    before = len(outside.seen)
    outcomes: Counter[str] = Counter()
    asked = list(spellings(seed=5, count=COUNT))
    for start in range(0, len(asked), BATCH):
        batch = [*asked[start : start + BATCH], CONTROL]
        outcomes += Counter(httpx.post(judge, json=batch, timeout=300).json())
    reached = outside.seen[before:]
    assert {seen.url for seen in reached} == {CONTROL[1]}, outcomes
    # The one request a batch that is allowed did reach it: the others were kept back, not lost.
    assert len(reached) == outcomes["200"] == -(-COUNT // BATCH)
    assert sum(outcomes.values()) == COUNT + outcomes["200"]
    assert all(name == "no URL" or name.startswith("denied") for name in outcomes if name != "200"), outcomes
    assert outcomes["denied; rule=venue"] > COUNT / 20
    assert outcomes["denied; rule=address"] > COUNT / 20
    assert outcomes["denied; rule=berth"] > COUNT / 200


def test_what_breaks_lets_nothing_out_and_tells_nothing(judge: str, outside: Outside) -> None:
    before = len(outside.seen)
    denied = ("GET", "https://no.invalid/", None)
    found = httpx.post(f"{judge}/broken", json=[CONTROL, denied], timeout=60).json()
    assert found == {"refused; code=computer_circuit_open": 2}
    assert outside.seen[before:] == []


def test_a_transfer_that_nobody_watches_is_cut(judge: str, outside: Outside) -> None:
    trickle = ("GET", f"{CONTROL[1]}?answer=trickle%20endless", None)
    (found,) = httpx.post(f"{judge}/hanging", json=[trickle], timeout=60).json()
    # The runtime ends what has no length as if it were whole.
    assert found in {"cut", "200"}
    assert outside.sent["api.kraken.com"] < 10
