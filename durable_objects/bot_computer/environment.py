"""What the computer is started with: two variables and nothing else.

No key, token, address of ours or name of the owner may ever be added here; a test holds the list.
"""

import re
from collections.abc import Sequence

ADDRESS = re.compile(r"0x[0-9a-f]{40}")


def container_environment(network: str, addresses: Sequence[str]) -> dict[str, str]:
    """The network, and the public addresses of the owner's accounts with commas between.

    Raises ValueError for what is no address: whatever else it is, it does not belong there.
    """
    if not all(ADDRESS.fullmatch(one) for one in addresses):
        raise ValueError("an account's address is not one")
    return {"BERTH_NETWORK": network, "BERTH_ACCOUNT_ADDRESSES": ",".join(addresses)}
