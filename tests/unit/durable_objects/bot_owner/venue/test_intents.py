import itertools
from typing import Any, get_args

import pytest

from contracts.states import INTENT_ENDED, IntentState
from contracts.trading import Intent, LineOutcome, LineState
from durable_objects.bot_owner.venue.intents import MOVES, MOVING, IntentRows, digest_of, order_id, state_of
from tests.unit.durable_objects.bot_owner.venue.trading import TradingRig

S = IntentState


def outcomes(*states: LineState) -> list[LineOutcome]:
    return [LineOutcome(n=n, state=state) for n, state in enumerate(states, 1)]


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        (("filled",), S.EXECUTED),
        (("resting", "filled", "cancelled"), S.EXECUTED),
        (("declined", "filled"), S.EXECUTED),
        (("partly_filled",), S.PARTIALLY_EXECUTED),
        (("filled", "rejected"), S.PARTIALLY_EXECUTED),
        (("filled", "not_placed"), S.PARTIALLY_EXECUTED),
        (("rejected", "declined"), S.REJECTED_BY_VENUE),
        (("not_placed",), S.REJECTED_BY_VENUE),
        (("filled", "unknown"), S.UNKNOWN),
    ],
)
def test_an_intent_is_what_its_lines_are(lines: tuple[LineState, ...], state: IntentState) -> None:
    assert state_of(outcomes(*lines)) is state


def test_what_ended_is_sent_by_nobody() -> None:
    assert not [(a, b) for a, b in MOVES if a in INTENT_ENDED and b not in INTENT_ENDED]
    assert [a for a, b in MOVES if b is S.SUBMITTING] == [S.APPROVED]
    assert [a for a, b in MOVES if b is S.APPROVED] == [S.PENDING]


async def test_every_other_move_is_a_fault_and_changes_nothing(trader: TradingRig) -> None:
    intent, rows = await trader.buy(), IntentRows(trader.context.sql)
    for before, after in set(itertools.product(S, S)) - MOVES:
        with pytest.raises(AssertionError, match="no intent goes"):
            rows.move(intent.model_copy(update={"state": before}), after, 1)
    assert rows.get(intent.id) == intent


async def test_a_move_from_another_state_than_the_present_does_nothing(trader: TradingRig) -> None:
    intent, rows = await trader.buy(), IntentRows(trader.context.sql)
    assert rows.move(intent, S.APPROVED, 1)
    for state in (S.APPROVED, S.DECLINED, S.WITHDRAWN):
        assert rows.move(intent, state, 2) is None
    assert rows.get(intent.id).updated_ms == 1


async def test_the_digest_covers_all_that_was_shown(trader: TradingRig) -> None:
    intent = await trader.buy()
    assert intent.digest == digest_of("o1", intent)
    assert digest_of("o2", intent) != intent.digest
    line = intent.lines[0]
    changed: list[dict[str, Any]] = [
        {"lines": [line.model_copy(update={name: _other(value)})]}
        for name, value in line.model_dump().items()
    ]
    apart = MOVING | {"lines", "totals", "source"}
    changed += [{name: _other(getattr(intent, name))} for name in Intent.model_fields if name not in apart]
    changed += [{"totals": intent.totals.model_copy(update={"fee": "9"})}]
    changed += [{"source": intent.source.model_copy(update={"tainted": True})}]
    changed += [{"lines": [line, line]}]
    for update in changed:
        assert digest_of("o1", intent.model_copy(update=update)) != intent.digest, update
    for name in MOVING - {"digest"}:
        assert digest_of("o1", intent.model_copy(update={name: getattr(intent, name)})) == intent.digest


def test_a_line_has_one_order_id_for_ever() -> None:
    ids = {order_id(intent, n) for intent in ("int_a", "int_b") for n in range(1, 21)}
    assert len(ids) == 40
    assert all(len(one) == 34 and one.startswith("0x") for one in ids)
    assert order_id("int_a", 1) == order_id("int_a", 1)


def test_every_state_of_a_line_is_one_that_is_judged() -> None:
    for state in get_args(LineState):
        assert state_of(outcomes(state)) in S


def _other(value: Any) -> Any:
    """Another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case list():
            return ["illiquid"]
        case _:
            return f"{value}0"
