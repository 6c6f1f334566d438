"""Where a deployment trades: nothing that is configured leads the mainnet's orders anywhere else."""

import pytest

from durable_objects.bot_owner.venue.network import ADDRESSES, exchange_address, network_of


def test_each_network_has_its_own_address_over_tls() -> None:
    assert exchange_address("mainnet", "") == "https://api.hyperliquid.xyz"
    assert exchange_address("testnet", "") == "https://api.hyperliquid-testnet.xyz"
    assert all(one.startswith("https://") for one in ADDRESSES.values())


@pytest.mark.parametrize("text", ["", "Mainnet", "mainnet ", "main", "testnet,mainnet", "local"])
def test_a_misspelt_network_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="BERTH_NETWORK"):
        network_of(text)


@pytest.mark.parametrize("network", ["mainnet", "testnet"])
def test_networks_have_names(network: str) -> None:
    assert network_of(network) == network


def test_a_stand_in_of_the_testnet_is_on_this_machine() -> None:
    assert exchange_address("testnet", "http://127.0.0.1:8123") == "http://127.0.0.1:8123"
    assert exchange_address("testnet", "http://localhost:8123/") == "http://localhost:8123"


@pytest.mark.parametrize(
    "told",
    ["http://127.0.0.1:8123", "https://api.hyperliquid.xyz", "https://api.hyperliquid-testnet.xyz"],
)
def test_the_mainnet_cannot_be_redirected(told: str) -> None:
    with pytest.raises(ValueError, match="testnet only"):
        exchange_address("mainnet", told)


@pytest.mark.parametrize(
    "told",
    ["https://elsewhere.invalid", "http://elsewhere.invalid", "https://127.0.0.1:1", "http://127.0.0.1@x.invalid",
     "http://x.invalid/127.0.0.1", "http://127.0.0.1.x.invalid", "http://127.0.0.1:1/path", "http://127.0.0.1:1?a",
     "http://user@127.0.0.1:1", "ftp://127.0.0.1", "127.0.0.1:1", "http://[::1]:1", "http://127.0.0.1:99999"],
)  # fmt: skip
def test_nor_the_testnet_to_anywhere_else(told: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - in whose words does not matter
        exchange_address("testnet", told)
