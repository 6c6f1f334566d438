"""Everything that computerd refuses, and how that looks over HTTP.

Refusal                      an answer {code, message, details?}; the connection lives on
├── InvalidRequest           400 invalid_request
├── PathOutside              400 path_outside_workspace
├── NotAFile                 400 not_a_file
├── Forbidden                403 forbidden
├── NotFound                 404 not_found
├── MethodNotAllowed         405 invalid_request
├── Busy                     409 computer_busy
├── FileChanged              409 edit_no_match
├── NoMatch                  409 edit_no_match
├── ManyMatches              409 edit_many_matches
├── TooLarge                 413 upload_too_large
├── BinaryFile               415 binary_file
├── Unavailable              503 computer_unavailable
└── WorkspaceFull            507 workspace_full
MalformedHttp                400, and the connection is closed
ConnectionLost               nobody is there to be answered
"""

from __future__ import annotations

import errno

from . import names

_SHOWN = 200


class Refusal(Exception):
    """A request that is understood and not carried out.

    Of the details, `reason` is a code of `contracts/reasons.py`, and others are the facts of its sentence.
    """

    status = 400
    code = "invalid_request"

    def __init__(self, message: str, **details: object) -> None:
        super().__init__(message)
        self.message = message
        self.details = details

    def body(self) -> dict[str, object]:
        body: dict[str, object] = {"code": self.code, "message": self.message}
        if self.details:
            body["details"] = self.details
        return body


class InvalidRequest(Refusal):
    pass


class PathOutside(Refusal):
    code = "path_outside_workspace"


class NotAFile(Refusal):
    code = "not_a_file"


class Forbidden(Refusal):
    status, code = 403, "forbidden"


class NotFound(Refusal):
    status, code = 404, "not_found"


class MethodNotAllowed(Refusal):
    status = 405


class Busy(Refusal):
    status, code = 409, "computer_busy"


class FileChanged(Refusal):
    status, code = 409, "edit_no_match"


class NoMatch(Refusal):
    status, code = 409, "edit_no_match"


class ManyMatches(Refusal):
    status, code = 409, "edit_many_matches"


class TooLarge(Refusal):
    status, code = 413, "upload_too_large"


class BinaryFile(Refusal):
    status, code = 415, "binary_file"


class Unavailable(Refusal):
    status, code = 503, "computer_unavailable"


class WorkspaceFull(Refusal):
    status, code = 507, "workspace_full"


class MalformedHttp(Exception):
    """Bytes that are not HTTP as this service speaks it; what follows cannot be trusted."""


class ConnectionLost(Exception):
    """The peer went away, or stopped reading or writing for too long."""


_NO_SUCH = (NotFound, "There is no file {path} in the workspace.", "no_file")
_FULL = (WorkspaceFull, "The workspace is full: delete something and try again.", "disk_full")
_NOT_ALLOWED = (Forbidden, "The computer's user may not do that with {path}.", "not_allowed_with")
_NOT_REGULAR = (NotAFile, "{path} is not a regular file.", "not_regular")

_REFUSALS: dict[int, tuple[type[Refusal], str, str]] = {
    errno.ENOENT: _NO_SUCH,
    errno.ENOTDIR: _NO_SUCH,
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EACCES: _NOT_ALLOWED,
    errno.EPERM: _NOT_ALLOWED,
    errno.EROFS: _NOT_ALLOWED,
    errno.EISDIR: _NOT_REGULAR,
    errno.ENXIO: _NOT_REGULAR,
    errno.ENODEV: _NOT_REGULAR,
    errno.ENAMETOOLONG: (InvalidRequest, "The name {path} is too long.", "name_too_long"),
    errno.ELOOP: (InvalidRequest, "{path} goes through too many links.", "links_many"),
}


def refusal_of(error: OSError, path: str) -> Refusal:
    """Say what a failed call on a file means to the caller."""
    found = _REFUSALS.get(error.errno or 0)
    if found is None:
        return Unavailable(f"The file system answered: {error.strerror}.")
    kind, message, reason = found
    return kind(message.format(path=shown(path)), reason=reason, path=shown(path))


def shown(path: str) -> str:
    """A path in a sentence: quoted, cut, and valid Unicode whatever the name is made of."""
    text = names.told(path).encode("utf-8", "replace").decode()
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
