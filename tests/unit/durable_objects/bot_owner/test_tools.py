"""Calls that cannot be taken as they are, and texts that are too long for one row."""

import json

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.limits import CALL_BYTES_MAX, CALL_TEXT_CHARACTERS, WRITE_BYTES_MAX
from durable_objects.bot_owner.models.protocol import CallPart, TextPart
from durable_objects.bot_owner.plan import ToolCall
from durable_objects.bot_owner.tools import checked, journalled
from durable_objects.shared.long_text import LongText
from tests.unit.durable_objects.bot_owner.rig import OwnerRig, ScriptedModel


def remember(content: str) -> CallPart:
    return CallPart("computer__exec", {"command": content})


def write(content: str) -> CallPart:
    return CallPart("computer__write_file", {"path": "a", "content": content})


def size(part: CallPart) -> int:
    return len(json.dumps(part.arguments, ensure_ascii=False).encode())


def refused(call: ToolCall) -> str:
    with pytest.raises(BerthError) as caught:
        checked(call)
    assert caught.value.code == ErrorCode.INVALID_REQUEST
    return caught.value.message


def test_a_call_at_the_limit_is_kept_and_one_byte_more_is_refused() -> None:
    room = CALL_BYTES_MAX - size(remember(""))
    fits, over = remember("x" * room), remember("x" * (room + 1))
    assert journalled("call_1", fits).arguments == fits.arguments
    assert "too_long" in refused(journalled("call_1", over))


def test_letters_of_three_bytes_count_as_three() -> None:
    assert "too_long" in journalled("call_1", remember("数" * (CALL_BYTES_MAX // 2))).arguments


def test_a_text_at_the_limit_is_journalled_as_it_is_and_a_longer_one_by_its_beginning() -> None:
    text = "x" * CALL_TEXT_CHARACTERS
    assert journalled("call_1", write(text)) == ToolCall(
        "call_1", "computer__write_file", {"path": "a", "content": text}
    )
    longer = journalled("call_1", write(text + "y"))
    assert {name: str(whole) for name, whole in longer.whole.items()} == {"content": text + "y"}
    assert longer.arguments["content"] == f"{text}\n[… the text has 64,001 characters …]"


def test_a_file_of_the_largest_size_is_taken_and_one_byte_more_is_refused() -> None:
    for unit in ("x", "数"):
        most = unit * (WRITE_BYTES_MAX // len(unit.encode()))
        kept = journalled("call_1", write(most))
        checked(kept)
        assert str(kept.whole["content"]) == most
        assert "too_long" in refused(journalled("call_1", write(most + "xxx")))
        over = ToolCall("call_1", kept.tool, {"path": "a", "content": most + "xxx"})
        assert "5242880" in refused(over).replace(",", "")


async def test_a_long_text_reaches_the_computer_whole_and_leaves_nothing_behind(rig: OwnerRig) -> None:
    text = "数\n" * (WRITE_BYTES_MAX // 4)
    rig.model = ScriptedModel([write(text)], [TextPart("done")])
    await rig.ask("go")
    assert [arguments.content == text for arguments in rig.computer.written] == [True]
    (started,) = rig.events("tool.started")
    assert len(started["arguments"]["content"]) < CALL_TEXT_CHARACTERS + 100
    assert rig.context.sql.execute("SELECT * FROM call_texts") == []


async def test_a_long_text_outlives_the_memory_of_its_object(rig: OwnerRig) -> None:
    text = "x" * (CALL_TEXT_CHARACTERS + 1)
    rig.model = ScriptedModel([write(text)], [TextPart("done")])
    run_id = rig.send("go").run.id

    async def die(*_: object, **_more: object) -> None:
        raise KeyboardInterrupt

    rig.owner.loop._calls._tools.use = die  # type: ignore[method-assign, assignment]
    with pytest.raises(KeyboardInterrupt):
        await rig.owner.loop.drive(run_id)
    await rig.reborn().loop.drive(run_id)
    assert [arguments.content for arguments in rig.computer.written] == [text]


async def test_a_run_that_is_stopped_forgets_the_texts_of_its_calls(rig: OwnerRig) -> None:
    text = "x" * (CALL_TEXT_CHARACTERS + 1)

    def stop(_question: object) -> list[CallPart]:
        rig.owner.journal.ask_stop(run_id)
        return [write(text)]

    rig.model = ScriptedModel(stop)
    run_id = rig.send("go").run.id
    await rig.owner.loop.drive(run_id)
    assert rig.computer.written == []
    assert rig.context.sql.execute("SELECT * FROM call_texts") == []


def test_a_long_text_where_none_may_be_is_an_argument_like_others() -> None:
    part = CallPart("computer__exec", {"command": LongText(["x" * 70_000]), "more": [LongText(["二"])]})
    assert journalled("call_1", part).arguments == {"command": "x" * 70_000, "more": ["二"]}
    over = CallPart("computer__exec", {"command": [LongText(["x" * CALL_BYTES_MAX, "x"])]})
    assert journalled("call_1", over).arguments == {"too_long": f"{CALL_BYTES_MAX + 1} bytes"}


async def test_an_edit_has_its_texts_whole(rig: OwnerRig) -> None:
    old, new = "x" * (CALL_TEXT_CHARACTERS + 1), "short"
    edit = CallPart("computer__edit_file", {"path": "a", "oldText": LongText([old]), "newText": new})
    rig.model = ScriptedModel([edit], [TextPart("done")])
    await rig.ask("go")
    assert rig.events("tool.finished")[0]["text"] == f"-{old}\n+{new}\n"
