"""The commands of all threads: what a page says of them, what one says by itself, and which are not shown."""

import asyncio
import json

import pytest

from contracts.api import BranchCreate, ThreadCreate
from contracts.errors import BerthError, ErrorCode
from contracts.limits import COMMAND_SHOWN_CHARACTERS, COMMANDS_A_PAGE, PURGE_SECONDS
from durable_objects.bot_owner.command_history import COMMANDS_SCHEMA
from durable_objects.bot_owner.models.protocol import CallPart
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel
from tests.unit.durable_objects.conftest import Clock


async def run(rig: OwnerRig, *commands: object) -> None:
    calls = [CallPart("computer__exec", {"command": command}) for command in commands]
    rig.model = ScriptedModel(calls, [])
    await rig.ask("go")


def shown(rig: OwnerRig, before: str | None = None, limit: int = COMMANDS_A_PAGE) -> list[str]:
    return [one.command for one in rig.owner.commands.page(before, limit).items]


async def test_commands_of_all_threads_come_newest_first(rig: OwnerRig, clock: Clock) -> None:
    await run(rig, "one", "two")
    first = rig.thread
    rig.thread = rig.owner.catalog.create_thread(ThreadCreate(bot_id=rig.bot.id))
    clock.ms += 1
    await run(rig, "three")
    page = rig.owner.commands.page(None, COMMANDS_A_PAGE)
    assert [one.command for one in page.items] == ["three", "two", "one"]
    assert [one.thread_id for one in page.items] == [rig.thread.id, first.id, first.id]
    assert [one.title for one in page.items] == ["go", "go", "go"]
    assert not page.more
    assert all(one.over and one.finished_ms for one in page.items)


async def test_a_list_leaves_out_what_is_long_and_one_by_itself_has_it(rig: OwnerRig) -> None:
    long = "x" * (COMMAND_SHOWN_CHARACTERS + 1)
    await run(rig, long, long[1:])
    second, first = rig.owner.commands.page(None, COMMANDS_A_PAGE).items
    assert first.command == second.command == long[1:]
    assert first.result is not None
    assert (first.result.output, first.result.exit_code, first.result.duration_ms) == ("", 0, 5)
    whole = rig.owner.commands.one(first.id)
    assert whole.command == long
    assert whole.result is not None
    assert whole.result.output == f"ran {long}\n"
    assert whole.model_copy(update={"command": first.command, "result": first.result}) == first


async def test_pages_follow_each_other_at_the_limit_and_one_past_it(rig: OwnerRig) -> None:
    await run(rig, *[str(n) for n in range(5)])
    page = rig.owner.commands.page(None, 5)
    assert (len(page.items), page.more) == (5, False)
    page = rig.owner.commands.page(None, 4)
    assert (len(page.items), page.more) == (4, True)
    assert shown(rig, page.items[-1].id) == ["0"]
    for lost in ("nothing", "' OR 1"):
        with pytest.raises(BerthError) as raised:
            shown(rig, lost)
        assert raised.value.code == ErrorCode.NOT_FOUND


async def test_a_refusal_and_a_command_that_is_no_text_are_shown_as_they_are(rig: OwnerRig) -> None:
    rig.computer.error = BerthError(ErrorCode.COMPUTER_UNAVAILABLE, "No.")
    await run(rig, "true", 7)
    seventh, first = rig.owner.commands.page(None, COMMANDS_A_PAGE).items
    assert first.error is not None
    assert (first.error.code, first.result) == (ErrorCode.COMPUTER_UNAVAILABLE, None)
    assert (seventh.command, seventh.result) == ("", None) or seventh.command == "7"
    assert rig.owner.commands.one(seventh.id).error == seventh.error


async def test_one_that_runs_is_not_over(rig: OwnerRig) -> None:
    rig.computer.hold = asyncio.Event()
    driving = asyncio.ensure_future(run(rig, "slow"))
    await rig.computer.begun.wait()
    (running,) = rig.owner.commands.page(None, COMMANDS_A_PAGE).items
    assert (running.over, running.finished_ms, running.result) == (False, None, None)
    rig.computer.hold.set()
    await driving
    (ended,) = rig.owner.commands.page(None, COMMANDS_A_PAGE).items
    assert ended.over
    assert ended.result is not None


async def test_other_tools_are_no_commands_and_a_branch_shows_none_twice(rig: OwnerRig) -> None:
    await run(rig, "one")
    rig.model = ScriptedModel([CallPart("computer__read_file", {"path": "a"})], [])
    await rig.ask("read")
    seq = rig.events("message.created")[-1]["seq"]
    rig.owner.branches.make(rig.thread.id, BranchCreate(client_id="client-branch", seq=seq))
    assert shown(rig) == ["one"]


async def test_those_of_a_deleted_thread_are_hidden_and_come_back_or_go(rig: OwnerRig, clock: Clock) -> None:
    await run(rig, "one")
    (one,) = rig.owner.commands.page(None, COMMANDS_A_PAGE).items
    rig.owner.removals.hide(rig.thread.id)
    assert shown(rig) == []
    with pytest.raises(BerthError):
        rig.owner.commands.one(one.id)
    rig.owner.removals.restore(rig.thread.id)
    assert shown(rig) == ["one"]
    rig.owner.removals.hide(rig.thread.id)
    clock.ms += PURGE_SECONDS * 1000 + 1
    await rig.owner.removals.sweep()
    assert rig.context.sql.execute("SELECT * FROM shown_commands") == []


async def test_what_was_there_before_is_found_in_the_events(rig: OwnerRig) -> None:
    await run(rig, "one", "two")
    await run(rig, "three")
    seq = rig.events("message.created")[-1]["seq"]
    rig.owner.branches.make(rig.thread.id, BranchCreate(client_id="client-branch", seq=seq))
    known = rig.owner.commands.page(None, COMMANDS_A_PAGE)
    rig.context.sql.run("DROP TABLE shown_commands")
    for statement in COMMANDS_SCHEMA:
        rig.context.sql.run(statement)
    again = rig.owner.commands.page(None, COMMANDS_A_PAGE)
    assert json.loads(again.model_dump_json()) == json.loads(known.model_dump_json())
