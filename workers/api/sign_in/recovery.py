"""Recovery codes: the way in for who has lost their passkeys. Each is good once."""

from api.sign_in.office import Known, Office
from durable_objects.person.ways import recovery_hash, refuse


async def recover(office: Office, code: str) -> Known:
    """Raises `unauthenticated`, the same for a code that is used and one that never was."""
    office.wants("passkey")
    code = recovery_hash(code)
    if (found := await office.directory("by_recovery", code=code)) is None:
        refuse()
    await office.person(found["person_id"])("recover", code=code)
    return office.known(found)


async def new_codes(office: Office, person_id: str) -> list[str]:
    """Shown once. The directory is told first: until then they are good for nothing."""
    made = await office.person(person_id)("new_recovery_codes")
    await office.directory("keep_recovery", person_id=person_id, codes=made["hashes"])
    codes: list[str] = made["codes"]
    return codes
