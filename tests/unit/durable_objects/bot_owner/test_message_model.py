"""A message may name another model of its bot's provider, and another effort: its run asks as it says."""

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError

from contracts.api import BotChange, BranchCreate, MessageAccepted, MessageCreate, ModelChoice
from contracts.errors import BerthError, ErrorCode
from contracts.limits import MODEL_NAME_CHARACTERS_MAX
from contracts.records import Usage
from contracts.states import Effort, Provider
from durable_objects.bot_owner.models.protocol import CallPart, EndPart, TextPart
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel

WORK = CallPart("computer__exec", {"command": "work"})


def with_model(rig: OwnerRig, provider: Provider = Provider.OPENAI) -> None:
    model = ModelChoice(provider=provider, model="plain", effort=Effort.LOW)
    rig.owner.catalog.change_bot(rig.bot.id, BotChange(model=model))


def send(rig: OwnerRig, client_id: str, **choice: Any) -> MessageAccepted:
    wanted = MessageCreate(client_id=client_id, text="go", **choice)
    return rig.owner.inbox.accept(rig.thread.id, wanted)


def asked(rig: OwnerRig) -> list[tuple[str, str]]:
    """(model, effort) of each model that was made."""
    return [(bot["model"], bot["effort"]) for bot in rig.models_made]


async def test_its_run_asks_what_it_names_and_the_next_one_the_bots_own(rig: OwnerRig) -> None:
    with_model(rig)
    rig.model = ScriptedModel([TextPart("One.")], [TextPart("Two.")])
    accepted = send(rig, "client-0001", model="clever", effort="high")
    assert (accepted.message.model, accepted.message.effort) == ("clever", Effort.HIGH)
    await rig.owner.loop.drive(accepted.run.id)
    await rig.owner.loop.drive(send(rig, "client-0002").run.id)
    assert asked(rig) == [("clever", "high"), ("plain", "low")]
    assert [event["model"] for event in rig.events("message.created")] == ["clever", None, None, None]


async def test_one_of_both_leaves_the_other_as_the_bot_has_it(rig: OwnerRig) -> None:
    with_model(rig)
    rig.model = ScriptedModel([TextPart("One.")], [TextPart("Two.")])
    await rig.owner.loop.drive(send(rig, "client-0001", effort="high").run.id)
    await rig.owner.loop.drive(send(rig, "client-0002", model="clever").run.id)
    assert asked(rig) == [("plain", "high"), ("clever", "low")]


async def test_a_message_to_a_run_under_way_holds_from_its_next_answer_on(rig: OwnerRig) -> None:
    with_model(rig)
    rig.computer.hold = asyncio.Event()
    rig.model = ScriptedModel([WORK], [TextPart("Done.")], [TextPart("Done, seen.")])
    run = send(rig, "client-0001").run
    driving = asyncio.ensure_future(rig.owner.loop.drive(run.id))
    await asyncio.wait_for(rig.computer.begun.wait(), 60)
    assert send(rig, "client-0002", model="clever").run.id == run.id
    # One that names nothing does not take it back.
    send(rig, "client-0003")
    rig.computer.hold.set()
    await asyncio.wait_for(driving, 60)
    assert asked(rig) == [("plain", "low"), ("clever", "low")]


async def test_it_holds_after_the_object_lost_its_memory(rig: OwnerRig) -> None:
    with_model(rig)
    run = send(rig, "client-0001", model="clever").run
    rig.reborn()
    rig.model = ScriptedModel([TextPart("One.")])
    await rig.owner.loop.drive(run.id)
    assert asked(rig) == [("clever", "low")]


async def test_what_its_answer_costs_is_put_down_to_the_model_that_gave_it(rig: OwnerRig) -> None:
    with_model(rig)
    rig.model = ScriptedModel([TextPart("One."), EndPart(usage=Usage(input=10, output=2))])
    await rig.owner.loop.drive(send(rig, "client-0001", model="clever").run.id)
    rows = rig.context.sql.execute("SELECT DISTINCT model FROM ledger WHERE kind = 'model'")
    assert [row["model"] for row in rows] == ["openai:clever"]


@pytest.mark.parametrize("choice", [{"model": "clever"}, {"effort": "high"}])
def test_a_bot_without_a_model_has_none_to_choose(rig: OwnerRig, choice: dict[str, str]) -> None:
    with pytest.raises(BerthError) as caught:
        send(rig, "client-0001", **choice)
    assert caught.value.code == ErrorCode.INVALID_REQUEST
    assert rig.events() == []


@pytest.mark.parametrize(
    "choice", [{"model": ""}, {"model": "m" * (MODEL_NAME_CHARACTERS_MAX + 1)}, {"effort": "most"}]
)
def test_what_is_no_name_or_no_effort_is_refused(choice: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        MessageCreate.model_validate({"client_id": "client-0001", "text": "go", **choice})
    longest = "m" * MODEL_NAME_CHARACTERS_MAX
    assert MessageCreate(client_id="client-0001", text="go", model=longest).model == longest


async def test_sent_again_in_a_branch_it_names_the_same_as_long_as_its_bot_has_models(rig: OwnerRig) -> None:
    with_model(rig, Provider.WORKERS_AI)
    rig.model = ScriptedModel([TextPart("One.")])
    accepted = send(rig, "client-0001", model="clever", effort="high")
    await rig.owner.loop.drive(accepted.run.id)
    made = rig.owner.branches.make(rig.thread.id, BranchCreate(client_id="branch-0001", seq=accepted.seq))
    assert (made.accepted.message.model, made.accepted.message.effort) == ("clever", Effort.HIGH)
    rig.owner.catalog.change_bot(rig.bot.id, BotChange(model=ModelChoice()))
    made = rig.owner.branches.make(rig.thread.id, BranchCreate(client_id="branch-0002", seq=accepted.seq))
    assert (made.accepted.message.model, made.accepted.message.effort) == (None, None)
