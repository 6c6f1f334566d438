"""The resolver: an answer for every name, and nothing that a hostile packet could gain."""

import asyncio
import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.engine.names import AT_ONCE, PACKET_BYTES_MAX, TELLING_AT_ONCE, LookUps, Resolver, elsewhere, reply
from local.engine.tunnel import NOWHERE

A, AAAA, ANY_TYPE = 1, 28, 255


def question(name: str, kind: int = A, *, flags: int = 0x0100, count: int = 1) -> bytes:
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split(".") if part)
    return struct.pack("!6H", 7, flags, count, 0, 0, 0) + labels + b"\0" + struct.pack("!2H", kind, 1)


def codes(answer: bytes | None) -> tuple[int, int]:
    """The code of the answer and how many records it has."""
    assert answer is not None
    number, flags, _, answers, _, _ = struct.unpack_from("!6H", answer)
    assert (number, flags & 0x8000) == (7, 0x8000)
    return flags & 15, answers


@pytest.mark.parametrize("name", ["example.test", "EXAMPLE.Test", "x", "_a.b-c.test", "1.2.3.4", "a" * 63])
def test_every_name_has_the_one_address(name: str) -> None:
    answer = reply(question(name))
    assert codes(answer) == (0, 1)
    assert answer is not None
    assert answer.endswith(socket.inet_aton(NOWHERE))


def test_localhost_stays_at_home() -> None:
    assert (reply(question("localhost")) or b"").endswith(socket.inet_aton("127.0.0.1"))


@pytest.mark.parametrize("kind", [AAAA, ANY_TYPE, 12, 65, 16])
def test_of_another_type_there_is_no_data(kind: int) -> None:
    assert codes(reply(question("example.test", kind))) == (0, 0)


@pytest.mark.parametrize("name", ["", "a b.test", "a/b", "\x00"])
def test_what_is_no_name_does_not_exist(name: str) -> None:
    assert codes(reply(question(name))) == (3, 0)


GOOD = question("example.test")
LOOP = struct.pack("!6H", 7, 0, 1, 0, 0, 0) + b"\xc0\x0c" + struct.pack("!2H", A, 1)
LONG = question(".".join(["a" * 63] * 4))


@pytest.mark.parametrize(
    "packet",
    [GOOD[:-1], GOOD[:20], GOOD[:12], LOOP, LONG, question("a.test", count=0), question("a.test", count=2),
     question("a.test", count=65535), question("a.test", flags=0x2800), GOOD[:12] + b"\x40" + b"a" * 70],
)  # fmt: skip
def test_what_is_no_question_gets_an_error(packet: bytes) -> None:
    assert codes(reply(packet)) == (1, 0)


@pytest.mark.parametrize(
    "packet", [b"", GOOD[:11], GOOD + bytes(PACKET_BYTES_MAX), question("a.test", flags=0x8000)]
)
def test_what_could_start_a_loop_or_is_too_large_gets_nothing(packet: bytes) -> None:
    assert reply(packet) is None


@given(st.binary(max_size=PACKET_BYTES_MAX + 10) | st.binary(max_size=300).map(lambda tail: GOOD[:12] + tail))
def test_no_packet_breaks_it_and_no_answer_is_larger_than_its_question_by_more_than_a_record(
    packet: bytes,
) -> None:
    answer = reply(packet)
    assert answer is None or len(answer) <= len(packet) + 16
    assert answer is None or reply(answer) is None


async def test_a_flood_is_answered_bit_by_bit() -> None:
    ours, theirs = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    for item in (ours, theirs):
        item.setblocking(False)
        item.bind(("127.0.0.1", 0))
    told: list[str] = []

    async def tell(name: str) -> None:
        told.append(name)

    resolver = Resolver(ours, LookUps(tell))
    resolver.start()
    loop = asyncio.get_running_loop()
    try:
        for _ in range(2 * AT_ONCE):
            await loop.sock_sendto(theirs, GOOD, ours.getsockname())
        for _ in range(2 * AT_ONCE):
            assert codes(await asyncio.wait_for(loop.sock_recv(theirs, 500), 60)) == (0, 1)
        assert told == ["example.test"]
    finally:
        resolver.stop()
        ours.close()
        theirs.close()


def test_only_names_of_elsewhere_are_told() -> None:
    assert elsewhere(question("Secret.Test")) == "secret.test"
    assert elsewhere(question("secret.test", AAAA)) == "secret.test"
    assert elsewhere(question("secret.test", 16)) is None
    assert elsewhere(question("a.localhost")) is None
    assert elsewhere(LOOP) is None


async def test_so_many_look_ups_are_told_at_once_and_the_rest_is_not_held_up() -> None:
    go_on = asyncio.Event()

    async def tell(_name: str) -> None:
        await go_on.wait()

    look_ups = LookUps(tell)
    telling = []
    for number in range(TELLING_AT_ONCE):
        name = look_ups.news(question(f"{number}.test"))
        assert name is not None
        telling.append(asyncio.ensure_future(look_ups.tell(name)))
        await asyncio.sleep(0)
    assert look_ups.news(question("one-more.test")) is None
    go_on.set()
    await asyncio.gather(*telling)
    assert look_ups.news(question("one-more.test")) == "one-more.test"
    assert look_ups.news(question("one-more.test")) is None
