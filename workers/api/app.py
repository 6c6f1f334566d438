"""The API as one FastAPI application: routes, and every failure as an RFC 9457 problem."""

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from api import (
    allowance,
    audit,
    bots,
    computer,
    docs,
    egress,
    files,
    local_sign_in,
    members,
    notices,
    operator,
    people,
    routines,
    threads,
    trading,
    workspace,
)
from api.json_bodies import BoundedJson
from api.problems import problem
from api.sign_in import own_routes
from api.sign_in import routes as sign_in_routes
from contracts import version
from contracts.errors import BerthError, ErrorCode
from contracts.reasons import because
from contracts.wrong_fields import wrong_fields

log = logging.getLogger(__name__)

CODES = {401: ErrorCode.UNAUTHENTICATED, 403: ErrorCode.FORBIDDEN, 404: ErrorCode.NOT_FOUND}

app = FastAPI(
    title="Berth",
    version=version.VERSION,
    description="Chat with a bot that has a Linux computer of its own.",
    docs_url=None,
    redoc_url=None,
    openapi_url=None,
    # What people ask is nobody's telemetry, and every request would pay for it.
    telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    default_response_class=JSONResponse,
)
app.add_middleware(BoundedJson)
for module in (
    bots,
    threads,
    files,
    workspace,
    computer,
    audit,
    allowance,
    trading,
    routines,
    egress,
    notices,
    operator,
    local_sign_in,
    people,
    members,
    sign_in_routes,
    own_routes,
    docs,
):
    app.include_router(module.router, prefix="/api")


@app.exception_handler(BerthError)
async def on_berth_error(_request: Request, error: BerthError) -> JSONResponse:
    return problem(error)


@app.exception_handler(RequestValidationError)
async def on_invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
    wrong = [{"at": ".".join(str(part) for part in e["loc"]), "what": e["msg"]} for e in error.errors()]
    words, fields = wrong_fields(error.errors())
    return problem(
        because(
            ErrorCode.INVALID_REQUEST,
            "fields_wrong",
            details={"errors": wrong[:20]},
            wrong=words or "the request is not right",
            fields=fields,
        )
    )


@app.exception_handler(HTTPException)
async def on_http_error(_request: Request, error: HTTPException) -> JSONResponse:
    code = CODES.get(error.status_code, ErrorCode.INVALID_REQUEST)
    return problem(BerthError(code, str(error.detail)), error.status_code)


@app.exception_handler(Exception)
async def on_bug(_request: Request, error: Exception) -> JSONResponse:
    log.error("a request failed", exc_info=error)
    return problem(because(ErrorCode.INTERNAL, "our_side"))
