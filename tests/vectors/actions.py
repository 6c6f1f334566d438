"""Actions drawn at random, the same ones each time, for comparing with the venue's own SDK.

`python tests/vectors/actions.py` prints what the SDK signs them to, a line an action: that is
`sdk_signatures.txt`.
"""

import random
import sys
from collections.abc import Iterator
from typing import Any, Literal

COUNT = 1_000
KEY = "0x" + "4c" * 32


def drawn() -> Iterator[tuple[dict[str, Any], int, int | None, Literal["mainnet", "testnet"]]]:
    """(action, nonce, expiry, network) of each."""
    chance = random.Random(20260717)  # noqa: S311 - the same numbers are wanted
    for _ in range(COUNT):
        nonce = chance.randrange(2**41)
        expires = nonce + chance.randrange(100_000) if chance.random() < 0.5 else None
        yield _action(chance), nonce, expires, ("mainnet" if chance.random() < 0.5 else "testnet")


def _action(chance: random.Random) -> dict[str, Any]:
    match chance.randrange(8):
        case 0:
            rows = [{"a": _asset(chance), "o": chance.randrange(2**40)} for _ in range(chance.randint(1, 20))]
            return {"type": "cancel", "cancels": rows}
        case 1:
            named = [{"asset": _asset(chance), "cloid": _cloid(chance)} for _ in range(chance.randint(1, 20))]
            return {"type": "cancelByCloid", "cancels": named}
        case 2:
            return {"type": "noop"}
        case _:
            orders = [_order(chance) for _ in range(chance.choice((1, 1, 2, 3, 15, 16, 40)))]
            return {"type": "order", "orders": orders, "grouping": "na"}


def _order(chance: random.Random) -> dict[str, Any]:
    return {
        "a": _asset(chance),
        "b": chance.random() < 0.5,
        "p": _number(chance),
        "s": _number(chance),
        "r": chance.random() < 0.3,
        "t": {"limit": {"tif": chance.choice(("Gtc", "Ioc", "Alo"))}},
        "c": _cloid(chance),
    }


def _asset(chance: random.Random) -> int:
    return chance.choice(
        (chance.randrange(200), 10_000 + chance.randrange(400), 110_000 + chance.randrange(99))
    )


def _cloid(chance: random.Random) -> str:
    return f"0x{chance.getrandbits(128):032x}"


def _number(chance: random.Random) -> str:
    whole, digits = chance.randrange(10 ** chance.randint(1, 6)), chance.randint(0, 8)
    part = f"{chance.randrange(10**digits):0{digits}d}".rstrip("0") if digits else ""
    return f"{whole}.{part}" if part else str(whole + 1)


def main() -> None:
    from eth_account import Account  # noqa: PLC0415
    from hyperliquid.utils.signing import sign_l1_action  # noqa: PLC0415

    wallet = Account.from_key(KEY)
    for action, nonce, expires, network in drawn():
        made = sign_l1_action(wallet, action, None, nonce, expires, network == "mainnet")
        sys.stdout.write(f"{int(made['r'], 16):064x}{int(made['s'], 16):064x}{made['v']:x}\n")


if __name__ == "__main__":
    main()
