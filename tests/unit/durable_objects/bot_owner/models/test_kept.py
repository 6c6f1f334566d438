"""The order of an answer, kept beside the text and the calls that the thread knows."""

from contracts.limits import KEPT_CHARACTERS_MAX
from durable_objects.bot_owner.conversation import AssistantTurn
from durable_objects.bot_owner.models.kept import Layout, pieces
from durable_objects.bot_owner.plan import ToolCall

CALLS = [ToolCall("c1", "t", {}), ToolCall("c2", "t", {})]
THOUGHT = {"type": "thinking", "thinking": "…"}


def layout() -> Layout:
    made = Layout("m")
    made.block(THOUGHT)
    made.text(3)
    made.text(1)
    made.call()
    made.block({"n": 2})
    made.text(2)
    made.call()
    return made


def turn(text: str = "one two"[:6]) -> AssistantTurn:
    return AssistantTurn(("r", 1), text, CALLS)


def test_an_answer_comes_back_in_its_order() -> None:
    assert list(pieces(turn("oneXto"), layout().as_text(), "m")) == [
        ("block", THOUGHT),
        ("text", "oneX"),
        ("call", CALLS[0]),
        ("block", {"n": 2}),
        ("text", "to"),
        ("call", CALLS[1]),
    ]


def test_what_is_of_another_model_or_another_answer_is_left_out() -> None:
    plain = [("text", "oneXto"), ("call", CALLS[0]), ("call", CALLS[1])]
    assert list(pieces(turn("oneXto"), layout().as_text(), "another")) == plain
    assert list(pieces(turn("oneXto"), "", "m")) == plain
    shortened = list(pieces(turn("one"), layout().as_text(), "m"))
    assert shortened == [("text", "one"), ("call", CALLS[0]), ("call", CALLS[1])]
    one_call = AssistantTurn(("r", 1), "oneXto", CALLS[:1])
    assert list(pieces(one_call, layout().as_text(), "m")) == [("text", "oneXto"), ("call", CALLS[0])]


def test_text_that_was_blank_leaves_the_rest_in_its_order() -> None:
    assert list(pieces(turn(""), layout().as_text(), "m")) == [
        ("block", THOUGHT),
        ("call", CALLS[0]),
        ("block", {"n": 2}),
        ("call", CALLS[1]),
    ]


def test_an_answer_without_blocks_needs_nothing_kept() -> None:
    made = Layout("m")
    made.text(3)
    made.call()
    assert made.as_text() == ""


def test_as_much_is_kept_as_the_limit_and_no_more() -> None:
    def of(length: int) -> str:
        made = Layout("m")
        made.block({"x": "y" * length})
        return made.as_text()

    room = KEPT_CHARACTERS_MAX - len(of(0))
    assert len(of(room)) == KEPT_CHARACTERS_MAX
    assert of(room + 1) == ""
