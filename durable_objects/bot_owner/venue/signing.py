"""Signing an action of the venue: what is hashed, which actions may be, and the proof of who signed.

An action is packed, hashed with its nonce, and that hash is signed as a typed message (EIP-712) in which
only the network's letter differs between the networks. The signer is recovered after each signature, so a key
that is not the address's signs nothing. The curve and the hash come in as a `Curve`.

`typed_digest` is what a master wallet signs; only tests use it, as no master key ever comes here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from durable_objects.bot_owner.venue.msgpack import packed
from durable_objects.bot_owner.venue.numbers import check_positive

Network = Literal["mainnet", "testnet"]
SOURCE: Mapping[str, str] = {"mainnet": "a", "testnet": "b"}
NOBODY = "0x" + "00" * 20
ORDERS_MAX = 200

# Of the domain "Exchange", version 1, chain 1337, nobody's contract: the same for every action and network.
EXCHANGE_DOMAIN = bytes.fromhex("d79297fcdf2ffcd4ae223d01edaa2ba214ff8f401d7c9300d995d17c82aa4040")
DOMAIN_TYPE = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
AGENT_TYPE = "Agent(string source,bytes32 connectionId)"


class Curve(Protocol):
    """secp256k1 and Keccak-256. Everything is bytes; a digest has 32, an address 20, a key 32."""

    def keccak(self, data: bytes) -> bytes: ...

    def address(self, key: bytes) -> bytes: ...

    def sign(self, digest: bytes, key: bytes) -> bytes:
        """65 bytes: recovery id, r, s. Deterministic, with the smaller s."""
        ...

    def recover(self, digest: bytes, signature: bytes) -> bytes: ...


class SigningError(Exception):
    """An action that is not signed. The message says why and holds nothing secret."""


@dataclass(frozen=True)
class Signature:
    r: int
    s: int
    v: int

    def wire(self) -> dict[str, Any]:
        return {"r": f"0x{self.r:064x}", "s": f"0x{self.s:064x}", "v": self.v}


@dataclass(frozen=True)
class Agent:
    """A key that may trade for an account. Its representation never shows the key."""

    key: bytes
    address: str
    network: Network
    until_ms: int | None = None

    def __repr__(self) -> str:
        return f"Agent({self.address}, {self.network})"


# Keys of each action in the order in which they are hashed.
SHAPES: Mapping[str, tuple[str, ...]] = {
    "order": ("type", "orders", "grouping"),
    "cancel": ("type", "cancels"),
    "cancelByCloid": ("type", "cancels"),
    "noop": ("type",),
}
ORDER_KEYS = ("a", "b", "p", "s", "r", "t", "c")
CANCEL_KEYS: Mapping[str, tuple[str, ...]] = {"cancel": ("a", "o"), "cancelByCloid": ("asset", "cloid")}
TIFS = frozenset({"Gtc", "Ioc", "Alo"})


def sign_action(
    curve: Curve,
    agent: Agent,
    action: Mapping[str, Any],
    *,
    network: Network,
    nonce: int,
    expires_ms: int | None,
    now_ms: int,
) -> Signature:
    """Sign one of the allowed actions for `network`. Raises SigningError; nothing is logged."""
    if agent.network != network:
        raise SigningError(f"the agent is for {agent.network}, not for {network}")
    if agent.until_ms is not None and now_ms >= agent.until_ms:
        raise SigningError("the agent has expired")
    check_action(action)
    digest = agent_digest(curve, network, action_hash(curve, action, nonce=nonce, expires_ms=expires_ms))
    return sign_digest(curve, digest, agent.key, agent.address)


def sign_digest(curve: Curve, digest: bytes, key: bytes, address: str) -> Signature:
    """Sign, and recover who did: anybody but `address` is an error."""
    made = curve.sign(digest, key)
    if f"0x{curve.recover(digest, made).hex()}" != address.lower():
        raise SigningError("the signature is not the agent's")
    return Signature(int.from_bytes(made[1:33], "big"), int.from_bytes(made[33:], "big"), 27 + made[0])


def check_action(action: Mapping[str, Any]) -> None:
    """Raise SigningError unless the action is one of the allowed ones, exactly in its shape."""
    kind = action.get("type")
    if not isinstance(kind, str) or kind not in SHAPES:
        raise SigningError(f"actions of the type {str(kind)[:40]!r} are not signed")
    _in_order(action, SHAPES[kind], kind)
    if kind == "order":
        if action["grouping"] != "na":
            raise SigningError("only orders that stand alone are signed")
        for order in _some(action["orders"]):
            _check_order(order)
    elif kind != "noop":
        for cancel in _some(action["cancels"]):
            _in_order(cancel, CANCEL_KEYS[kind], kind)


def _some(rows: Any) -> Sequence[Any]:
    if not isinstance(rows, list) or not 0 < len(rows) <= ORDERS_MAX:
        raise SigningError(f"an action has 1 to {ORDERS_MAX} orders")
    return rows


def _check_order(order: Any) -> None:
    _in_order(order, ORDER_KEYS, "order")
    if not isinstance(order["a"], int) or isinstance(order["a"], bool) or order["a"] < 0:
        raise SigningError("the order's asset is not known")
    if not (isinstance(order["b"], bool) and isinstance(order["r"], bool)):
        raise SigningError("the order's side and reduce-only are true or false")
    limit = order["t"].get("limit") if isinstance(order["t"], dict) else None
    if order["t"] != {"limit": limit} or not isinstance(limit, dict) or set(limit) != {"tif"}:
        raise SigningError("only limit orders are signed")
    if limit["tif"] not in TIFS:
        raise SigningError("the order's time in force is not known")
    for name in ("p", "s"):
        try:
            # A size of zero with reduce-only would close the whole position.
            check_positive(order[name])
        except ValueError as error:
            raise SigningError(f"the order's {name}: {error}") from error


def _in_order(row: Any, keys: tuple[str, ...], kind: str) -> None:
    if not isinstance(row, Mapping) or tuple(row) != keys:
        raise SigningError(f"the {kind} has not the keys {', '.join(keys)}, in this order")


def action_hash(
    curve: Curve,
    action: Mapping[str, Any],
    *,
    nonce: int,
    vault: str | None = None,
    expires_ms: int | None = None,
) -> bytes:
    """The 32 bytes that stand for an action and all that belongs to its sending."""
    data = packed(action) + nonce.to_bytes(8, "big")
    data += b"\x00" if vault is None else b"\x01" + _address(vault)[12:]
    if expires_ms is not None:
        data += b"\x00" + expires_ms.to_bytes(8, "big")
    return curve.keccak(data)


def agent_digest(curve: Curve, network: Network, connection_id: bytes) -> bytes:
    source = curve.keccak(SOURCE[network].encode())
    struct = curve.keccak(curve.keccak(AGENT_TYPE.encode()) + source + connection_id)
    return _typed(curve, EXCHANGE_DOMAIN, struct)


def domain(curve: Curve, name: str, chain_id: int) -> bytes:
    words = [curve.keccak(DOMAIN_TYPE.encode()), curve.keccak(name.encode()), curve.keccak(b"1")]
    return curve.keccak(b"".join([*words, chain_id.to_bytes(32, "big"), _address(NOBODY)]))


def typed_digest(
    curve: Curve,
    primary_type: str,
    fields: Sequence[tuple[str, str]],
    message: Mapping[str, Any],
    chain_id: int,
) -> bytes:
    """The digest of an action that a master wallet signs; `fields` are (name, type)."""
    declared = f"{primary_type}({','.join(f'{kind} {name}' for name, kind in fields)})"
    words = [_word(curve, kind, message[name]) for name, kind in fields]
    struct = curve.keccak(b"".join([curve.keccak(declared.encode()), *words]))
    return _typed(curve, domain(curve, "HyperliquidSignTransaction", chain_id), struct)


def _typed(curve: Curve, domain_separator: bytes, struct: bytes) -> bytes:
    return curve.keccak(b"\x19\x01" + domain_separator + struct)


def _word(curve: Curve, kind: str, value: Any) -> bytes:
    match kind:
        case "string":
            return curve.keccak(value.encode())
        case "address":
            return _address(value)
        case "bool" | "uint64" | "uint256":
            return int(value).to_bytes(32, "big")
        case "bytes32":
            return bytes.fromhex(value.removeprefix("0x")).rjust(32, b"\0")
        case _:
            raise ValueError(f"no typed message of ours has a {kind}")


def _address(text: str) -> bytes:
    address = bytes.fromhex(text.removeprefix("0x"))
    if len(address) != 20:
        raise ValueError(f"not an address: {text[:50]!r}")
    return address.rjust(32, b"\0")
