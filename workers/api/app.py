"""The API as one FastAPI application: routes, and every failure as an RFC 9457 problem."""

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from api import (
    allowance,
    bots,
    computer,
    docs,
    egress,
    files,
    notices,
    operator,
    routines,
    threads,
    trading,
    workspace,
)
from api.json_bodies import BoundedJson
from api.problems import problem
from contracts import version
from contracts.errors import BerthError, ErrorCode

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
    allowance,
    trading,
    routines,
    egress,
    notices,
    operator,
    docs,
):
    app.include_router(module.router, prefix="/api")


@app.exception_handler(BerthError)
async def on_berth_error(_request: Request, error: BerthError) -> JSONResponse:
    return problem(error)


@app.exception_handler(RequestValidationError)
async def on_invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
    wrong = [{"at": ".".join(str(part) for part in e["loc"]), "what": e["msg"]} for e in error.errors()]
    first = f"{wrong[0]['at']}: {wrong[0]['what']}" if wrong else "the request is not right"
    return problem(BerthError(ErrorCode.INVALID_REQUEST, first[:500], details={"errors": wrong[:20]}))


@app.exception_handler(HTTPException)
async def on_http_error(_request: Request, error: HTTPException) -> JSONResponse:
    code = CODES.get(error.status_code, ErrorCode.INVALID_REQUEST)
    return problem(BerthError(code, str(error.detail)), error.status_code)


@app.exception_handler(Exception)
async def on_bug(_request: Request, error: Exception) -> JSONResponse:
    log.error("a request failed", exc_info=error)
    return problem(BerthError(ErrorCode.INTERNAL, "Something went wrong on our side."))
