import itertools

import pytest

from contracts.states import Effect, Origin
from durable_objects.bot_owner.venue.approval import needs_approval

# effect, tainted, allowed by a rule -> asked; the origin never changes it.
ROWS = {
    (Effect.READ, False, False): False,
    (Effect.READ, False, True): False,
    (Effect.READ, True, False): False,
    (Effect.READ, True, True): False,
    (Effect.COMPUTER_LOCAL, False, False): False,
    (Effect.COMPUTER_LOCAL, False, True): False,
    (Effect.COMPUTER_LOCAL, True, False): False,
    (Effect.COMPUTER_LOCAL, True, True): False,
    (Effect.COMPUTER_EFFECT, False, False): True,
    (Effect.COMPUTER_EFFECT, False, True): True,
    (Effect.COMPUTER_EFFECT, True, False): True,
    (Effect.COMPUTER_EFFECT, True, True): True,
    (Effect.VENUE_WRITE, False, False): True,
    (Effect.VENUE_WRITE, False, True): False,
    (Effect.VENUE_WRITE, True, False): True,
    (Effect.VENUE_WRITE, True, True): True,
}


@pytest.mark.parametrize(("row", "asked"), ROWS.items(), ids=str)
@pytest.mark.parametrize("origin", Origin)
def test_who_is_asked(row: tuple[Effect, bool, bool], origin: Origin, *, asked: bool) -> None:
    effect, tainted, allowed = row
    assert needs_approval(effect, tainted=tainted, origin=origin, allowed=allowed) is asked


def test_the_table_has_every_row() -> None:
    assert set(ROWS) == set(itertools.product(Effect, (False, True), (False, True)))
