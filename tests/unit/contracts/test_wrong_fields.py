"""What a validator found wrong, as people and models read it."""

import pytest
from pydantic import ValidationError

from contracts.arguments import Arguments
from contracts.tools import AskOwner, Exec
from contracts.venue_tools import GetCandles, PlaceOrders
from contracts.wrong_fields import CHARACTERS, wrong_fields


def wrong(model: type[Arguments], **given: object) -> tuple[str, str]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(given)
    return wrong_fields(caught.value.errors(include_url=False))


def test_a_field_is_named_with_what_it_should_be() -> None:
    order = {"side": "hold", "size": "1", "symbol": "BTC", "many": True}
    assert wrong(PlaceOrders, orders=[order]) == (
        "orders.1.side should be 'buy' or 'sell'; orders.1.price is missing; orders.1.many is not known here",
        "orders.1.side, orders.1.price, orders.1.many",
    )
    told, fields = wrong(GetCandles, symbol="BTC", limit=0)
    assert (told, fields) == ("limit should be greater than or equal to 1", "limit")
    assert wrong(Exec)[0] == "command is missing"


def test_a_sentence_of_ours_is_told_without_the_validators_words() -> None:
    told, fields = wrong(AskOwner, question="Which?", choices=["a"])
    assert told == "choices belong to the kind 'choice', and it needs them"
    assert fields == ""


def test_the_part_of_a_request_is_left_out_and_the_sentence_is_cut() -> None:
    many = [{"loc": ("body", "x" * 300), "type": "missing", "msg": "Field required"}] * 9
    told, fields = wrong_fields(many)
    assert told.startswith("x")
    assert len(told) <= CHARACTERS
    assert len(fields) == 100
    assert wrong_fields([]) == ("", "")
