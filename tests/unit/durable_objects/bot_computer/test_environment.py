"""What the computer is started with."""

from durable_objects.bot_computer.environment import container_environment


def test_the_computer_gets_two_variables_and_nothing_else() -> None:
    variables = {
        "BERTH_NETWORK": "testnet",
        "BERTH_ACCOUNT_ADDRESSES": "0x1",
        "BERTH_SIGN_IN": "local",
        "OPENAI_API_KEY": "sk-secret",
        "CLOUDFLARE_API_TOKEN": "secret",
    }
    assert container_environment(variables) == {"BERTH_NETWORK": "testnet", "BERTH_ACCOUNT_ADDRESSES": "0x1"}


def test_what_is_not_set_is_empty_and_not_left_out() -> None:
    assert container_environment({}) == {"BERTH_NETWORK": "", "BERTH_ACCOUNT_ADDRESSES": ""}
