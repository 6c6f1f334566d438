"""The one error tree: a code from the list, a sentence for people, and its HTTP status.

    BerthError            code + message (+ retry_after_s, details)
      over HTTP           an RFC 9457 problem with `code` added
      between objects     the same fields as JSON (`as_dict` and `from_dict`)

Raise `BerthError(ErrorCode.X, "…")` where the failure is known; everything else is `internal`.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict


class ErrorCode(StrEnum):
    COMPUTER_BUSY = "computer_busy"
    COMPUTER_UNAVAILABLE = "computer_unavailable"
    COMPUTER_ALLOWANCE_EXHAUSTED = "computer_allowance_exhausted"
    COMPUTER_CIRCUIT_OPEN = "computer_circuit_open"
    COMPUTER_BANNED = "computer_banned"
    WORKSPACE_FULL = "workspace_full"
    PATH_OUTSIDE_WORKSPACE = "path_outside_workspace"
    NOT_FOUND = "not_found"
    NOT_A_FILE = "not_a_file"
    BINARY_FILE = "binary_file"
    EDIT_NO_MATCH = "edit_no_match"
    EDIT_MANY_MATCHES = "edit_many_matches"
    ARTIFACT_TOO_LARGE = "artifact_too_large"
    ARTIFACT_LIMIT = "artifact_limit"
    UPLOAD_TOO_LARGE = "upload_too_large"
    COMMAND_TIMEOUT = "command_timeout"
    EGRESS_DENIED = "egress_denied"
    EGRESS_THROTTLED = "egress_throttled"
    LOGIN_REQUIRED = "login_required"
    APPROVAL_EXPIRED = "approval_expired"
    APPROVAL_CHANGED = "approval_changed"
    ALREADY_DECIDED = "already_decided"
    VENUE_REJECTED = "venue_rejected"
    VENUE_UNKNOWN = "venue_unknown"
    VENUE_UNAVAILABLE = "venue_unavailable"
    VENUE_THROTTLED = "venue_throttled"
    MODEL_UNAVAILABLE = "model_unavailable"
    MODEL_THROTTLED = "model_throttled"
    MODEL_CONTEXT_FULL = "model_context_full"
    MODEL_KEY_REFUSED = "model_key_refused"
    MODEL_DECLINED = "model_declined"
    NOTICE_NOT_SENT = "notice_not_sent"
    ROUNDS_EXHAUSTED = "rounds_exhausted"
    ROUTINE_LIMIT = "routine_limit"
    UNAUTHENTICATED = "unauthenticated"
    TOO_MANY_ATTEMPTS = "too_many_attempts"
    FORBIDDEN = "forbidden"
    SIGN_IN_UNAVAILABLE = "sign_in_unavailable"
    LAST_WAY_IN = "last_way_in"
    LAST_OWNER = "last_owner"
    BEING_DELETED = "being_deleted"
    INVALID_REQUEST = "invalid_request"
    INTERNAL = "internal"


STATUS: Mapping[ErrorCode, int] = {
    ErrorCode.COMPUTER_BUSY: 409,
    ErrorCode.COMPUTER_UNAVAILABLE: 503,
    ErrorCode.COMPUTER_ALLOWANCE_EXHAUSTED: 402,
    ErrorCode.COMPUTER_CIRCUIT_OPEN: 503,
    ErrorCode.COMPUTER_BANNED: 403,
    ErrorCode.WORKSPACE_FULL: 507,
    ErrorCode.PATH_OUTSIDE_WORKSPACE: 400,
    ErrorCode.NOT_FOUND: 404,
    ErrorCode.NOT_A_FILE: 400,
    ErrorCode.BINARY_FILE: 415,
    ErrorCode.EDIT_NO_MATCH: 409,
    ErrorCode.EDIT_MANY_MATCHES: 409,
    ErrorCode.ARTIFACT_TOO_LARGE: 413,
    ErrorCode.ARTIFACT_LIMIT: 409,
    ErrorCode.UPLOAD_TOO_LARGE: 413,
    ErrorCode.COMMAND_TIMEOUT: 408,
    ErrorCode.EGRESS_DENIED: 403,
    ErrorCode.EGRESS_THROTTLED: 429,
    ErrorCode.LOGIN_REQUIRED: 401,
    ErrorCode.APPROVAL_EXPIRED: 409,
    ErrorCode.APPROVAL_CHANGED: 409,
    ErrorCode.ALREADY_DECIDED: 409,
    ErrorCode.VENUE_REJECTED: 422,
    ErrorCode.VENUE_UNKNOWN: 504,
    ErrorCode.VENUE_UNAVAILABLE: 502,
    ErrorCode.VENUE_THROTTLED: 429,
    ErrorCode.MODEL_UNAVAILABLE: 502,
    ErrorCode.MODEL_THROTTLED: 429,
    ErrorCode.MODEL_CONTEXT_FULL: 413,
    ErrorCode.MODEL_KEY_REFUSED: 403,
    ErrorCode.MODEL_DECLINED: 422,
    ErrorCode.NOTICE_NOT_SENT: 502,
    ErrorCode.ROUNDS_EXHAUSTED: 409,
    ErrorCode.ROUTINE_LIMIT: 409,
    ErrorCode.UNAUTHENTICATED: 401,
    ErrorCode.TOO_MANY_ATTEMPTS: 429,
    ErrorCode.FORBIDDEN: 403,
    ErrorCode.SIGN_IN_UNAVAILABLE: 502,
    ErrorCode.LAST_WAY_IN: 409,
    ErrorCode.LAST_OWNER: 409,
    ErrorCode.BEING_DELETED: 409,
    ErrorCode.INVALID_REQUEST: 422,
    ErrorCode.INTERNAL: 500,
}


class Problem(BaseModel):
    """An error as it is stored in a thread and shown: `details` are facts for the code's own card."""

    model_config = ConfigDict(frozen=True)

    code: ErrorCode
    message: str
    retry_after_s: float | None = None
    details: dict[str, Any] | None = None


class BerthError(Exception):
    """A failure with a code of the list. `message` is a sentence a person can act on."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        retry_after_s: float | None = None,
        details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after_s = retry_after_s
        self.details = details

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def as_dict(self) -> dict[str, Any]:
        fields = {
            "code": str(self.code),
            "message": self.message,
            "retry_after_s": self.retry_after_s,
            "details": self.details,
        }
        return {name: value for name, value in fields.items() if value is not None}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "BerthError":
        """Rebuild an error that came from another process; an unknown code becomes `internal`."""
        try:
            code = ErrorCode(fields.get("code", ""))
        except ValueError:
            code = ErrorCode.INTERNAL
        return cls(
            code,
            str(fields.get("message") or code),
            retry_after_s=fields.get("retry_after_s"),
            details=fields.get("details"),
        )
