"""Whether a caller may do something: the credential's half and the role's half, each with its own refusal.

The Worker looks at the first half before it reads anything else; the owner's object knows the role and looks
at both. Who has no role in an owner is told what is said of an owner that does not exist.
"""

from contracts.errors import BerthError, ErrorCode
from contracts.people import ROLE_RIGHTS, Caller, Right, Role
from contracts.reasons import because


def check_credential(caller: Caller, need: Right) -> None:
    """Raises `forbidden` where what the caller is known by cannot do this, whatever the role is."""
    able = caller.operator if need == Right.OPERATE else need in caller.rights
    if not able:
        raise forbidden()


def check(caller: Caller, owner_id: str, role: Role | None, need: Right) -> None:
    """Raises `not_found` for who has no role in the owner, `forbidden` for who has one that is not enough."""
    if need == Right.OPERATE:
        check_credential(caller, need)
        return
    if role is None or caller.owner_id != owner_id:
        raise no_such_owner()
    check_credential(caller, need)
    if need not in ROLE_RIGHTS[role]:
        raise forbidden()


def forbidden() -> BerthError:
    return because(ErrorCode.FORBIDDEN, "not_permitted")


def no_such_owner() -> BerthError:
    return because(ErrorCode.NOT_FOUND, "owner_unknown")
