"""How much of an answer is taken, and how the pieces of calls find each other."""

import pytest

from contracts.limits import ANSWER_CHARACTERS_MAX, CALLS_A_ROUND
from durable_objects.bot_owner.models.assembly import NAME_CHARACTERS_MAX, WRITTEN_CHARACTERS_MAX, Assembly
from durable_objects.bot_owner.models.protocol import CallPart, ModelError


def test_an_answer_may_be_as_long_as_the_limit_and_no_longer() -> None:
    assembly = Assembly()
    assembly.count("x" * (ANSWER_CHARACTERS_MAX - 2))
    assembly.argue(0, ["yy"])
    with pytest.raises(ModelError, match="too long"):
        assembly.name(0, "z")


def test_calls_are_as_many_as_the_limit_and_no_more() -> None:
    assembly = Assembly()
    for place in range(CALLS_A_ROUND):
        assembly.name(place, "t")
    assembly.argue(CALLS_A_ROUND - 1, ["{}"])
    with pytest.raises(ModelError, match="more than"):
        assembly.name(CALLS_A_ROUND, "t")


def test_pieces_find_their_call_and_the_whole_takes_their_place() -> None:
    assembly = Assembly()
    assembly.name(3, "b")
    assembly.name(1, "a")
    assembly.argue(3, ['{"n"'])
    assembly.argue(1, ['{"m":1}'])
    assembly.argue(3, [":2}"])
    assembly.settle(1, ['{"m":9}'])
    assert list(assembly.calls()) == [CallPart("a", {"m": 9}, '{"m":9}'), CallPart("b", {"n": 2}, '{"n":2}')]


def test_a_name_has_an_end() -> None:
    assembly = Assembly()
    assembly.name(0, "n" * NAME_CHARACTERS_MAX)
    assembly.name(0, "more")
    assert [call.tool for call in assembly.calls()] == ["n" * NAME_CHARACTERS_MAX]


def test_arguments_that_are_repeated_as_a_whole_count_once() -> None:
    assembly = Assembly()
    whole = '{"a":"' + "x" * (ANSWER_CHARACTERS_MAX - 8) + '"}'
    assembly.argue(0, [whole[:1_000], whole[1_000:]])
    assembly.settle(0, [whole])
    (call,) = assembly.calls()
    assert call.arguments is not None
    assert len(str(call.arguments["a"])) == ANSWER_CHARACTERS_MAX - 8


def test_arguments_that_are_too_much_beside_long_texts_are_named_and_not_read() -> None:
    assembly = Assembly()
    assembly.argue(0, ["[" + "1," * WRITTEN_CHARACTERS_MAX])
    (call,) = assembly.calls()
    assert call == CallPart("", {"too_long": f"{2 * WRITTEN_CHARACTERS_MAX + 1:,} characters"}, call.raw)
