"""The doors into the engine, where the kernel gives all of them and where it does not."""

import errno
import socket

import pytest

from local.engine import anyip
from local.engine.namespaces import _make_sockets


def test_where_the_routes_are_refused_only_the_proxy_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise PermissionError(errno.EPERM, "not here")

    monkeypatch.setattr(anyip, "route_to_loopback", refuse)
    refused: list[str] = []
    made = _make_sockets(2, 0, refused)
    listening = [item.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) for item in made]
    for item in made:
        item.close()
    assert listening == [0, 0, 1]
    assert refused == ["[Errno 1] not here"]
