"""Beginning a session: what every way to sign in ends with."""

from typing import Any

from fastapi import Request, Response

from api.cookies import jar_at
from api.device import device_of
from api.person import PersonObject
from contracts.errors import ErrorCode
from contracts.reasons import because


async def begin_session(
    request: Request, response: Response, person_id: str, way: str, *, operator: bool, name: str = ""
) -> None:
    """Sign a person in at the browser that asks: its cookie goes with the response.

    `way` is for the record, `name` what to call somebody new. Raises `forbidden` at an address where no
    cookie would be safe.
    """
    jar = jar_at(request.url.scheme, request.headers.get("host", ""))
    if jar is None:
        raise because(ErrorCode.FORBIDDEN, "https_needed")
    fields: dict[str, Any] = {"way": way, "operator": operator, "name": name}
    fields["device"] = device_of(request.headers.get("user-agent", ""))
    begun = await PersonObject(request.scope["env"], person_id).ask("begin_session", **fields)
    response.headers.append("set-cookie", jar.kept(begun["secret"]))
