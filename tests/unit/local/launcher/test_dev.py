"""Before `./berth dev` stops: the files of every computer that can be saved are, and the others are named."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest

from local.launcher import dev
from local.launcher.errors import LauncherError

OWNERS = ["local-gone", "local-slow", "local"]


class Berth(BaseHTTPRequestHandler):
    """Breaks off for `gone` always, and for each of the others once."""

    heard: list[str]

    def do_GET(self) -> None:
        self._answer({"owners": OWNERS})

    def do_POST(self) -> None:
        self._answer({"state": "standby"})

    def _answer(self, body: dict[str, Any]) -> None:
        asked = f"{self.path} {self.headers['Host'].partition(':')[0]}"
        first = asked not in self.heard
        self.heard.append(asked)
        assert self.headers["authorization"] == "Bearer a-token"
        if first or "gone" in asked:
            self.close_connection = True
            return
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_args: Any) -> None:
        pass


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(dev, "PAUSES", (0.0, 0.0))
    Berth.heard = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Berth)
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield SimpleNamespace(
            url=f"http://127.0.0.1:{server.server_port}", headers={"authorization": "Bearer a-token"}
        )
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def test_a_computer_that_cannot_be_saved_is_named_and_costs_the_others_nothing(stack: Any) -> None:
    with pytest.raises(LauncherError, match=r"could not be saved: local-gone$"):
        dev._standby(stack)
    standby = "/api/computer/standby?stop=true"
    assert Berth.heard.count(f"{standby} gone.localhost") == 3
    assert Berth.heard[-4:] == [
        *[f"{standby} slow.localhost"] * 2,
        *[f"{standby} localhost"] * 2,
    ]
