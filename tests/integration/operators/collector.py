"""A collector of spans and sums, as far as Berth speaks to one: it takes OTLP in JSON and keeps it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class Collector:
    """`with Collector() as collector:` listens at `collector.url`."""

    def __init__(self) -> None:
        self.bodies: list[tuple[str, dict[str, str], str]] = []
        """(path, headers, body) of each request."""
        self.answers = threading.Event()
        """While it is not set, requests are taken and nothing is said."""
        self.answers.set()
        self.status = 200
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                collector.answers.wait()
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                collector.bodies.append((self.path, headers, body))
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
        found = [json.loads(body)["resourceMetrics"][0] for body in self.texts("/v1/metrics")]
        return {
            metric["name"] for one in found for scope in one["scopeMetrics"] for metric in scope["metrics"]
        }
