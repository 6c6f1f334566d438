"""The routes of containers: their life, their archives, their end as an event."""

import asyncio
import json
import time
from collections.abc import AsyncIterator

from local.engine import keeping, views
from local.engine.calls import Call, read_filters, read_number, read_path, read_signal
from local.engine.errors import MalformedRequestError
from local.engine.records import Status, parse_spec

GRACE_SECONDS = 10
GRACE_LIMIT = 600
TAR = "application/x-tar"


async def list_containers(call: Call) -> None:
    filters = read_filters(call.query("filters"))
    found = call.engine.containers.values()
    everything = call.query("all") in ("1", "true")
    await call.answer(
        200,
        [
            views.summary(container)
            for container in found
            if views.matches(container, filters) and (everything or container.status is Status.RUNNING)
        ],
    )


async def create_container(call: Call) -> None:
    spec = parse_spec(await call.exchange.read_json())
    container = await call.engine.create(call.query("name").removeprefix("/"), spec)
    await call.answer(201, {"Id": container.id, "Warnings": []})


async def inspect_container(call: Call) -> None:
    await call.answer(200, views.inspection(call.engine.find(call.names[0])))


async def start_container(call: Call) -> None:
    await call.exchange.read()
    await call.engine.start(call.engine.find(call.names[0]))
    await call.answer(204)


async def stop_container(call: Call) -> None:
    seconds = read_number(call.query("t", str(GRACE_SECONDS)), GRACE_LIMIT)
    await call.engine.stop(call.engine.find(call.names[0]), seconds)
    await call.answer(204)


async def kill_container(call: Call) -> None:
    number = read_signal(call.query("signal", "SIGKILL"))
    call.engine.signal(call.engine.find(call.names[0]), number)
    await call.answer(204)


async def wait_container(call: Call) -> None:
    container = call.engine.find(call.names[0])
    condition = call.query("condition", "not-running")
    events = {
        "not-running": container.exited if container.status is not Status.CREATED else None,
        "next-exit": container.exited,
        "removed": container.removed,
    }
    if condition not in events:
        raise MalformedRequestError(f"not a condition: {condition!r}")
    if (event := events[condition]) is not None:
        waiting = asyncio.ensure_future(event.wait())
        gone = asyncio.ensure_future(call.exchange.gone())
        try:
            await asyncio.wait((waiting, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (waiting, gone):
                task.cancel()
            # Until it has ended it reads from this connection, and the next request would be its.
            await asyncio.gather(waiting, gone, return_exceptions=True)
    await call.answer(200, {"StatusCode": container.exit_code})


async def remove_container(call: Call) -> None:
    container = call.engine.find(call.names[0])
    if container.status is Status.RUNNING and call.query("force") not in ("1", "true"):
        raise MalformedRequestError(f"container {container.name} is running: stop it or use force")
    await call.engine.remove(container)
    await call.answer(204)


async def get_archive(call: Call) -> None:
    container = call.engine.find(call.names[0])
    path = read_path(call)
    parts = call.engine.workbench.pack(keeping.archive_folders(container, path), path)
    # The first part, or the error instead of it, decides on the status.
    first = await anext(parts)

    async def whole() -> AsyncIterator[bytes]:
        yield first
        async for part in parts:
            yield part

    await call.exchange.answer_stream(TAR, whole())


async def put_archive(call: Call) -> None:
    container = call.engine.find(call.names[0])
    path = read_path(call)
    if path == "/etc":
        container.write_certificate(await call.exchange.read())
    else:
        folders = keeping.archive_folders(container, path)
        await call.engine.workbench.unpack(folders, path, call.exchange.body())
    await call.answer(200)


async def commit(call: Call) -> None:
    await call.exchange.read()
    container = call.engine.find(call.query("container"))
    image = await keeping.commit(call.engine.images, container, call.query("repo"), time.time())
    await call.answer(201, {"Id": image.id})


async def events(call: Call) -> None:
    queue: asyncio.Queue[dict[str, object]] = asyncio.Queue()
    call.engine.listeners.add(queue)

    async def lines() -> AsyncIterator[bytes]:
        while True:
            yield json.dumps(await queue.get()).encode() + b"\n"

    streaming = asyncio.ensure_future(call.exchange.answer_stream("application/json", lines()))
    gone = asyncio.ensure_future(call.exchange.gone())
    try:
        await asyncio.wait((streaming, gone), return_when=asyncio.FIRST_COMPLETED)
    finally:
        call.engine.listeners.discard(queue)
        for task in (streaming, gone):
            task.cancel()
        await asyncio.gather(streaming, gone, return_exceptions=True)
