import json
from pathlib import Path
from typing import Any

import pytest

from durable_objects.bot_owner.venue.msgpack import packed
from durable_objects.bot_owner.venue.signing import (
    ORDERS_MAX,
    Agent,
    Curve,
    SigningError,
    sign_action,
    sign_digest,
)
from tests.vectors.actions import COUNT, KEY, drawn
from tests.vectors.signing import failures

VECTORS = Path(__file__).resolve().parents[4] / "vectors"
SECRET = bytes.fromhex(KEY[2:])
CLOID = "0x" + "ab" * 16


def agent(curve: Curve, **fields: Any) -> Agent:
    return Agent(
        **{"key": SECRET, "address": f"0x{curve.address(SECRET).hex()}", "network": "testnet", **fields}
    )


def order(**fields: Any) -> dict[str, Any]:
    row = {
        "a": 4,
        "b": True,
        "p": "1670.1",
        "s": "0.0147",
        "r": False,
        "t": {"limit": {"tif": "Ioc"}},
        "c": CLOID,
    }
    return {"type": "order", "orders": [row | fields], "grouping": "na"}


def sign(curve: Curve, action: dict[str, Any], by: Agent | None = None, **fields: Any) -> Any:
    sending = {
        "network": "testnet",
        "nonce": 1_700_000_000_000,
        "expires_ms": None,
        "now_ms": 1_000,
        **fields,
    }
    return sign_action(curve, by or agent(curve), action, **sending)


def test_every_published_vector_comes_out_on_cpython(curve: Curve) -> None:
    text = (VECTORS / "hyperliquid.json").read_text()
    assert failures(curve, text) == []
    # And the check can fail: one digit of one vector.
    assert failures(curve, text.replace("0x053749d5", "0x053749d6", 1)) == ["py_dummy_mainnet"]


def test_a_thousand_random_actions_agree_with_the_venues_sdk(curve: Curve) -> None:
    recorded = (VECTORS / "sdk_signatures.txt").read_text().split()
    made = [
        sign(curve, action, agent(curve, network=network), network=network, nonce=nonce, expires_ms=expires)
        for action, nonce, expires, network in drawn()
    ]
    assert len(recorded) == COUNT
    assert [f"{one.r:064x}{one.s:064x}{one.v:x}" for one in made] == recorded


@pytest.mark.parametrize(
    ("action", "why"),
    [
        ({"type": "usdSend", "amount": "1"}, "'usdSend' are not signed"),
        ({"type": "withdraw3"}, "are not signed"),
        ({"type": "updateLeverage", "asset": 1, "isCross": True, "leverage": 3}, "are not signed"),
        ({"type": ["order"]}, "are not signed"),
        ({}, "'None' are not signed"),
        (order(s="0"), "0 is not over zero"),
        (order(s="0.0"), "not over zero"),
        (order(s="-1"), "not a plain decimal"),
        (order(s="1e-5"), "not a plain decimal"),
        (order(s="1.0"), "is written as 1"),
        (order(s=1), "not a decimal string"),
        (order(p="0"), "not over zero"),
        (order(a=None), "asset is not known"),
        (order(a=True), "asset is not known"),
        (order(a=-1), "asset is not known"),
        (order(b="true"), "true or false"),
        (order(t={"trigger": {"isMarket": True}}), "only limit orders"),
        (order(t={"limit": {"tif": "Fok"}}), "time in force"),
        (order(f=1), "has not the keys"),
        ({**order(), "grouping": "positionTpsl"}, "stand alone"),
        ({**order(), "builder": {"b": "0x", "f": 1}}, "has not the keys"),
        ({"type": "order", "orders": [], "grouping": "na"}, "1 to 200"),
        ({"type": "cancel", "cancels": [{"o": 1, "a": 2}]}, "in this order"),
        ({"type": "cancelByCloid", "cancels": [{"a": 1, "o": 2}]}, "has not the keys"),
    ],
)
def test_what_is_not_allowed_is_not_signed(curve: Curve, action: dict[str, Any], why: str) -> None:
    with pytest.raises(SigningError, match=why):
        sign(curve, action)


def test_a_batch_has_as_many_orders_as_the_venue_takes(curve: Curve) -> None:
    (row,) = order()["orders"]
    assert sign(curve, {"type": "order", "orders": [row] * ORDERS_MAX, "grouping": "na"}).v in {27, 28}
    with pytest.raises(SigningError, match="1 to 200"):
        sign(curve, {"type": "order", "orders": [row] * (ORDERS_MAX + 1), "grouping": "na"})


def test_an_agent_signs_for_its_own_network_and_until_it_expires(curve: Curve) -> None:
    with pytest.raises(SigningError, match="for testnet, not for mainnet"):
        sign(curve, order(), network="mainnet")
    by = agent(curve, until_ms=2_000)
    assert sign(curve, order(), by, now_ms=1_999).v in {27, 28}
    with pytest.raises(SigningError, match="expired"):
        sign(curve, order(), by, now_ms=2_000)


def test_a_signature_of_anybody_else_is_refused(curve: Curve) -> None:
    with pytest.raises(SigningError, match="not the agent's"):
        sign(curve, order(), agent(curve, address="0x" + "12" * 20))
    with pytest.raises(SigningError, match="not the agent's"):
        sign_digest(curve, b"\x01" * 32, SECRET, "0x")


def test_an_agent_shows_no_key(curve: Curve) -> None:
    assert SECRET.hex() not in f"{agent(curve)!r} {agent(curve)}"
    assert str(SECRET) not in repr(agent(curve))


@pytest.mark.parametrize("value", [1.5, b"x", 2**64, -(2**63) - 1, {"a": [float("nan")]}])
def test_what_has_no_single_form_is_not_packed(value: Any) -> None:
    with pytest.raises(ValueError, match=r"holds no|too large"):
        packed(value)


@pytest.mark.parametrize(
    ("value", "packed_hex"),
    [
        (127, "7f"), (128, "cc80"), (255, "ccff"), (256, "cd0100"), (2**16, "ce00010000"),
        (2**32, "cf0000000100000000"),
        (-32, "e0"), (-33, "d0df"), (-129, "d1ff7f"), (-(2**15) - 1, "d2ffff7fff"),
        (-(2**31) - 1, "d3ffffffff7fffffff"),
        ("a" * 31, "bf" + "61" * 31), ("a" * 32, "d920" + "61" * 32), ("a" * 256, "da0100" + "61" * 256),
        ([0] * 15, "9f" + "00" * 15), ([0] * 16, "dc0010" + "00" * 16), (None, "c0"),
    ],
)  # fmt: skip
def test_the_shortest_form_is_taken(value: Any, packed_hex: str) -> None:
    assert packed(value).hex() == packed_hex


def test_nesting_is_bounded() -> None:
    value: Any = 1
    for _ in range(16):
        value = [value]
    assert packed(value) == b"\x91" * 16 + b"\x01"
    with pytest.raises(ValueError, match="too deep"):
        packed([value])


def test_the_vectors_hold_what_upstream_published() -> None:
    vectors = json.loads((VECTORS / "hyperliquid.json").read_text())
    assert (
        sum(one["published"] for kind in ("l1", "action_hash", "user_signed") for one in vectors[kind]) >= 30
    )
