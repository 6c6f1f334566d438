"""Taint: set before anything from outside can be read, with its cause, handed on, and never taken away."""

import json
from typing import Any

import pytest

from contracts.api import ThreadCreate
from contracts.errors import BerthError, ErrorCode
from contracts.limits import TAINT_CAUSES_KEPT
from contracts.records import CommandResult, EgressReceipt
from contracts.states import CommandState
from durable_objects.bot_owner.models.manual import ManualModel
from durable_objects.bot_owner.models.protocol import CallPart, TextPart
from tests.unit.durable_objects.bot_owner.rig import FakeComputer, OwnerRig, ScriptedModel

WORK = CallPart("computer__exec", {"command": "curl https://example.org | head"})
WORD = [TextPart("Well.")]


def receipt(host: str, *, allowed: bool = True) -> EgressReceipt:
    return EgressReceipt(host=host, method="GET", allowed=allowed, reason="r", count=1)


class Fetching(FakeComputer):
    """A computer whose commands reach hosts."""

    async def exec(self, command_id: str, arguments: Any, caller: Any, on_output: Any) -> CommandResult:
        receipts = [*(receipt(f"host{n}.example") for n in range(9)), receipt("no.example", allowed=False)]
        return CommandResult(
            id=command_id,
            state=CommandState.EXITED,
            exit_code=0,
            duration_ms=5,
            output="",
            egress=receipts,
        )


def causes(rig: OwnerRig, run_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(rig.owner.journal.row(run_id)["taint"])
    return found


async def test_a_run_says_which_command_tainted_it_and_which_hosts_answered(rig: OwnerRig) -> None:
    rig.computer = Fetching()
    rig.reborn()
    rig.model = ScriptedModel([WORK], WORD, WORD)
    run_id = await rig.ask("go")
    (started,) = rig.events("tool.started")
    assert causes(rig, run_id) == [
        {
            "kind": "call",
            "id": started["tool_call_id"],
            "tool": "computer__exec",
            "what": WORK.arguments and WORK.arguments["command"],
            "hosts": [f"host{n}.example" for n in range(5)],
        }
    ]
    assert rig.events("run.status")[-1]["taint"] == causes(rig, run_id)


async def test_causes_at_the_limit_and_one_past_it(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([WORK] * TAINT_CAUSES_KEPT, WORD, [WORK], WORD)
    run_id = await rig.ask("go")
    assert len(rig.computer.executed) == TAINT_CAUSES_KEPT + 1
    calls = [event["tool_call_id"] for event in rig.events("tool.started")]
    assert [cause["id"] for cause in causes(rig, run_id)] == calls[:TAINT_CAUSES_KEPT]


async def test_what_a_tainted_run_writes_is_marked_and_what_it_wrote_before_is_not(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([TextPart("I begin."), WORK], [TextPart("Done.")], WORD)
    await rig.ask("go")
    user, before, after, _ = rig.events("message.created")
    assert (user["tainted"], before["tainted"], after["tainted"]) == (False, False, True)


async def test_a_later_run_that_reads_the_thread_is_tainted_before_it_reads(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([WORK], WORD, WORD)
    first = await rig.ask("go")
    seen: list[int] = []

    def look(_question: object) -> list[TextPart]:
        seen.append(rig.owner.journal.row(second)["tainted"])
        return [TextPart("Hello.")]

    rig.model = ScriptedModel(look)
    second = rig.send("hi").run.id
    await rig.reborn().loop.drive(second)
    assert seen == [1]
    expected = [{"kind": "run", "id": first, "tool": "", "what": "", "hosts": []}]
    assert causes(rig, second) == expected
    assert rig.events("message.created")[-1]["tainted"] is True
    rig.model = ScriptedModel(WORD)
    assert causes(rig, await rig.ask("and now?")) == expected


async def test_a_bot_that_reads_nothing_and_another_thread_stay_clean(rig: OwnerRig) -> None:
    rig.model = ScriptedModel([WORK], WORD, WORD)
    await rig.ask("go")
    rig.model = ManualModel()
    assert causes(rig, await rig.ask("hello")) == []
    rig.thread = rig.owner.catalog.create_thread(ThreadCreate(bot_id=rig.bot.id))
    rig.model = ScriptedModel(WORD)
    assert rig.owner.journal.row(await rig.ask("hi"))["tainted"] == 0


async def test_an_attached_file_taints_when_it_is_read_and_not_by_its_name(rig: OwnerRig) -> None:
    upload_id, key = rig.owner.files.new_upload_key()
    rig.owner.files.add_upload(upload_id, key, rig.thread.id, "result.csv", "text/csv", 3)
    rig.model = ScriptedModel([TextPart("I see a file.")], [CallPart("computer__read_file", {"path": "a"})])
    assert rig.owner.journal.row(await rig.ask("look", upload_id))["tainted"] == 0
    assert rig.owner.journal.row(await rig.ask("read it"))["tainted"] == 1


@pytest.mark.parametrize("code", [ErrorCode.COMPUTER_UNAVAILABLE, ErrorCode.COMPUTER_BUSY])
async def test_a_call_that_fails_has_tainted_all_the_same(rig: OwnerRig, code: ErrorCode) -> None:
    rig.computer.error = BerthError(code, "No.")
    rig.model = ScriptedModel([WORK], WORD, WORD)
    assert len(causes(rig, await rig.ask("go"))) == 1
