"""A collector of spans and sums, as far as Berth speaks to one: it takes OTLP in JSON and keeps it."""

import json
import threading
from collections import Counter
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Body = tuple[str, dict[str, str], str]
"""(path, headers, body) of a request."""


class Collector:
    """`with Collector() as collector:` listens at `collector.url`."""

    def __init__(self) -> None:
        self.bodies: list[Body] = []
        """What was taken."""
        self.refused: list[Body] = []
        self.answers = threading.Event()
        """While it is not set, requests are taken and nothing is said."""
        self.answers.set()
        self.status = HTTPStatus.OK
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.answers.wait()
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                taken = collector.bodies if collector.status == HTTPStatus.OK else collector.refused
                taken.append((self.path, headers, body))
                self.send_response(collector.status)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_args: object) -> None:
                """Its own log is of no interest."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.answers.set()
        self._server.shutdown()
        self._server.server_close()

    def texts(self, path: str) -> list[str]:
        return [body for at, _, body in self.bodies if at == path]

    def spans(self) -> list[dict[str, Any]]:
        found = [json.loads(body)["resourceSpans"][0] for body in self.texts("/v1/traces")]
        return [span for one in found for scope in one["scopeSpans"] for span in scope["spans"]]

    def metrics(self) -> set[str]:
        return {metric["name"] for metric in self._metrics()}

    def requests(self, bodies: list[Body] | None = None) -> Counter[str]:
        """How many of each kind it was told of, or in these bodies."""
        told: Counter[str] = Counter()
        for metric in self._metrics(bodies):
            for point in metric["sum"]["dataPoints"] if metric["name"] == "berth.requests" else ():
                told[json.dumps(point["attributes"])] += int(point["asDouble"])
        return told

    def _metrics(self, bodies: list[Body] | None = None) -> list[dict[str, Any]]:
        asked = self.bodies if bodies is None else bodies
        found = [json.loads(body)["resourceMetrics"][0] for path, _, body in asked if path == "/v1/metrics"]
        return [metric for one in found for scope in one["scopeMetrics"] for metric in scope["metrics"]]
