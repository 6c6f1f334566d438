"""`./berth bench egress` on a real Berth: every metric at the whole path and at a plain proxy."""

import json
from pathlib import Path

from tests.integration.bench.test_bench import output

METRICS = ("request_p50", "request_p95", "requests_per_second", "download", "downloads_4")


async def test_every_metric_is_measured(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (await output(tmp_path, "--runs", "4", name="egress")).splitlines()]
    assert [row["metric"] for row in rows] == [
        f"{place}.{name}" for place in ("proxy", "whole") for name in METRICS
    ]
    assert all(row["value"] > 0 and row["floor"] > 0 and row["bench"] == "egress" for row in rows)
