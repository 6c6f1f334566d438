from decimal import Decimal

import pytest

from contracts.venue_tools import ProposedOrder
from durable_objects.bot_owner.venue import proposal
from durable_objects.bot_owner.venue.protocol import Account, Book, Fees, Level, Market


def sight(mid: str) -> proposal.Sight:
    market = Market("BTC", 0, 5, 40, Decimal(mid), 0)
    book = Book((Level(Decimal(1), Decimal(1)),), (Level(Decimal(2), Decimal(1)),))
    account = Account(Decimal(10), Decimal(10), (), (), 0)
    return proposal.Sight({"BTC": market}, {"BTC": book}, account, Fees(Decimal(0), Decimal(0)), None)


def order(price: str, size: str) -> ProposedOrder:
    return ProposedOrder(symbol="BTC", side="buy", size=size, price=price)


@pytest.mark.parametrize("mid", ["0." + "0" * 29 + "1", "9" * 30])
def test_a_venue_whose_mid_is_absurd_makes_a_line_that_warns(mid: str) -> None:
    (line,) = proposal.lines_of("int_1", [order("999999999999", "0.1")], sight(mid))
    assert line.warnings == ["far_from_mid", "over_balance", "illiquid"]
    assert Decimal(line.distance).as_tuple().exponent in {0, -1, -2}


@pytest.mark.parametrize(("price", "distance"), [("66000", "10"), ("54000", "-10"), ("60000", "0")])
@pytest.mark.parametrize("side", ["buy", "sell"])
def test_the_distance_says_on_which_side_of_the_mid_a_price_is(side: str, price: str, distance: str) -> None:
    wanted = ProposedOrder.model_validate({"symbol": "BTC", "side": side, "size": "1", "price": price})
    (line,) = proposal.lines_of("int_1", [wanted], sight("60000"))
    assert line.distance == distance


def test_the_numbers_of_the_largest_orders_are_exact() -> None:
    orders = [order("999999999999", "0.99999"), order("999999", "999999.99999")]
    proposal.check(orders, sight("60000"))
    lines = proposal.lines_of("int_1", orders, sight("60000"))
    assert [line.notional for line in lines] == ["999989999999.00001", "999998999990.00001"]
    assert lines[-1].position_after == "1000000.99998"
