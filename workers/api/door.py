"""The door: who calls is found out before anything else of a request is read."""

from typing import Any

import js

from api.access import owner_of
from api.problems import MEDIA_TYPE, problem_fields
from contracts.errors import BerthError
from durable_objects.shared.js import js_object, raw

HEADERS = ("host", "origin", "upgrade", "sec-fetch-site")


def enter(request: Any, env: Any) -> str:
    """Return the owner of a JavaScript request. Raises `unauthenticated` or `forbidden`."""
    headers = {name: value for name in HEADERS if (value := request.headers.get(name))}
    sign_in = str(getattr(raw(env), "BERTH_SIGN_IN", "") or "")
    upgrade = headers.get("upgrade", "").lower() == "websocket"
    return owner_of(sign_in, request.method, headers, upgrade=upgrade)


def refusal(error: BerthError) -> Any:
    """The error as a JavaScript response."""
    fields = problem_fields(error)
    headers = {"content-type": MEDIA_TYPE, "cache-control": "no-store", "x-content-type-options": "nosniff"}
    options = js_object({"status": fields["status"], "headers": headers})
    return js.Response.new(js.JSON.stringify(js_object(fields)), options)
