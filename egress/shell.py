"""The egress entrypoint: judges each request of a computer, notes the verdict, sends what may pass.

The owner comes in `ctx.props`, set by BotComputer when it starts the machine; the container cannot
forge it. The computer's object is told before anything leaves, and has a say of its own. Redirects are
handed back and judged anew when the computer follows them.
"""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable
from contextlib import aclosing
from dataclasses import replace
from functools import lru_cache
from typing import Any

import js
from pyodide.ffi import JsException, to_js
from workers import Response, WorkerEntrypoint

from contracts.errors import BerthError, ErrorCode
from egress.answers import (
    LOOK_UP,
    LOOKED_UP,
    REFUSED_HEADER,
    Answer,
    denied,
    keeps_response_header,
    outgoing_headers,
    refusal,
    refused_before,
    sent_bytes,
)
from egress.bodies import BodyError, judged_body
from egress.own import own_rule
from egress.policy import Verdict, decide, opens, policy_for, with_own_rules
from egress.registries import REGISTRIES
from egress.rules import Allow, Policy, PolicyError
from egress.streams import octets
from egress.transfer import Transfer, unasked
from telemetry.counters import count
from telemetry.shell import event
from telemetry.trace import carried

log = logging.getLogger(__name__)

ARRAY_FROM = getattr(js.Array, "from")
LOOK_UP_METHOD = "DNS"
UNREACHABLE = Answer(502, {"content-type": "text/plain"}, "The host could not be reached.\n")


class Egress(WorkerEntrypoint):  # type: ignore[misc]
    async def fetch(self, request: Any) -> Any:
        with event(getattr(self.env, "_env", self.env), self.ctx, "egress"):
            try:
                return await self._judged(request.js_object)
            except BerthError as error:
                count("egress", outcome=error.code)
                return _answer(refusal(error))
            except Exception:
                # The border: how this broke is for the log; the runtime would tell it to the computer.
                log.exception("a request could not be judged")
                return _answer(refusal(unasked()))

    async def _judged(self, wanted: Any) -> Any:
        """Raises the BerthError that refuses or cuts it."""
        policy = _policy(str(getattr(self.env, "BERTH_HOSTS", "") or ""))
        owner = str(self.ctx.props.owner)

        def new_computer() -> Any:
            return self.env.BOT_COMPUTER.getByName(owner)

        computer = new_computer()
        verdict = decide(policy, wanted.method, wanted.url)
        if wanted.headers.get(REFUSED_HEADER) == LOOK_UP:
            return await _looked_up(computer, owner, policy, verdict)
        if verdict.rule == "default":
            own = with_own_rules(policy, await _own_rules(computer, owner))
            verdict = decide(own, wanted.method, wanted.url, owner=owner, now_ms=int(time.time() * 1000))
        transfer = Transfer(new_computer, _line(wanted.method, verdict))
        try:
            return await self._through(transfer, wanted, verdict)
        except BaseException:
            transfer.end()
            raise

    async def _through(self, transfer: Transfer, wanted: Any, verdict: Verdict) -> Any:
        verdict, body = await _with_body(transfer, verdict, wanted)
        transfer.line = _line(wanted.method, verdict)
        said = json.loads(await transfer.computer.admit_egress(json.dumps(transfer.line)))
        if "error" in said:
            raise BerthError.from_dict(said["error"])
        count("egress", outcome="allowed" if verdict.allowed else "denied")
        if not verdict.allowed:
            transfer.end()
            return _answer(denied(verdict))
        headers = outgoing_headers(_pairs(wanted.headers), query=body is not None)
        transfer.sends(sent_bytes(verdict.url, headers, body))
        outgoing = _outgoing(wanted.method, verdict.url, headers, body)
        answer, rest = await transfer.watched(_fetched(transfer, outgoing))
        for name, _ in _pairs(answer.headers):
            if not keeps_response_header(name):
                answer.headers.delete(name)
        self.ctx.waitUntil(asyncio.ensure_future(_finished(transfer, rest)))
        return answer


async def _looked_up(computer: Any, owner: str, policy: Policy, verdict: Verdict) -> Any:
    """A program has looked a name up: where nothing there may be asked, that stands on the receipt."""
    own = with_own_rules(policy, await _own_rules(computer, owner))
    if opens(own, verdict.host, owner, int(time.time() * 1000)):
        return _answer(Answer(204, {}, ""))
    verdict = _but(verdict, LOOK_UP, LOOKED_UP)
    await computer.admit_egress(json.dumps(_line(LOOK_UP_METHOD, verdict)))
    return _answer(denied(verdict))


async def _fetched(transfer: Transfer, outgoing: Any) -> tuple[Any, Awaitable[None]]:
    """The answer of the other side, and what makes it whole; in its place why there is none."""
    try:
        response = await js.fetch(outgoing, signal=transfer.signal, encodeResponseBody="manual")
        if response.status >= 200:
            return await transfer.answer(response)
        # Else a change of protocol that nobody asked for: what follows would be judged by no rule.
    except JsException as error:
        if transfer.cut:
            raise
        log.warning("an allowed request failed: %s", error)
    return _answer(UNREACHABLE).js_object, transfer.report()


async def _finished(transfer: Transfer, rest: Awaitable[None]) -> None:
    try:
        await rest
    finally:
        transfer.end()


@lru_cache(maxsize=1)
def _policy(own_hosts: str) -> Policy:
    """The policy of this bundle; a broken one lets nothing pass."""
    try:
        return policy_for(REGISTRIES, own_hosts.replace(",", " ").split())
    except PolicyError:
        log.exception("the egress policy is broken: nothing may leave")
        return Policy()


async def _own_rules(computer: Any, owner: str) -> list[Allow]:
    """What the owner has opened; asked for only where no other rule says anything."""
    found = json.loads(await computer.egress_rules())
    return [own_rule(owner, rule["host"], rule["path"], rule["until_ms"]) for rule in found]


async def _with_body(transfer: Transfer, verdict: Verdict, wanted: Any) -> tuple[Verdict, bytes | None]:
    """The verdict on the whole request, and the body to send. Raises the BerthError that cuts it."""
    if wanted.headers.has(REFUSED_HEADER):
        verdict = _but(verdict, *refused_before(wanted.headers.get(REFUSED_HEADER)))
    if wanted.headers.get("upgrade"):
        return _but(verdict, "upgrade", "a connection cannot change its protocol"), None
    if verdict.allow is None:
        return verdict, None
    if js.URL.new(verdict.url).href != verdict.url:
        return _but(verdict, "malformed", "the address cannot be read"), None
    if not wanted.body and verdict.allow.body == "none":
        return verdict, None
    try:
        return verdict, await transfer.watched(_body(verdict.allow, wanted))
    except BodyError as error:
        return _but(verdict, error.rule, error.reason), None


async def _body(allow: Allow, wanted: Any) -> bytes | None:
    async with aclosing(octets(wanted.body)) as parts:
        return await judged_body(allow, parts)


def _but(verdict: Verdict, rule: str, reason: str) -> Verdict:
    return replace(verdict, allowed=False, rule=rule, reason=reason, allow=None)


def _line(method: str, verdict: Verdict) -> dict[str, Any]:
    """The request as a line of its command's receipt."""
    return {
        "host": verdict.host,
        "method": method,
        "reason": verdict.rule if verdict.allowed else f"{verdict.rule}: {verdict.reason}",
        "code": None if verdict.allowed else ErrorCode.EGRESS_DENIED,
        "trace": carried(),
    }


def _answer(answer: Answer) -> Any:
    return Response(answer.body, status=answer.status, headers=dict(answer.headers))


def _outgoing(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Any:
    options: dict[str, Any] = {"method": method, "headers": headers, "redirect": "manual"}
    if body is not None:
        options["body"] = to_js(body)
    return js.Request.new(url, to_js(options, dict_converter=js.Object.fromEntries))


def _pairs(headers: Any) -> list[list[str]]:
    """All headers in one crossing of the border: each would cost as much as the whole list."""
    pairs: list[list[str]] = json.loads(js.JSON.stringify(ARRAY_FROM(headers)))
    return pairs
