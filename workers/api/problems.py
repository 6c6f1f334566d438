"""An error of the list as an RFC 9457 problem."""

from http import HTTPStatus
from typing import Any

from fastapi.responses import JSONResponse

from contracts.errors import STATUS, BerthError
from telemetry.trace import note

MEDIA_TYPE = "application/problem+json"


def problem_fields(error: BerthError, status: int | None = None) -> dict[str, Any]:
    """`status` where HTTP itself has a more exact one than the code."""
    status = status or STATUS[error.code]
    note(code=error.code)
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        **error.as_dict(),
    }


def problem(error: BerthError, status: int | None = None) -> JSONResponse:
    fields = problem_fields(error, status)
    return JSONResponse(fields, status_code=fields["status"], media_type=MEDIA_TYPE)
