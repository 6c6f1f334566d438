"""Ids: a kind, the time and 80 random bits, so that they sort by age and cannot be guessed.

The form is a ULID (github.com/ulid/spec) behind a prefix: `run_01JD…`. An id is not a permission.
"""

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
