"""Ids: a kind, the time and 80 random bits, so that they sort by age and cannot be guessed.

The form is a ULID (github.com/ulid/spec) behind a prefix: `run_01JD…`. An id is not a permission.
"""

import re
from collections.abc import Callable

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

Entropy = Callable[[int], bytes]
"""n -> n random bytes; `os.urandom` has this shape."""


def _base32(number: int, characters: int) -> str:
    digits = []
    for _ in range(characters):
        number, digit = divmod(number, 32)
        digits.append(CROCKFORD[digit])
    return "".join(reversed(digits))


def new_id(kind: str, now_ms: int, entropy: Entropy) -> str:
    """Return `<kind>_<10 characters of time><16 random characters>`."""
    return f"{kind}_{_base32(now_ms, 10)}{_base32(int.from_bytes(entropy(10), 'big'), 16)}"


PERSON_ID = re.compile(rf"person_[{CROCKFORD}]{{26}}")
WORKSPACE_ID = re.compile(rf"owner_[{CROCKFORD}]{{26}}")


def new_person_id(entropy: Entropy) -> str:
    """Return `person_` and 26 random characters: 128 bits, and not the time, which is nobody's business."""
    return f"person_{_base32(int.from_bytes(entropy(16), 'big'), 26)}"


def new_workspace_id(entropy: Entropy) -> str:
    """Return `owner_` and 26 random characters, likewise."""
    return f"owner_{_base32(int.from_bytes(entropy(16), 'big'), 26)}"
