"""An agent's key through everything that an owner does: no channel has it, in whatever spelling."""

import base64
import logging
from typing import Any, Literal

import pytest

from contracts.errors import BerthError
from contracts.states import Locale
from durable_objects.bot_owner.audited import AUDITED
from durable_objects.bot_owner.export import pieces
from durable_objects.bot_owner.models.protocol import CallPart
from durable_objects.bot_owner.operations import Fields
from durable_objects.bot_owner.venue.operations import trading_operations
from tests.unit.durable_objects.bot_owner.rig import ScriptedModel
from tests.unit.durable_objects.bot_owner.venue.real import ACCOUNT, KEY, RealRig
from tests.unit.durable_objects.bot_owner.venue.trading import BUY
from tests.venue_server.server import Answer
from tests.venue_server.spellings import found_in, spellings

MARKED = "c0ffee" + "5ec2e7" * 9 + "0d15"


def test_each_spelling_is_found_wherever_it_stands() -> None:
    raw = bytes.fromhex(MARKED)
    assert len(MARKED) == 64
    for text in (MARKED.encode(), MARKED.upper().encode(), raw):
        for before in range(4):
            for behind in range(4):
                hidden = b"x" * before + text + b"y" * behind
                assert found_in(hidden, MARKED)
                assert found_in(base64.b64encode(hidden), MARKED)
                assert found_in(base64.urlsafe_b64encode(hidden), MARKED)
    assert found_in(str(int(MARKED, 16)).encode(), MARKED)
    assert not found_in(MARKED[:-1].encode(), MARKED)
    assert all(len(one) > 30 for one in spellings(MARKED))


async def test_no_channel_out_of_an_owner_has_the_key(
    owner_at_venue: RealRig, caplog: pytest.LogCaptureFixture
) -> None:
    rig, said = owner_at_venue, list[Any]()
    caplog.set_level(logging.DEBUG)
    audited: list[Any] = []

    table = trading_operations(rig.owner.trading, lambda: None)

    async def ask(operation: str, fields: Fields) -> None:
        try:
            said.append(await table[operation](fields))
        except BerthError as error:
            said.append(error.as_dict())
        else:
            if entry := AUDITED.get(operation):
                audited.append(entry.facts(fields, said[-1]))

    connect = {"body": {"address": ACCOUNT, "agent_key": f"0x{KEY}"}}
    await ask("connect_trading_account", connect)
    await ask("connect_trading_account", {"body": {"address": "0x" + "b2" * 20, "agent_key": KEY}})
    # The exchange out of reach, and one that says everything back.
    rig.stand_in.lies["userRole"] = [Answer(500, KEY), Answer(200, f'{{"role": "{KEY}"}}')]
    await ask("connect_trading_account", connect)
    await ask("connect_trading_account", connect)
    assert [one["code"] for one in said if isinstance(one, dict)] == [
        "invalid_request", "venue_unavailable", "venue_unavailable",
    ]  # fmt: skip
    exec_call = CallPart("computer__exec", {"command": "env"})
    run_id = await rig.propose(BUY, before=(exec_call,))
    rig.stand_in.faults = ["drop_after"]
    intent = rig.pending()
    await ask("decide_approval", {"id": intent.id, "body": {"digest": intent.digest, "approve": [1]}})
    await rig.go_on()
    assert rig.run_state(run_id) == "done"
    for operation in ("trading", "trading_accounts"):
        await ask(operation, {})
    said.append(rig.owner.trading.accounts.addresses())
    await ask("approvals", {"pending": False, "before": None, "limit": 50})
    model = rig.model
    assert isinstance(model, ScriptedModel)
    thread = rig.owner.catalog.thread(rig.thread.id)
    rows = list(rig.owner.record.all(thread.id, until=thread.head_seq))
    kinds: tuple[Literal["markdown"], Literal["json"]] = ("markdown", "json")
    exports = ["".join(pieces(kind, thread, "Data", Locale.ENGLISH, rows)) for kind in kinds]
    channels = {
        "answers": repr(said),
        "events": repr(rows),
        "exports": repr(exports),
        "the model": repr(model.questions),
        "the computer": repr(vars(rig.computer)),
        "the exchange": repr(rig.stand_in.received) + repr(rig.stand_in.questions),
        "the record of operators": repr(audited),
        "the log": caplog.text,
        "what is stored": repr(stored(rig)),
    }  # fmt: skip
    assert [name for name, text in channels.items() if found_in(text.encode(), KEY)] == []
    # Each of them did have something to say.
    assert len(rig.computer.executed) == len(rig.sent) == 1
    assert len(audited) == 2
    assert "is not known" in caplog.text
    assert all(len(text) > 50 for text in channels.values())


def stored(rig: RealRig) -> list[Any]:
    tables = rig.context.sql.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return [rig.context.sql.execute(f'SELECT * FROM "{one["name"]}"') for one in tables]  # noqa: S608


async def test_an_object_that_holds_the_key_does_not_print_it(owner_at_venue: RealRig) -> None:
    trading = owner_at_venue.owner.trading
    shown = repr(trading) + repr(vars(trading.accounts)) + repr(trading.accounts.all())
    assert not found_in(shown.encode(), KEY)
