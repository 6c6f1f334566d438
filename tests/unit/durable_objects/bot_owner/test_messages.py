"""Sending: once by its client's id, whole or not at all, and always to one run."""

import pytest
from pydantic import ValidationError

from contracts.api import BranchCreate, MessageCreate, ThreadCreate
from contracts.errors import BerthError, ErrorCode
from contracts.limits import MESSAGE_BYTES_MAX, MESSAGE_CHARACTERS_MAX
from contracts.states import RunState
from tests.unit.durable_objects.bot_owner.rig import OwnerRig


def test_the_same_client_id_answers_with_the_first_result(rig: OwnerRig) -> None:
    first = rig.send("once", client_id="client-same")
    second = rig.send("once", client_id="client-same")
    assert second == first
    assert len(rig.events("message.created")) == 1


def test_a_client_id_of_another_message_is_refused(rig: OwnerRig) -> None:
    rig.send("once", client_id="client-same")
    with pytest.raises(BerthError) as caught:
        rig.send("twice?", client_id="client-same")
    assert caught.value.code == ErrorCode.INVALID_REQUEST


def test_a_client_id_of_another_thread_is_refused(rig: OwnerRig) -> None:
    rig.send("once", client_id="client-same")
    rig.thread = rig.owner.catalog.create_thread(ThreadCreate(bot_id=rig.bot.id))
    with pytest.raises(BerthError) as caught:
        rig.send("again", client_id="client-same")
    assert caught.value.code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize("text", ["", "\u200b \u202e", "   ", "\n\t"])
def test_an_empty_message_is_refused_and_leaves_nothing(rig: OwnerRig, text: str) -> None:
    with pytest.raises(BerthError):
        rig.send(text)
    assert rig.events() == []
    assert rig.owner.journal.due() == []


def test_messages_reach_the_run_that_has_not_ended(rig: OwnerRig) -> None:
    assert rig.send("one").run.id == rig.send("two").run.id
    assert len(rig.owner.journal.due()) == 1


async def test_after_the_end_a_message_begins_a_new_run(rig: OwnerRig) -> None:
    first = await rig.ask("one")
    assert rig.send("two").run.id != first


def test_the_first_message_names_the_thread(rig: OwnerRig) -> None:
    rig.send("  Look at\n the   data " + "x" * 100)
    title = rig.owner.catalog.thread(rig.thread.id).title
    assert title.startswith("Look at the data xxx")
    assert len(title) == 60


def test_a_message_to_a_deleted_thread_is_refused(rig: OwnerRig) -> None:
    rig.owner.removals.hide(rig.thread.id)
    with pytest.raises(BerthError) as caught:
        rig.send("hello?")
    assert caught.value.code == ErrorCode.NOT_FOUND


def test_a_waiting_run_goes_on_with_the_next_message(rig: OwnerRig) -> None:
    run = rig.send("one").run
    rig.owner.record.write(lambda: rig.owner.journal.move(run.id, RunState.WAITING_INPUT))
    accepted = rig.send("go on")
    assert (accepted.run.id, accepted.run.state) == (run.id, RunState.QUEUED)


def test_a_message_is_as_long_as_its_row_holds_and_no_longer() -> None:
    def message(text: str) -> MessageCreate:
        return MessageCreate(client_id="client-0001", text=text)

    most = "\1" * (MESSAGE_BYTES_MAX // 6)
    assert message(most).text == most
    with pytest.raises(ValidationError, match="as it is stored"):
        message(most + "x")
    smiles = "🙂" * MESSAGE_CHARACTERS_MAX
    assert message(smiles).text == smiles
    with pytest.raises(ValidationError, match="as it is stored"):
        BranchCreate(client_id="client-0001", seq=1, text=most + "x")
