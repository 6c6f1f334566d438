from typing import Any

import pytest

from contracts.tools import TOOLS
from durable_objects.bot_owner.models.manual import read_lines

ORDER = {"side": "buy", "size": "0.01", "symbol": "BTC", "price": "60010"}


@pytest.mark.parametrize(
    ("text", "tool", "arguments"),
    [
        ("/markets", "hl__get_markets", {"symbols": []}),
        ("/markets BTC ETH", "hl__get_markets", {"symbols": ["BTC", "ETH"]}),
        ("/account ", "hl__get_account", {}),
        ("/candles BTC", "hl__get_candles", {"symbol": "BTC"}),
        ("/candles BTC 5m", "hl__get_candles", {"symbol": "BTC", "interval": "5m"}),
        (f"/order 0x{'0' * 32}", "hl__get_order", {"order_id": "0x" + "0" * 32}),
        ("/orders\nbuy 0.01 BTC 60010\n\n", "hl__place_orders", {"orders": [ORDER]}),
        (
            "/orders\nbuy 0.01 BTC 60010 ioc\nbuy 0.01 BTC 60010 reduce Alo",
            "hl__place_orders",
            {"orders": [ORDER | {"tif": "Ioc"}, ORDER | {"tif": "Alo", "reduce_only": True}]},
        ),
        (f"/cancel 0x{'0' * 32}", "hl__cancel_orders", {"order_ids": ["0x" + "0" * 32]}),
    ],
)
def test_a_line_is_a_call(text: str, tool: str, arguments: dict[str, Any]) -> None:
    calls = read_lines(text)
    assert calls
    assert [(one.tool, one.arguments) for one in calls] == [(tool, arguments)]
    TOOLS[tool].arguments.model_validate(arguments)
