"""`./berth demo --trade` as a person starts it and answers."""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from local.bundle import ROOT
from local.demo.errors import StoryError
from local.demo.trade import chosen, orders_for
from tests.integration.demo.test_demo import SECONDS

MARKETS = "\n".join(f"{name}: mid 100.5, price step 0.1, size decimals 2" for name in ("BTC", "ETH", "SOL"))


async def test_orders_are_proposed_asked_for_and_filled(tmp_path: Path) -> None:
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, str(ROOT / "berth"), "demo", "--trade"]
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=env)
    async with asyncio.timeout(SECONDS):
        out, err = await process.communicate(b"1 3\n")
    assert process.returncode == 0, err.decode()
    shown = out.decode() + err.decode()
    assert "This conversation used the computer: check each line." in shown
    assert "✓ 2 of 3 orders approved and filled" in shown
    assert [path.name for path in tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("answer", "lines"),
    [("all", [1, 2, 3]), ("none", []), ("", []), ("1 3", [1, 3]), ("3,1,1", [1, 3]), ("1 yes", []), ("4", []),
     ("yes", []), ("0", [])],
)  # fmt: skip
def test_what_is_no_answer_approves_nothing(answer: str, lines: list[int]) -> None:
    assert chosen(answer, 3) == lines


def test_orders_follow_the_analysis_and_fill_at_once() -> None:
    assert orders_for(MARKETS, "BTC: buy\nETH: sell\nSOL: buy") == [
        "buy 0.01 BTC 101.0 Ioc",
        "sell 0.2 ETH 100.0 Ioc",
        "buy 3 SOL 101.0 Ioc",
    ]
    with pytest.raises(StoryError):
        orders_for(MARKETS, "BTC: buy")
