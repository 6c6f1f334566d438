"""`ctx.container` and the service inside it, behind the protocols that the core speaks."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any
from urllib.parse import quote, urlencode

import js
from pyodide.ffi import JsException

from contracts.errors import BerthError
from durable_objects.bot_computer.container import ContainerError
from durable_objects.bot_computer.environment import container_environment
from durable_objects.bot_computer.follow import UnreachableError
from durable_objects.shared.js import chunks, js_object
from durable_objects.shared.json_text import loads
from durable_objects.shared.reply import opened

COMPUTERD_PORT = 8080
INSTANCE = "standard-1"
IMAGE = "computer"
ERROR_BYTES_MAX = 20_000


class CloudflareContainer:
    def __init__(self, ctx: Any, env: Any, owner_id: str) -> None:
        self._ctx = ctx
        self._env = env
        self._owner_id = owner_id
        self._container = ctx.container

    @property
    def running(self) -> bool:
        return bool(self._container.running)

    @property
    def image(self) -> str | None:
        """The reference of the deployed image, which is another one for another version of it."""
        reference = getattr(getattr(self._container, "images", None), IMAGE, None)
        return str(reference) if reference else None

    async def start(self, snapshot: str | None) -> None:
        network = str(getattr(self._env, "BERTH_NETWORK", "") or "")
        options: dict[str, Any] = {
            "enableInternet": False,
            "instance": INSTANCE,
            "env": container_environment(network, await self._addresses()),
        }
        if snapshot:
            options["containerSnapshot"] = json.loads(snapshot)
        elif self.image:
            options["image"] = self.image
        try:
            # Before start(): only then does the platform put its CA into the container.
            await self._intercept()
            self._container.start(js_object(options))
        except JsException as error:
            raise ContainerError(str(error)) from error

    async def _addresses(self) -> list[str]:
        """Of the owner's accounts, as they are connected now."""
        owner = self._env.BOT_OWNER.getByName(self._owner_id)
        try:
            found = opened(await owner.account_addresses())
        except (JsException, BerthError) as error:
            raise ContainerError(f"the owner's accounts could not be asked for: {error}") from error
        return [str(one) for one in found["addresses"]]

    async def _intercept(self) -> None:
        # `props` reach the entrypoint beside the request: the container cannot forge them.
        egress = self._ctx.exports.Egress(js_object({"props": {"owner": self._owner_id}}))
        await self._container.interceptOutboundHttps("*", egress)
        await self._container.interceptAllOutboundHttp(egress)

    async def attach(self) -> None:
        try:
            await self._intercept()
        except JsException as error:
            raise ContainerError(str(error)) from error

    async def keep(self, ms: int) -> None:
        try:
            await self._container.setInactivityTimeout(ms)
        except JsException as error:
            raise ContainerError(str(error)) from error

    async def snapshot(self) -> str:
        try:
            handle = await self._container.snapshotContainer(js_object({}))
        except JsException as error:
            raise ContainerError(str(error)) from error
        return str(js.JSON.stringify(handle))

    async def destroy(self) -> None:
        try:
            await self._container.destroy()
        except JsException as error:
            raise ContainerError(str(error)) from error

    async def gone(self) -> None:
        try:
            await self._container.monitor()
        except JsException as error:
            raise ContainerError(str(error)) from error


class ComputerdWire:
    """The HTTP API of computerd, over the container's port."""

    def __init__(self, ctx: Any) -> None:
        self._port = ctx.container.getTcpPort(COMPUTERD_PORT)

    async def fetch(self, method: str, path: str, body: Any = None, signal: Any = None) -> Any:
        """The JavaScript response. Raises UnreachableError, or BerthError for a refusal of the service."""
        given = {"method": method, "body": body, "signal": signal}
        options = {name: value for name, value in given.items() if value is not None}
        try:
            response = await self._port.fetch(f"http://computer{path}", js_object(options))
        except JsException as error:
            raise UnreachableError(str(error)) from error
        if response.status >= 400:
            raise await _refusal(response)
        return response

    async def fetch_json(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        response = await self.fetch(method, path, body)
        try:
            answer = loads(await response.text())
        except (JsException, ValueError) as error:
            raise UnreachableError("the service did not answer with JSON") from error
        if not isinstance(answer, dict):
            raise UnreachableError("the service did not answer with an object")
        return answer

    async def run(
        self, command_id: str, command: str, timeout_s: int, offset: int, tail: int | None
    ) -> AsyncGenerator[bytes, None]:
        wanted = json.dumps({"id": command_id, "command": command, "timeout_s": timeout_s})
        place = {"offset": offset or None, "tail": tail}
        query = urlencode({name: value for name, value in place.items() if value is not None})
        response = await self.fetch("POST", f"/commands?{query}" if query else "/commands", wanted)
        return _guarded(response.body)

    async def stop(self, command_id: str) -> None:
        await self.fetch("POST", f"/commands/{quote(command_id, safe='')}/stop")

    async def boot(self) -> str:
        boot = (await self.fetch_json("GET", "/health")).get("boot")
        if not isinstance(boot, str):
            raise UnreachableError("the service did not say its boot")
        return boot[:100]


async def _guarded(body: Any) -> AsyncGenerator[bytes, None]:
    try:
        async with aclosing(chunks(body)) as found:
            async for chunk in found:
                yield chunk
    except JsException as error:
        raise UnreachableError(str(error)) from error


async def _refusal(response: Any) -> Exception:
    """The service's error of our list; what is not one counts as unreachable."""
    text = (await response.text())[:ERROR_BYTES_MAX]
    try:
        fields = loads(text)
    except ValueError:
        fields = None
    if not isinstance(fields, dict) or "code" not in fields:
        return UnreachableError(f"the service answered {response.status}")
    return BerthError.from_dict(fields)
