"""The API described: `/api/openapi.json`, and a page at `/api/docs` that renders it.

The page loads Swagger UI from this same address (it is copied beside the web's own files when the
web is built), so nothing is asked of anybody else.
"""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from api import contents, downloads, streams, uploads

router = APIRouter(include_in_schema=False)

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Berth API</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/swagger/swagger-ui.css">
<div id="swagger-ui"></div>
<script src="/swagger/swagger-ui-bundle.js"></script>
<script src="/swagger/start.js"></script>
</html>
"""


@router.get("/openapi.json")
async def openapi(request: Request) -> dict[str, Any]:
    described: dict[str, Any] = request.app.openapi()
    for route in (streams, uploads, downloads, contents):
        described["paths"] |= route.OPENAPI
    return described


@router.get("/docs")
async def docs() -> HTMLResponse:
    return HTMLResponse(PAGE, headers={"content-security-policy": POLICY, "x-frame-options": "DENY"})
