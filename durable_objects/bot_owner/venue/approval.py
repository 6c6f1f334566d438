"""Whether a person has to be asked: the one place that decides it, and nothing else looks at these facts."""

from contracts.states import Effect, Origin


def needs_approval(effect: Effect, *, tainted: bool, origin: Origin, allowed: bool) -> bool:
    """`allowed` says whether the owner's rules let this very thing go ahead by itself.

    Text from outside may have had a part in what is tainted: that needs a person, whatever a rule says.
    `origin` changes nothing today: a routine has no more rights than its owner's rules give the chat.
    """
    match effect, tainted, origin, allowed:
        case ((Effect.READ | Effect.COMPUTER_LOCAL), _, _, _):
            return False
        case Effect.VENUE_WRITE, False, (Origin.CHAT | Origin.ROUTINE), True:
            return False
        case _:
            return True
