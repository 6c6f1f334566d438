"""Whether a person has to be asked: the one place that decides it, and nothing else looks at these facts."""

from contracts.states import Effect, Origin


def needs_approval(effect: Effect, *, tainted: bool, origin: Origin, allowed: bool) -> bool:
    """`allowed` says whether a rule lets this very thing go ahead by itself: the owner's rules for the chat,
    the routine's own switch for a routine.

    Text from outside may have had a part in what is tainted: that needs a person, whatever a rule says. A
    run that used the computer is tainted, so no switch of a routine lets its orders go.
    """
    match effect, tainted, origin, allowed:
        case ((Effect.READ | Effect.COMPUTER_LOCAL), _, _, _):
            return False
        case Effect.VENUE_WRITE, False, (Origin.CHAT | Origin.ROUTINE), True:
            return False
        case _:
            return True
