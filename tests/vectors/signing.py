"""The published signing vectors, checked against any curve: by Node on CPython, and inside workerd."""

import json
from typing import Any

from durable_objects.bot_owner.venue.msgpack import packed
from durable_objects.bot_owner.venue.signing import (
    Curve,
    Network,
    action_hash,
    agent_digest,
    sign_digest,
    typed_digest,
)


def failures(curve: Curve, text: str) -> list[str]:
    """The names of the vectors of `hyperliquid.json` that do not come out as published."""
    vectors = json.loads(text)
    checks = (("l1", _l1), ("action_hash", _action_hash), ("user_signed", _user_signed))
    wrong = [v["name"] for kind, right in checks for v in vectors[kind] if not right(curve, v)]
    return wrong + [
        f"keccak {case['hex'][:16]}"
        for case in vectors["keccak256"]["cases"]
        if curve.keccak(bytes.fromhex(case["hex"])).hex() != case["keccak256"]
    ]


def _network(vector: dict[str, Any]) -> Network:
    return "mainnet" if vector["is_mainnet"] else "testnet"


def _connection(curve: Curve, vector: dict[str, Any]) -> bytes:
    sending = {"nonce": vector["nonce"], "expires_ms": vector["expires_after"]}
    return action_hash(curve, vector["action"], vault=vector["vault_address"], **sending)


def _action_hash(curve: Curve, vector: dict[str, Any]) -> bool:
    found = f"0x{_connection(curve, vector).hex()}"
    packed_hex: str = vector["intermediate"]["msgpack_hex"]
    return bool(found == vector["expected"]["connection_id"]) and packed(vector["action"]).hex() == packed_hex


def _l1(curve: Curve, vector: dict[str, Any]) -> bool:
    between = vector["intermediate"]
    connection = _connection(curve, vector)
    digest = agent_digest(curve, _network(vector), connection)
    return (
        packed(vector["action"]).hex() == between["msgpack_hex"]
        and f"0x{connection.hex()}" == between["connection_id"]
        and int(digest.hex(), 16) == int(between["digest"], 16)
        and _signs(curve, digest, vector)
    )


def _user_signed(curve: Curve, vector: dict[str, Any]) -> bool:
    fields = [(field["name"], field["type"]) for field in vector["types"]]
    digest = typed_digest(curve, vector["primary_type"], fields, vector["message"], vector["chain_id"])
    wanted = int(vector["intermediate"]["digest"], 16)
    return int(digest.hex(), 16) == wanted and _signs(curve, digest, vector)


def _signs(curve: Curve, digest: bytes, vector: dict[str, Any]) -> bool:
    key = bytes.fromhex(vector["private_key"][2:])
    made, expected = sign_digest(curve, digest, key, vector["signer"]), vector["expected"]
    wanted = (int(expected["r"], 16), int(expected["s"], 16), expected["v"])
    return (made.r, made.s, made.v) == wanted and curve.address(key).hex() == vector["signer"][2:]
