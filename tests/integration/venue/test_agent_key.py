"""A marked agent key through all of Berth: workerd, a computer, a model's server and the exchange.

Everything that any of them was sent, or wrote, or told, is searched for it in each spelling.
"""

import asyncio
import json
from typing import Any

import pytest

from contracts.venue_tools import GET_ACCOUNT, PLACE_ORDERS
from local.stack import LocalStack
from tests.integration.chat.person import Person, ended, of
from tests.integration.chat.test_models import written
from tests.integration.venue.trader import Trader, waiting
from tests.model_server.script import Answer, Call
from tests.model_server.server import ScriptedServer
from tests.model_server.server import served as model_served
from tests.venue_server.server import Answer as VenueAnswer
from tests.venue_server.spellings import found_in

# All that a command can see of its own world: every environment and every file that it may read.
LOOK = (
    "env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; "
    "find / -xdev -type f -size -200k \\( -path '/workspace/*' -o -path '/home/*' -o -path '/run/*' "
    "-o -path '/tmp/*' -o -path '/etc/*' \\) -exec cat {} + 2>/dev/null | tail -c 300000"
)
ORDER = {"symbol": "BTC", "side": "buy", "size": "0.01", "price": "70000", "tif": "Ioc"}
MODEL, EXEC = "m", "computer__exec"


@pytest.mark.timeout(300)
async def test_the_agents_key_is_in_no_channel(trader: Trader, venue_stack: LocalStack) -> None:
    person, told = trader.person, list[Any]()
    wrong = "4d" * 32
    for key in (wrong, f"{trader.key}0", f"{trader.key}\n"):
        body = {"address": trader.address, "agent_key": key}
        told.append(await person.post("/api/trading/accounts", body, expect=422))
    trader.venue.lies["userRole"] = [VenueAnswer(500, trader.key)]
    body = {"address": trader.address, "agent_key": trader.key}
    told.append(await person.post("/api/trading/accounts", body, expect=502))
    script = [
        Answer(calls=[Call(EXEC, {"command": LOOK}), Call(GET_ACCOUNT, {})]),
        Answer(calls=[Call(PLACE_ORDERS, {"orders": [ORDER]})]),
        Answer("Done."),
        Answer("Done."),
    ]
    server = ScriptedServer(script, model=MODEL)
    async with model_served(server) as url:
        model = {"provider": "openai", "base_url": url, "model": MODEL, "api_key": "k"}
        thread = await person.thread(await person.bot(model=model))
        async with thread.watched() as watch:
            run_id = (await thread.send("go"))["run"]["id"]
            await watch.until(waiting(run_id))
            intent = of(watch.seen, "approval.requested")[-1]
            trader.venue.faults[:] = ["drop_after"]
            told.append(await trader.decide(intent, 1))
            await watch.until(ended(run_id))
    looked = next(one for one in of(watch.seen, "tool.finished") if one["tool"] == EXEC)
    assert f"BERTH_ACCOUNT_ADDRESSES={trader.address}" in str(looked["command"])
    assert of(watch.seen, "intent.updated")[-1]["state"] == "executed"
    told += [watch.seen, await thread.record(), await exported(person, thread.id)]
    for path in ("approvals?pending=false", "trading", "trading/accounts", "audit", "me", "bots", "threads"):
        told.append(await person.get(f"/api/{path}"))
    channels = {
        "Berth's answers": json.dumps(told).encode(),
        "the model": repr((server.asked, server.headers)).encode(),
        "the exchange": repr((trader.venue.received, trader.venue.questions)).encode(),
    }
    files = await asyncio.to_thread(written, venue_stack.state)
    channels |= {f"the file {name}": content for name, content in files.items()}
    for key in (trader.key, wrong):
        assert [name for name, content in channels.items() if found_in(content, key)] == []
    stored = b"".join(content for name, content in files.items() if ".sqlite" in name.name)
    assert stored.count(trader.address.encode()) > 0
    assert b"v1.local." in stored
    assert any("host.log" in name.name for name in files)


async def exported(person: Person, thread_id: str) -> str:
    path = f"/api/threads/{thread_id}/export?as=json"
    async with person.session.get(path, headers=person.headers) as response:
        assert response.status == 200
        return await response.text()
