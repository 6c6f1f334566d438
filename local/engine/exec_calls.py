"""The routes of commands that run inside a running container."""

import secrets

from local.engine import views
from local.engine.calls import Call, read_number
from local.engine.errors import MalformedRequestError, NoSuchObjectError, NotOfferedError
from local.engine.execs import Exec
from local.engine.records import as_mapping, as_text, as_texts
from local.engine.system import UID, USER

STREAM_HEADERS = {
    "content-type": "application/vnd.docker.raw-stream",
    "connection": "Upgrade",
    "upgrade": "tcp",
}


async def create_exec(call: Call) -> None:
    container = call.engine.find(call.names[0])
    body = as_mapping(await call.exchange.read_json(), "body")
    command = as_texts(body.get("Cmd"), "Cmd")
    if not command:
        raise MalformedRequestError("No exec command specified")
    user = as_text(body.get("User") or "", "User").partition(":")[0]
    if user not in ("", USER, str(UID)):
        raise NotOfferedError(f"a computer has one user, {USER}; {user!r} is not offered")
    given = dict(entry.split("=", 1) for entry in as_texts(body.get("Env"), "Env") if "=" in entry)
    record = Exec(
        id=secrets.token_hex(32),
        container=container.id,
        command=command,
        environment=given,
        folder=as_text(body.get("WorkingDir") or "", "WorkingDir"),
        terminal=body.get("Tty") is True,
    )
    call.engine.add_exec(container, record)
    await call.answer(201, {"Id": record.id})


async def start_exec(call: Call) -> None:
    record = _exec(call)
    body = as_mapping(await call.exchange.read_json(), "body")
    attach = body.get("Detach") is not True
    call.engine.start_exec(record, attach)
    size = body.get("ConsoleSize")
    if record.terminal and isinstance(size, list) and len(size) == 2:
        record.resize(int(size[1]), int(size[0]))
    if not attach:
        await call.answer(200)
        return
    early = await call.exchange.take_over(STREAM_HEADERS)
    connection = call.exchange.connection
    await record.stream(early, connection.reader, connection.writer)


async def inspect_exec(call: Call) -> None:
    await call.answer(200, views.execution(_exec(call)))


async def resize_exec(call: Call) -> None:
    _exec(call).resize(read_number(call.query("w"), 65535), read_number(call.query("h"), 65535))
    await call.answer(200)


def _exec(call: Call) -> Exec:
    if (record := call.engine.execs.get(call.names[0])) is None:
        raise NoSuchObjectError(f"No such exec instance: {call.names[0]}")
    return record
