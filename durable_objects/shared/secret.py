"""Secrets that say whose they are, so the object of the person is asked and no list of all.

`berth_s_<person id>_<43 characters>` is a session's, `berth_t_…` a token, and `berth_i_<owner id>_…` the code
of an invitation to a workspace. What is kept is the SHA-256 alone:
256 random bits need no slow hash.
"""

import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from durable_objects.shared.ids import PERSON_ID, WORKSPACE_ID, Entropy

BYTES = 32
LOCAL_PERSON = "local"
LOCAL_PERSON_ID = rf"{LOCAL_PERSON}(?:-[a-z0-9][a-z0-9-]{{0,30}})?"

Kind = Literal["s", "t"]

_SECRET = re.compile(rf"berth_([st])_({PERSON_ID.pattern}|{LOCAL_PERSON_ID})_[A-Za-z0-9_-]{{43}}", re.ASCII)
_INVITATION = re.compile(rf"berth_i_({WORKSPACE_ID.pattern})_[A-Za-z0-9_-]{{43}}", re.ASCII)


@dataclass(frozen=True)
class Presented:
    """A secret as it was presented, which says nothing yet of whether it holds."""

    kind: Kind
    person_id: str
    hash: str


def chance(entropy: Entropy) -> str:
    """43 characters that nobody guesses."""
    return urlsafe_b64encode(entropy(BYTES)).rstrip(b"=").decode()


def new_secret(kind: Kind, person_id: str, entropy: Entropy) -> str:
    return f"berth_{kind}_{person_id}_{chance(entropy)}"


def presented(text: str) -> Presented | None:
    """None for what has not the form of a secret."""
    found = _SECRET.fullmatch(text)
    return Presented("s" if found[1] == "s" else "t", found[2], hashed(text)) if found else None


def new_invitation_code(owner_id: str, entropy: Entropy) -> str:
    return f"berth_i_{owner_id}_{chance(entropy)}"


def invited_to(code: str) -> tuple[str, str] | None:
    """Which workspace an invitation's code is of, and its hash; None for what has not the form of one."""
    found = _INVITATION.fullmatch(code)
    return (found[1], hashed(code)) if found else None


def hashed(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
