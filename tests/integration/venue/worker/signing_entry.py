"""A Worker around what signs and seals, with its real curves: it plays vectors and says what came of them."""

import json
from typing import Any

from workers import Response, WorkerEntrypoint

from durable_objects.bot_owner.venue.noble import noble
from durable_objects.bot_owner.venue.signing import Agent, sign_action
from durable_objects.bot_owner.web_crypto import WebCrypto, WebCryptoCurve
from tests.vectors import actions, signing, web_push

__all__ = ["Default"]

SECRET = bytes.fromhex(actions.KEY[2:])
SHARE = 10


class Default(WorkerEntrypoint):  # type: ignore[misc]
    async def fetch(self, request: Any) -> Any:
        if str(request.url).endswith("/web-push"):
            return Response(await web_push.body_by(WebCryptoCurve(), WebCrypto()))
        curve, text = await noble(), await request.text()
        if str(request.url).endswith("/vectors"):
            return Response(json.dumps(signing.failures(curve, text)))
        address = f"0x{curve.address(SECRET).hex()}"
        made = [
            sign_action(
                curve,
                Agent(SECRET, address, network),
                action,
                network=network,
                nonce=nonce,
                expires_ms=expires,
                now_ms=0,
            )
            for n, (action, nonce, expires, network) in enumerate(actions.drawn())
            if n % SHARE == 0
        ]
        return Response(json.dumps([f"{one.r:064x}{one.s:064x}{one.v:x}" for one in made]))
