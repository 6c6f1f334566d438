"""Which exchange a deployment speaks to: one address for each network, and no way around that.

Only a testnet's may be named otherwise, and only as a server on this very machine: what is signed for the
testnet is worth nothing on the mainnet, whatever it is sent to.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

from durable_objects.bot_owner.venue.signing import Network

ADDRESSES: Mapping[Network, str] = {
    "mainnet": "https://api.hyperliquid.xyz",
    "testnet": "https://api.hyperliquid-testnet.xyz",
}
LOOPBACK = frozenset({"127.0.0.1", "localhost"})


def network_of(text: str) -> Network:
    """Of `BERTH_NETWORK`. Raises ValueError: a misspelt name is no network."""
    if text == "mainnet":
        return "mainnet"
    if text == "testnet":
        return "testnet"
    raise ValueError(f"BERTH_NETWORK is neither mainnet nor testnet: {text[:40]!r}")


def exchange_address(network: Network, told: str) -> str:
    """The base of every request; `told` is `BERTH_VENUE_URL`. Raises ValueError for what it may not be."""
    if not told:
        return ADDRESSES[network]
    if network != "testnet":
        raise ValueError("BERTH_VENUE_URL is for a stand-in of the testnet only")
    parts = urlsplit(told)
    if parts.scheme != "http" or parts.hostname not in LOOPBACK or "@" in parts.netloc:
        raise ValueError("BERTH_VENUE_URL is http:// to this machine, and nothing else")
    if parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise ValueError("BERTH_VENUE_URL has no path")
    return f"http://{parts.hostname}:{parts.port or 80}"
