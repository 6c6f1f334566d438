"""Leaves of the interception's authority: trusted for their host, for no other, and bounded."""

import asyncio
import datetime as dt
import ssl
import tempfile
from pathlib import Path

import pytest

from local.engine.authority import KEPT_LEAVES, Authority
from local.engine.destination import Destination
from local.engine.watch import RequestWatch

NOW = dt.datetime.now(dt.UTC)


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority(NOW)


async def handshake(authority: Authority, served: str, asked: str, *, trust: bool = True) -> str | None:
    """Return the protocol that client and server agree on; an error if the client does not trust."""
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(authority.pem)
        trusting = ssl.create_default_context(cafile=file.name)
    if not trust:
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    trusting.set_alpn_protocols(["h2", "http/1.1"])
    greeting = authority.greeting(RequestWatch(Destination(served, 443), 443).name_in_tls)
    server = await asyncio.start_server(lambda _, w: w.close(), "127.0.0.1", 0, ssl=greeting)
    async with server:
        _, port = server.sockets[0].getsockname()
        _, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting, server_hostname=asked)
        agreed = writer.get_extra_info("ssl_object").selected_alpn_protocol()
        writer.close()
        await writer.wait_closed()
    return str(agreed)


@pytest.mark.parametrize("host", ["example.test", "1.2.3.4", "::1", "a" * 60 + ".test", "x_y.test"])
async def test_a_leaf_is_trusted_for_its_host(authority: Authority, host: str) -> None:
    assert await handshake(authority, host, host) == "http/1.1"


async def test_a_leaf_is_not_trusted_for_another(authority: Authority) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        await handshake(authority, "1.2.3.4", "1.2.3.5")


@pytest.mark.parametrize("trust", [True, False])
@pytest.mark.parametrize(("served", "asked"), [("a.test", "b.test"), ("test", "a.test")])
async def test_a_client_that_names_another_host_is_refused_even_if_it_trusts_all(
    authority: Authority, served: str, asked: str, trust: bool
) -> None:
    with pytest.raises((ssl.SSLError, ConnectionResetError)):
        await handshake(authority, served, asked, trust=trust)


async def test_another_engines_leaves_are_not_trusted(authority: Authority) -> None:
    other = Authority(NOW)
    other.pem, other_pem = authority.pem, other.pem
    assert other_pem != authority.pem
    with pytest.raises(ssl.SSLCertVerificationError):
        await handshake(other, "a.test", "a.test")


def test_only_the_leaves_used_last_are_kept(authority: Authority) -> None:
    first = authority.context("kept.test")
    for number in range(KEPT_LEAVES):
        authority.context(f"{number}.test")
        assert authority.context("kept.test") is first
    assert len(authority._contexts) == KEPT_LEAVES
