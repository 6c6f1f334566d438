import json
from pathlib import Path
from typing import Any, Literal

import pytest

from durable_objects.bot_owner.venue.protocol import Reply, Unsure
from durable_objects.bot_owner.venue.replies import read

SHAPES = {
    one["case"]: one
    for one in json.loads(
        (Path(__file__).resolve().parents[4] / "vectors/hyperliquid_responses.json").read_text()
    )["exchange"]
}
# What each recorded answer means, line by line; None where it does not tell.
MEANS: dict[str, list[str] | None] = {
    "resting": ["resting"],
    "resting_with_cloid": ["resting"],
    "filled_partial_ioc": ["filled"],
    "order_error_inside_ok": ["rejected"],
    "mixed_batch": ["resting", "rejected"],
    "bracket_bare_strings": ["filled", "resting", "resting"],
    "one_error_for_whole_batch": ["rejected"] * 3,
    "cancel_ok_and_missing": ["cancelled", "rejected"],
    "default_ok": None,
    "err_wrong_signer": ["rejected"] * 2,
    "err_not_funded": ["rejected"] * 2,
    "err_vault": ["rejected"] * 2,
    "err_dup_nonce": None,
    "err_low_nonce": ["rejected"] * 2,
    "err_rate_address": ["rejected"] * 2,
    "err_weight_over_200": ["rejected"] * 2,
    "err_schedule_cancel_gate": ["rejected"] * 2,
    "http_422": ["rejected"] * 2,
    "http_429_null": ["rejected"] * 2,
    "http_502": None,
}


CANCELS = {"cancel_ok_and_missing"}


def reply(shape: dict[str, Any]) -> Reply:
    return Reply(shape["http"], shape["text"] if "text" in shape else json.dumps(shape["body"]))


@pytest.mark.parametrize("name", SHAPES)
def test_every_recorded_answer_is_understood(name: str) -> None:
    means = MEANS[name]
    if means is None:
        with pytest.raises(Unsure):
            read(reply(SHAPES[name]), 2, "place")
        return
    kind: Literal["place", "cancel"] = "cancel" if name in CANCELS else "place"
    assert [one.state for one in read(reply(SHAPES[name]), len(means), kind)] == means


def test_a_partial_fill_says_its_size() -> None:
    (line,) = read(reply(SHAPES["filled_partial_ioc"]), 1, "place")
    assert (line.filled, line.average) == ("136.0", "0.2876")


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{", '{"status":"ok"}', '{"status":"err"}',
     '{"status":"ok","response":{"data":{"statuses":[]}}}',
     '{"status":"ok","response":{"data":{"statuses":["success"]}}}', "[" * 200, '{"status":"fine"}'],
)  # fmt: skip
def test_an_unknown_shape_tells_nothing(text: str) -> None:
    with pytest.raises(Unsure):
        read(Reply(200, text), 2, "place")


def filled(size: Any, price: Any) -> dict[str, Any]:
    return {"filled": {"totalSz": size, "avgPx": price, "oid": 1}}


@pytest.mark.parametrize(
    "status",
    [filled(1, "1"), filled("NaN", "1"), filled("1e3", "1"), filled("-1", "1"), filled("1", "Infinity"),
     filled("0", "1"), filled("1" * 40, "1"), filled("1", None), {"filled": {}}, "later", None,
     {"resting": {}}, {"resting": {"oid": "1"}}, {"error": 5}, "success", 0, [], "filled"],
)  # fmt: skip
def test_one_unknown_line_leaves_the_others_known(status: Any) -> None:
    body = {"status": "ok", "response": {"data": {"statuses": [status, filled("1", "2")]}}}
    assert [one.state for one in read(Reply(200, json.dumps(body)), 2, "place")] == ["unknown", "filled"]


@pytest.mark.parametrize("status", [filled("1", "2"), {"resting": {"oid": 1}}, "waitingForFill", "canceled"])
def test_what_is_no_answer_to_a_cancel_tells_nothing_of_one(status: Any) -> None:
    body = {"status": "ok", "response": {"data": {"statuses": [status, "success"]}}}
    assert [one.state for one in read(Reply(200, json.dumps(body)), 2, "cancel")] == ["unknown", "cancelled"]


@pytest.mark.parametrize("status", [408, 500, 503, 302])
def test_a_broken_way_tells_nothing(status: int) -> None:
    with pytest.raises(Unsure):
        read(Reply(status, '{"status":"err","response":"x"}'), 1, "place")
