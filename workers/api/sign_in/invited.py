"""Whether an invitation to a workspace lets somebody new come to this Berth: the workspace itself says it."""

from api.sign_in.office import OF_WORKSPACE, Office
from contracts.errors import BerthError, ErrorCode


async def vouched_by(office: Office, code: str, who: str = "") -> str:
    """The workspace whose invitation this is, where it lets `who` in; empty otherwise.

    `code` is as `code_hash` makes it. Without `who` nothing changes: it says whether it would. Told twice of
    the same, the answer is the same, and from then on it lets nobody else in.
    """
    if OF_WORKSPACE not in code:
        return ""
    owner_id, hashed = code.split(OF_WORKSPACE)
    try:
        said = await office.workspace(owner_id)("lets_in", hash=hashed, who=who)
    except BerthError as error:
        if error.code == ErrorCode.NOT_FOUND:
            return ""
        raise
    return owner_id if said["holds"] else ""
