"""Callers for tests of cores: the person whose own owner it is, unless a test says otherwise."""

from contracts.people import OWNER_RIGHTS, Caller, Right, Via


def caller(
    person_id: str,
    owner_id: str | None = None,
    *,
    rights: frozenset[Right] = OWNER_RIGHTS,
    via: Via = Via.SESSION,
    operator: bool = False,
) -> Caller:
    return Caller(
        person_id=person_id,
        owner_id=owner_id or person_id,
        rights=rights,
        via=via,
        credential_id=f"{via}-1",
        operator=operator,
    )
