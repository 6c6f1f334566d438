"""`./berth bench exec` on a real Berth: every metric at every place, as lines of JSON."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

from local.bundle import ROOT

SECONDS = 270
COMMANDS = (
    "true_p50", "true_p95", "echo_p50", "echo_p95",
    "first_byte", "output_10mb", "four_sleeps", "true_per_second",
)  # fmt: skip
LAST = ["computer.used_memory_pss", "whole.cold_start", "worker.python_heap"]


async def berth_bench(folder: Path, *arguments: str, name: str = "exec") -> Process:
    command = [sys.executable, str(ROOT / "berth"), "bench", name, *arguments]
    env = {**os.environ, "TMPDIR": str(folder)}
    return await asyncio.create_subprocess_exec(*command, stdout=PIPE, env=env)


async def output(folder: Path, *arguments: str, name: str = "exec") -> str:
    process = await berth_bench(folder, *arguments, name=name)
    async with asyncio.timeout(SECONDS):
        out, _ = await process.communicate()
    assert process.returncode == 0
    assert list(folder.iterdir()) == []
    return out.decode()


async def test_every_metric_is_measured_at_every_place(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (await output(tmp_path, "--runs", "1")).splitlines()]
    wanted = [f"{place}.{name}" for name in COMMANDS for place in ("computerd", "whole")]
    assert [row["metric"] for row in rows] == ["computer.idle_memory_pss", *wanted, *LAST]
    assert all(row["value"] > 0 for row in rows)
    assert all(row["floor"] > 0 for row in rows[:-1])
    assert {row["metric"] for row in rows if "peer" not in row} == {LAST[0], LAST[-1]}


async def test_files_are_measured_with_their_floors(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (await output(tmp_path, "--runs", "1", name="files")).splitlines()]
    timed = [f"computerd.{name}" for name in ("write_1mib", "read_1mib", "edit_1mib", "list_10000")]
    timed += ["whole.upload_24mb", "whole.export_24mb"]
    assert [row["metric"] for row in rows[:6]] == timed
    assert all(row["value"] > 0 and row["floor"] > 0 and row["bench"] == "files" for row in rows[:6])
    heap, processes = rows[6::2], rows[7::2]
    assert [row["metric"] for row in heap] == [
        f"worker.{name}_24mb_heap_growth" for name in ("upload", "export")
    ]
    assert [row["metric"] for row in processes] == [
        f"worker.{name}_24mb_growth" for name in ("upload", "export")
    ]
    # No byte of the files is ever in Python's memory.
    assert [row["value"] for row in heap] == [0.0, 0.0]


async def test_the_life_of_a_computer_is_measured_with_its_floors(tmp_path: Path) -> None:
    text = await output(tmp_path, "--runs", "1", name="lifecycle")
    rows = [json.loads(line) for line in text.splitlines()]
    assert [row["metric"] for row in rows] == [
        f"whole.{name}"
        for name in (
            "cold_start", "wake_snapshot", "wake_backup",
            "save_first", "wake_snapshot_tree", "save_1_percent", "restore",
        )
    ]  # fmt: skip
    assert all(row["value"] > 0 and row["floor"] > 0 and row["bench"] == "lifecycle" for row in rows)


async def test_runs_are_measured_with_their_floors(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (await output(tmp_path, "--runs", "1", name="runs")).splitlines()]
    timed = ("events_per_second_50_clients", "journal_step", "provider_to_client_p50",
             "provider_to_client_p95", "thread_open_10_messages")  # fmt: skip
    assert [row["metric"] for row in rows] == [
        *(f"whole.{name}" for name in timed), "worker.python_heap_after", "worker.python_heap_heavy",
    ]  # fmt: skip
    assert all(row["value"] > 0 and row["floor"] > 0 and row["bench"] == "runs" for row in rows)
    # The largest file in one call, 10 MB of output and a model that stalls; an isolate has 128 MB.
    assert rows[-1]["value"] < 96


async def test_profile_shows_the_stages_of_the_whole_path(tmp_path: Path) -> None:
    text = await output(tmp_path, "--runs", "3", "--profile")
    stages = [line.partition("  ")[0] for line in text.split("\n\n")[0].splitlines()[1:]]
    assert {"POST accepted", "tool.started", "tool.finished", "run.status done"} <= set(stages)
    assert stages.index("tool.started") < stages.index("tool.finished") < stages.index("run.status done")


async def test_bench_that_is_ended_leaves_nothing(tmp_path: Path) -> None:
    process = await berth_bench(tmp_path, "--runs", "1000")
    async with asyncio.timeout(SECONDS):
        while not any(tmp_path.glob("berth-bench-*/logs/floor.log")):
            assert process.returncode is None
            await asyncio.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        await process.communicate()
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []
