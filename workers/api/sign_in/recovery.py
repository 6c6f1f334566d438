"""Recovery codes: the way in for who has lost their passkeys. Each is good once."""

import logging

from api.sign_in.office import Known, Office
from contracts.errors import BerthError
from durable_objects.person.ways import new_recovery_codes, recovery_hash, refuse

log = logging.getLogger(__name__)


async def recover(office: Office, code: str) -> Known:
    """Raises `unauthenticated`, the same for a code that is used and one that never was."""
    office.wants("passkey")
    code = recovery_hash(code)
    if (found := await office.directory("by_recovery", code=code)) is None:
        refuse()
    await office.person(found["person_id"])("recover", code=code)
    return office.known(found)


async def new_codes(office: Office, person_id: str) -> list[str]:
    """Shown once. Whatever dies on the way, those before them are good for as long as these are not.

    So the directory knows both until the person has only these; what it knows too many lets nobody in.
    """
    codes = new_recovery_codes(office.entropy)
    hashes = [recovery_hash(code) for code in codes]
    await office.directory("add_recovery", person_id=person_id, codes=hashes)
    kept = await office.person(person_id)("keep_recovery_codes", hashes=hashes)
    try:
        await office.directory("forget_recovery", person_id=person_id, codes=kept["replaced"])
    except BerthError as error:
        log.warning("replaced recovery codes stay in the directory: %s", error.code)
    return codes
