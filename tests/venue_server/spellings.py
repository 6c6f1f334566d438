"""How a secret could be written: whoever looks for it looks for all of these."""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator


def spellings(key: str) -> list[bytes]:
    """Of a key in hex: as hex, bytes and a number, reversed, and each in base64 wherever it may begin."""
    raw = bytes.fromhex(key)
    texts = (key.encode(), key.upper().encode(), raw)
    backwards = [one[::-1] for one in texts]
    encoded = [one for text in texts for one in _in_base64(text)]
    return [*texts, *backwards, str(int(key, 16)).encode(), *encoded]


def _in_base64(text: bytes) -> Iterator[bytes]:
    """The characters that a text has in base64 whatever stands before and behind it."""
    for before in range(3):
        for encode in (b64encode, urlsafe_b64encode):
            whole = encode(bytes(before) + text + bytes(3)).rstrip(b"=")
            # The first and the last characters share their bits with what is beside them.
            yield whole[4 if before else 0 : len(whole) - 8]


def found_in(content: bytes, key: str) -> list[bytes]:
    return [one for one in spellings(key) if one in content]
