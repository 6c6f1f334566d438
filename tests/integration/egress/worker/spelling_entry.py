"""A Worker around the real egress entrypoint: handed requests by the hundred, it says what became of them.

Its computer admits everything and its owner has opened every host that must stay closed: what is denied is
denied by the rules alone. The computer of the owner `broken` raises at whatever it is asked, and that of
`hanging` does so only while something moves.
"""

import json
from typing import Any

import js
from pyodide.ffi import JsException, to_js
from workers import DurableObject, Response, WorkerEntrypoint

from egress.shell import Egress

__all__ = ["BotComputer", "Default", "Egress"]

OPENED = ("api.hyperliquid.xyz", "api.hyperliquid-testnet.xyz", "berth.invalid", "www.berth.invalid")
FOREVER_MS = 9_000_000_000_000


class BotComputer(DurableObject):  # type: ignore[misc]
    async def admit_egress(self, _request: str) -> str:
        self._fail("broken")
        return '{"result": {}}'

    async def egress_moved(self, _moved: str) -> str:
        self._fail("broken", "hanging")
        return '{"result": {"rest_s": 0}}'

    async def egress_rules(self) -> str:
        self._fail("broken")
        return json.dumps([{"host": host, "path": "/", "until_ms": FOREVER_MS} for host in OPENED])

    def _fail(self, *owners: str) -> None:
        if self.ctx.id.name in owners:
            raise RuntimeError("a secret of the machine")


class Default(WorkerEntrypoint):  # type: ignore[misc]
    async def fetch(self, request: Any) -> Any:
        counts: dict[str, int] = {}
        owner = str(request.url).rpartition("/")[2] or "somebody"
        props = to_js({"props": {"owner": owner}}, dict_converter=js.Object.fromEntries)
        egress = self.ctx.exports.Egress(props)
        for method, url, body in json.loads(await request.text()):
            outcome = await _outcome(egress, method, url, body)
            counts[outcome] = counts.get(outcome, 0) + 1
        return Response(json.dumps(counts))


async def _outcome(egress: Any, method: str, url: str, body: str | None) -> str:
    options = {"method": method, "redirect": "manual"} | ({} if body is None else {"body": body})
    try:
        made = js.Request.new(url, to_js(options, dict_converter=js.Object.fromEntries))
    except JsException:
        return "no URL"
    response = await egress.fetch(made)
    try:
        text = await response.text()
    except JsException:
        return "cut"
    return "leaked" if "secret" in text else str(response.headers.get("x-berth-egress") or response.status)
