"""What the computer is started with: two variables and nothing else.

No key, token, address of ours or name of the owner may ever be added here; a test holds the list.
"""

from collections.abc import Mapping

PASSED_ON = ("BERTH_NETWORK", "BERTH_ACCOUNT_ADDRESSES")


def container_environment(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: variables.get(name, "") for name in PASSED_ON}
