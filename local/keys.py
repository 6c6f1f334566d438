"""Keys of a deployment, newly made, in the form that the Worker reads them in.

`python -m local.keys vapid` prints one for `wrangler secret put BERTH_VAPID_KEY`; `sealing` prints the 32
bytes of `BERTH_KEY_ENCRYPTION_KEYS`.
"""

import os
import sys
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Sequence

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEY_BYTES = 32


def new_sealing_key() -> str:
    return b64encode(os.urandom(KEY_BYTES)).decode()


def new_vapid_key() -> str:
    """`PUBLIC.PRIVATE` of P-256: the uncompressed point and the scalar, both base64url."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    private = key.private_numbers().private_value.to_bytes(KEY_BYTES, "big")
    return ".".join(urlsafe_b64encode(part).decode().rstrip("=") for part in (public, private))


def new_sign_in_token() -> str:
    """What lets its person in at a Berth of their own machine."""
    return f"berth_l_{urlsafe_b64encode(os.urandom(KEY_BYTES)).decode().rstrip('=')}"


MADE = {"sealing": new_sealing_key, "vapid": new_vapid_key}


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in MADE:
        sys.stderr.write(f"name one of: {', '.join(MADE)}\n")
        return 2
    sys.stdout.write(f"{MADE[arguments[0]]()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
