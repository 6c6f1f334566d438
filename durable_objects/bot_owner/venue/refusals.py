"""Why nothing is ordered: a code for each reason, which pages translate, and its sentence for the rest."""

from collections.abc import Mapping
from typing import Literal

from contracts.errors import BerthError, ErrorCode
from contracts.trading import Refusal

WORDS: Mapping[Refusal, str] = {
    "halted": "Trading is halted: only cancelling is possible. The owner can switch it on again.",
    "reducing": "Trading is reducing only: every order has to be reduce_only.",
    "stopped": "The run was stopped.",
    "price_moved": "The price has moved since it was shown.",
    "rules_changed": "The rule that let it go ahead does not allow it any more.",
    "account_removed": "The account was removed.",
    "not_connected": "This account is not connected any more.",
    "watch_only": "This account is watch-only: orders need the key of an agent of it.",
    "agent_expired": "The agent's key has expired. Make a new agent in the venue's app and connect it anew.",
    "account_changed": "The account was connected anew meanwhile.",
    "key_unreadable": "The stored agent key cannot be read any more. Connect the account again.",
    "other_network": "This account is of another network than the one that is traded on here.",
    "no_exchange": "This deployment has no exchange.",
    "market_changed": "The venue's market is not what it was when it was shown.",
    "not_signed": "This is not signed.",
    "venue_unavailable": "The venue could not be asked.",
    "venue_throttled": "The venue wants to rest.",
}
# Nothing, where nothing keeps it back.
Kept = Refusal | Literal[""]


def refused(reason: Refusal, words: str = "") -> BerthError:
    """A `forbidden` with its reason in the details; `words` where there is more to say than the code does."""
    return BerthError(ErrorCode.FORBIDDEN, words or WORDS[reason], details={"reason": reason})


def reason_of(error: BerthError) -> Refusal:
    """The code of an error that kept something back."""
    for found in ((error.details or {}).get("reason"), error.code.value):
        for known in WORDS:
            if found == known:
                return known
    return "not_signed"


def told(reason: str) -> str:
    """The sentence of a stored reason, which may be older than today's codes."""
    return next((words for known, words in WORDS.items() if known == reason), reason)
