"""Keys at rest: sealed for one purpose, under a ring whose first key seals."""

from base64 import b64encode, urlsafe_b64encode
from itertools import count

import pytest

from contracts.errors import BerthError, ErrorCode
from durable_objects.bot_owner.key_safe import NONCE_BYTES, KeyRing, KeySafe, read_ring
from tests.unit.durable_objects.bot_owner.rig import AesGcm

OLD, NEW = b"o" * 32, b"\xfb" * 32
ABOUT = "owner\nbot\nopenai\nhttps://a"


def safe(**keys: bytes) -> KeySafe:
    numbers = count(1)
    return KeySafe(KeyRing(keys), AesGcm(), lambda length: next(numbers).to_bytes(length, "big"))


async def test_what_was_sealed_opens_and_does_not_show_the_key() -> None:
    made = safe(k1=NEW)
    sealed = await made.seal("sk-ключ", ABOUT)
    assert sealed.startswith("v1.k1.")
    assert "sk-" not in sealed
    assert await made.open(sealed, ABOUT) == "sk-ключ"
    assert await made.seal("sk-ключ", ABOUT) != sealed  # another nonce each time


@pytest.mark.parametrize("about", ["owner\nbot\nopenai\nhttps://b", "owner\nother\nopenai\nhttps://a", ""])
async def test_what_is_moved_elsewhere_does_not_open(about: str) -> None:
    made = safe(k1=NEW)
    with pytest.raises(BerthError) as caught:
        await made.open(await made.seal("sk", ABOUT), about)
    assert caught.value.code == ErrorCode.MODEL_KEY_REFUSED


async def test_every_change_of_a_sealed_key_is_noticed() -> None:
    made = safe(k1=NEW)
    sealed = await made.seal("sk-1234", ABOUT)
    for place in range(len(sealed) - 1):  # the last character has bits that say nothing
        broken = sealed[:place] + ("A" if sealed[place] != "A" else "B") + sealed[place + 1 :]
        with pytest.raises(BerthError, match="Give it again"):
            await made.open(broken, ABOUT)


@pytest.mark.parametrize("text", ["", "v1", "v1.k1", "v1.k1.AAAA", "v1.k1.AAAA.AAAA", "v1.k1.ä.ö", "v2.k1.a"])
async def test_what_was_never_sealed_is_an_error_of_the_list(text: str) -> None:
    with pytest.raises(BerthError) as caught:
        await safe(k1=NEW).open(text, ABOUT)
    assert caught.value.code == ErrorCode.MODEL_KEY_REFUSED


async def test_while_one_key_is_replaced_both_open_and_the_first_seals() -> None:
    old = await safe(k1=OLD).seal("sk", ABOUT)
    both = safe(k2=NEW, k1=OLD)
    assert await both.open(old, ABOUT) == "sk"
    new = await both.seal("sk", ABOUT)
    assert (both.is_current(old), both.is_current(new)) == (False, True)
    with pytest.raises(BerthError):
        await safe(k2=NEW).open(old, ABOUT)


async def test_without_a_ring_nothing_is_taken() -> None:
    empty = safe()
    assert not empty.ready
    with pytest.raises(BerthError, match="cannot keep keys") as caught:
        await empty.seal("sk", ABOUT)
    assert caught.value.code == ErrorCode.FORBIDDEN


def test_a_ring_is_read_from_a_secret_in_either_base64() -> None:
    text = f"k2:{urlsafe_b64encode(NEW).decode()}\n k1:{b64encode(OLD).decode()} "
    ring = read_ring(text)
    assert (ring.newest, ring.keys) == ("k2", {"k2": NEW, "k1": OLD})
    assert read_ring(f"k2:{b64encode(NEW).decode()}").keys == {"k2": NEW}
    assert read_ring("").newest == ""


@pytest.mark.parametrize(
    "text",
    [
        b64encode(NEW).decode(),
        f"k1:{b64encode(NEW[:31]).decode()}",
        f"k1:{b64encode(NEW + b'x').decode()}",
        "k1:not base64!",
        f"a.b:{b64encode(NEW).decode()}",
        f"k1:{b64encode(NEW).decode()} k1:{b64encode(OLD).decode()}",
    ],
)
def test_a_ring_that_is_none_is_refused_without_being_told(text: str) -> None:
    with pytest.raises(ValueError, match="key-encryption key") as caught:
        read_ring(text)
    assert text.partition(":")[2][:8] not in str(caught.value) or ":" not in text
    assert "repr" not in repr(KeyRing({"k1": NEW}))
    assert "xfb" not in repr(KeyRing({"k1": NEW}))


def test_a_nonce_is_as_long_as_the_cipher_wants() -> None:
    assert NONCE_BYTES == 12
