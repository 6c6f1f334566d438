"""The part of Docker's Engine API that workerd speaks, as a table of routes.

Each row is a method, a path with `{}` for a name, and a function of one of the `*_calls` modules;
everything else gets Docker's 404. The functions translate and nothing more: the work is
`engine`'s. Paths may carry a version (`/v1.43/…`), which is ignored.
"""

import re

from local.engine import container_calls as containers
from local.engine import exec_calls as execs
from local.engine import store_calls as stores
from local.engine import views
from local.engine.calls import Call, Route
from local.engine.engine import Engine
from local.engine.errors import NoSuchObjectError
from local.engine.http import Exchange

API_VERSION = re.compile(r"v[0-9]+\.[0-9]+")


async def ping(call: Call) -> None:
    await call.answer(200, b"OK")


async def version(call: Call) -> None:
    await call.answer(200, views.VERSION)


async def bridge(call: Call) -> None:
    await call.answer(200, views.BRIDGE)


ROUTES: tuple[tuple[str, str, Route], ...] = (
    ("GET", "_ping", ping),
    ("GET", "version", version),
    ("GET", "events", containers.events),
    ("GET", "networks/bridge", bridge),
    ("GET", "containers/json", containers.list_containers),
    ("POST", "containers/create", containers.create_container),
    ("GET", "containers/{}/json", containers.inspect_container),
    ("POST", "containers/{}/start", containers.start_container),
    ("POST", "containers/{}/stop", containers.stop_container),
    ("POST", "containers/{}/kill", containers.kill_container),
    ("POST", "containers/{}/wait", containers.wait_container),
    ("DELETE", "containers/{}", containers.remove_container),
    ("GET", "containers/{}/archive", containers.get_archive),
    ("PUT", "containers/{}/archive", containers.put_archive),
    ("POST", "containers/{}/exec", execs.create_exec),
    ("POST", "exec/{}/start", execs.start_exec),
    ("GET", "exec/{}/json", execs.inspect_exec),
    ("POST", "exec/{}/resize", execs.resize_exec),
    ("POST", "commit", containers.commit),
    ("POST", "images/create", stores.pull_image),
    ("GET", "images/{}/json", stores.inspect_image),
    ("DELETE", "images/{}", stores.delete_image),
    ("GET", "volumes", stores.list_volumes),
    ("POST", "volumes/create", stores.create_volume),
    ("GET", "volumes/{}", stores.inspect_volume),
    ("DELETE", "volumes/{}", stores.delete_volume),
)


def find_route(method: str, path: tuple[str, ...]) -> tuple[Route, tuple[str, ...]]:
    if path and API_VERSION.fullmatch(path[0]):
        path = path[1:]
    for allowed, pattern, route in ROUTES:
        parts = pattern.split("/")
        if allowed == method and len(parts) == len(path):
            pairs = list(zip(parts, path, strict=True))
            if all(part in ("{}", given) for part, given in pairs):
                return route, tuple(given for part, given in pairs if part == "{}")
    raise NoSuchObjectError(f"page not found: {method} /{'/'.join(path)}")


async def answer(engine: Engine, exchange: Exchange) -> None:
    route, names = find_route(exchange.request.method, exchange.request.path)
    await route(Call(engine, exchange, names))
