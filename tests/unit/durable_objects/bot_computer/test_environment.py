"""What the computer is started with."""

import pytest

from durable_objects.bot_computer.environment import container_environment

ONE, OTHER = "0x" + "1a" * 20, "0x" + "2b" * 20


def test_the_computer_gets_two_variables_and_nothing_else() -> None:
    assert container_environment("testnet", [ONE, OTHER]) == {
        "BERTH_NETWORK": "testnet",
        "BERTH_ACCOUNT_ADDRESSES": f"{ONE},{OTHER}",
    }


def test_what_is_not_set_is_empty_and_not_left_out() -> None:
    assert container_environment("", []) == {"BERTH_NETWORK": "", "BERTH_ACCOUNT_ADDRESSES": ""}


@pytest.mark.parametrize("other", ["0x" + "4c" * 32, "4c" * 32, ONE[:-1], f"{ONE},{OTHER}", "", ONE.upper()])
def test_nothing_but_addresses_gets_in(other: str) -> None:
    with pytest.raises(ValueError, match="not one"):
        container_environment("testnet", [ONE, other])
