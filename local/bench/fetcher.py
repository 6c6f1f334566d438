"""Fetches over and over and says how fast that was, as one line of JSON; it runs here and in a computer.

    fetcher.py URL PROXY RUNS BYTES      PROXY is host:port, or - for none

Only what every Python has is used. Connections are kept alive, so TLS and tunnels are not in the times.
"""

import http.client
import json
import ssl
import sys
import threading
import time
from collections.abc import Callable
from urllib.parse import urlsplit

AT_ONCE = 4
SECONDS = 60
READ_BYTES = 1 << 18


def connect(url: str, proxy: str) -> http.client.HTTPConnection:
    parts = urlsplit(url)
    at = urlsplit(f"//{parts.netloc if proxy == '-' else proxy}")
    if parts.scheme == "https":
        trusting = ssl.create_default_context()
        made: http.client.HTTPConnection = http.client.HTTPSConnection(
            at.hostname or "", at.port, timeout=SECONDS, context=trusting
        )
    else:
        made = http.client.HTTPConnection(at.hostname or "", at.port, timeout=SECONDS)
    if proxy != "-":
        made.set_tunnel(parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80))
    return made


def fetch(connection: http.client.HTTPConnection, url: str, size: int) -> None:
    connection.request("GET", f"{urlsplit(url).path}?bytes={size}")
    answer = connection.getresponse()
    got = 0
    while part := answer.read(READ_BYTES):
        got += len(part)
    if answer.status != 200 or got != size:
        raise SystemExit(f"{answer.status}, {got} of {size} bytes")


def at_once(work: Callable[[http.client.HTTPConnection], None], url: str, proxy: str) -> float:
    """Do it on several connections, each warm; return the seconds until all have ended."""
    connections = [connect(url, proxy) for _ in range(AT_ONCE)]
    for connection in connections:
        fetch(connection, url, 1)
    failed: list[BaseException] = []

    def guarded(connection: http.client.HTTPConnection) -> None:
        try:
            work(connection)
        except BaseException as error:  # noqa: BLE001 - the border of a thread: it is raised below
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(connection,)) for connection in connections]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - started
    if failed:
        raise failed[0]
    return seconds


def main(url: str, proxy: str, runs: int, size: int) -> None:
    connection = connect(url, proxy)
    times = []
    for number in range(2 * runs):
        started = time.perf_counter()
        fetch(connection, url, 1)
        if number >= runs:
            times.append((time.perf_counter() - started) * 1000)
    each = max(1, runs // AT_ONCE)

    def small(one: http.client.HTTPConnection) -> None:
        for _ in range(each):
            fetch(one, url, 1)

    many = at_once(small, url, proxy)
    started = time.perf_counter()
    fetch(connection, url, size)
    alone = time.perf_counter() - started
    together = at_once(lambda one: fetch(one, url, size), url, proxy)
    found = {
        "times_ms": times,
        "requests_per_second": each * AT_ONCE / many,
        "download": size / 1e6 / alone,
        "downloads_4": AT_ONCE * size / 1e6 / together,
    }
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
