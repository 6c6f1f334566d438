"""`./berth bench web` measures what it says, on a real Berth in a real browser."""

import json
import subprocess
import sys
from pathlib import Path

from local.bundle import ROOT
from tests.browser.conftest import TEST_SECONDS

CARDS = 25
METRICS = [
    "first_load_js",
    *(f"{name}_{CARDS}_cards" for name in ("first_card", "input_p75", "input_p98", "js_heap")),
    "two_browsers_lag_p50",
    "two_browsers_lag_p95",
]


def test_page_is_measured_beside_its_floor(built: Path, tmp_path: Path) -> None:
    assert (built / "index.html").exists()
    command = [sys.executable, str(ROOT / "berth"), "bench", "web", "--runs", "1"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=TEST_SECONDS, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["metric"] for row in rows] == [f"web.{name}" for name in METRICS]
    measured = [row for row in rows if row["metric"].endswith("_cards")]
    assert all(row["value"] > 0 and row["floor"] > 0 for row in measured)
    # Two browsers are never at the same moment, and never so far apart that one waits for a poll.
    assert all(0 <= row["value"] < 15_000 for row in rows if "lag" in row["metric"])
    # The budget is the page's own test's; here it is that something was weighed, and in kilobytes.
    assert 50 < rows[0]["value"] < 200
