"""What every answer says a browser may do with it, for each kind of answer that there is.

Over plain http, as here, the Worker does not ask for https (`tests/unit/workers/api/test_headers.py`).
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread
from tests.integration.faults import Faults

PARENT = "https://app.example"
EVERYWHERE = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
NOBODY = {"x-frame-options": "DENY"}
# A part of the answer's policy, by who may frame it; what is sent as an attachment is shown nowhere.
FRAMED = {
    "nobody": "frame-ancestors 'none'",
    "us": "frame-ancestors 'self'",
    "us and parent": f"frame-ancestors 'self' {PARENT}",
    "attachment": "sandbox; default-src 'none'",
    "parent": f"frame-ancestors {PARENT};",
}
VIEW = {"cross-origin-resource-policy": "cross-origin", "cross-origin-embedder-policy": "require-corp"}
OPENS = {"accept": "text/html", "sec-fetch-mode": "navigate"}
HTML = b"<script>alert(1)</script>"
WORKER_FIRST = ("/api/", "/embed/", "/healthz", "/readyz")


@dataclass(frozen=True)
class Kind:
    """One kind of answer: how it is asked for, and in what it differs from others. None is `not there`."""

    path: str
    status: int = 200
    method: str = "GET"
    framed: str = "nobody"
    asked: dict[str, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)
    says: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def of_files(self) -> bool:
        """Whether it comes from the files of the page, past the Worker."""
        return not self.path.startswith(WORKER_FIRST) and self.status not in {404, 500}

    async def wrong(self, person: Person) -> list[str]:
        """What of its headers is not as it should be."""
        # Files of the page are asked for by nobody in particular.
        known = person.headers if self.path.startswith("/api/") else {}
        headers = {**known, **self.asked}
        async with person.session.request(
            self.method, self.path, headers=headers, allow_redirects=False, **self.more
        ) as response:
            found = {name.lower(): value for name, value in response.headers.items()}
            if response.status != self.status:
                return [f"{self}: {response.status} {(await response.text())[:200]}"]
        return [f"{self.method} {self.path} {self.status}: {text}" for text in self._differs(found)]

    def _differs(self, found: dict[str, str]) -> Iterator[str]:
        alone = NOBODY if self.framed == "nobody" else {"x-frame-options": None}
        for name, value in {**EVERYWHERE, **alone, **self.says}.items():
            if found.get(name) != value:
                yield f"{name}: {found.get(name)}"
        policy = found.get("content-security-policy", "")
        framed_by = FRAMED[self.framed] in policy and (PARENT in policy) == ("parent" in self.framed)
        if not framed_by or "default-src 'none'" not in policy:
            yield f"content-security-policy: {policy}"
        # A picture that is shown may style itself, in a sandbox where nothing runs.
        if "'unsafe-" in policy.replace("style-src 'unsafe-inline'", "") or "script-src 'unsafe" in policy:
            yield f"content-security-policy: {policy}"
        if "camera=()" not in found.get("permissions-policy", ""):
            yield "permissions-policy"
        # Nobody keeps a redirect or an answer to a POST that does not say so.
        if "cache-control" not in found and self.status not in {307, 405}:
            yield "cache-control"
        if self.of_files != ("strict-transport-security" in found):
            yield "strict-transport-security"


@pytest.fixture(scope="module")
def embedding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """One that a page may frame, and on whose files faults can be ordered."""
    told = {"BERTH_EMBED_ORIGINS": PARENT}
    with LocalStack(tmp_path_factory.mktemp("embedding"), vars=told, faults=True) as running:
        yield running


@pytest.fixture
async def guest(embedding: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(embedding) as made:
        yield made
        await made.post("/api/computer/standby")


async def check(person: Person, *kinds: Kind) -> None:
    found = await asyncio.gather(*(kind.wrong(person) for kind in kinds))
    wrong = [text for texts in found for text in texts]
    assert not wrong, "\n".join(wrong)


async def asset_of(person: Person) -> tuple[str, str]:
    """A part of the page, and its tag."""
    async with person.session.get("/", headers=person.headers) as page:
        part = re.findall(r'src="(/assets/[^"]+)"', await page.text())[0]
    async with person.session.get(part, headers=person.headers) as found:
        return part, found.headers["etag"]


async def test_the_page_and_its_parts(guest: Person, embedding: LocalStack) -> None:
    part, tag = await asset_of(guest)
    await check(
        guest,
        Kind("/"),
        Kind("/", method="HEAD"),
        Kind("/t/thr_x", asked=OPENS),
        Kind("/t/thr_x", asked={"accept": "text/html"}),
        Kind("/index.html", 307),
        Kind(part),
        Kind(part, 304, asked={"if-none-match": tag}),
        Kind("/service-worker.js"),
        Kind("/swagger/swagger-ui.css"),
        Kind("/assets/gone-0a1b2c.js", 404, says={"cache-control": "no-store"}),
        Kind("/nothing.png", 404),
        Kind("/", 405, method="POST"),
        Kind("/nothing", 404, method="POST"),
    )
    await Faults(embedding).arm("service.fetch", "fail")
    await check(guest, Kind("/t/thr_x", 500, asked={"accept": "text/html"}))


async def test_the_api_and_its_refusals(guest: Person) -> None:
    data: dict[str, str | None] = {"cache-control": "no-store"}
    json = {"content-type": "application/json"}
    await check(
        guest,
        *(Kind(path, says=data) for path in ("/healthz", "/readyz", "/api/me", "/api/openapi.json")),
        Kind("/api/me", 405, method="HEAD"),
        Kind("/api/docs"),
        Kind("/api/usage.csv", framed="attachment"),
        Kind("/api/audit.jsonl"),
        Kind("/api/bots", 201, method="POST", more={"json": {"name": "Bot"}}, says=data),
        Kind("/api/bots", 422, method="POST", more={"json": {}}, says=data),
        Kind("/api/bots", 422, method="POST", asked=json, more={"data": b"{"}, says=data),
        Kind("/api/bots", 422, method="POST", asked=json, more={"data": _piece_by_piece()}, says=data),
        Kind("/api/bots", 403, method="POST", asked={"origin": "https://evil.example"}, says=data),
        Kind("/api/bots", 401, asked={"authorization": "Bearer x"}, says=data),
        Kind("/api/bots", 403, asked={"host": "evil.example"}, says=data),
        Kind("/api/nothing", 404, says=data),
        Kind("/api/threads/x", 404, says=data),
        Kind("/api/threads/x/stream", 404, says=data),
        Kind("/api/threads/x/export", 404, says=data),
        Kind("/api/files/content?path=a", 503, says=data),
        Kind("/api/usage.csv", 405, method="PUT", says=data),
    )


async def test_streams_and_files(guest: Person, embedding: LocalStack) -> None:
    thread = await guest.thread()
    upload = f"/api/uploads/{await guest.upload(thread, 'a.html', HTML, 'text/html')}/content"
    pdf = f"/api/uploads/{await guest.upload(thread, 'a.pdf', b'%PDF', 'application/pdf')}/content"
    artifact = await _exported(guest, thread)
    alone: dict[str, str | None] = {"cross-origin-embedder-policy": None}
    await check(
        guest,
        Kind(f"/api/threads/{thread.id}/stream"),
        Kind(f"/api/threads/{thread.id}/export", framed="attachment"),
        Kind(upload, framed="us", says=alone),
        Kind(upload, 206, framed="us", asked={"range": "bytes=0-3"}),
        Kind(upload, 416, framed="us", asked={"range": "bytes=900-"}),
        Kind(f"{pdf}?preview=1", framed="us", says=alone),
        Kind(artifact, framed="us", says=alone),
        # It stands in the frame of a view.
        Kind(
            f"{artifact}?preview=1",
            framed="us and parent",
            says={"cross-origin-embedder-policy": "require-corp"},
        ),
        Kind("/api/artifacts/art_x/content", 404),
        Kind("/api/files/content?path=page.html", framed="attachment"),
        Kind("/api/files/archive?path=", framed="attachment"),
        Kind("/api/files/content?path=nothing", 404),
    )
    await Faults(embedding).arm("r2.get", "fail")
    await check(guest, Kind(upload, 500, says={"cache-control": "no-store"}))


async def test_a_view_says_all_that_a_frame_can_have(guest: Person, embedding: LocalStack) -> None:
    view = VIEW | {"cache-control": "no-cache"}
    await check(
        guest,
        Kind("/embed/t/thr_x", framed="parent", says=view),
        Kind("/embed/t/thr_x", method="HEAD", framed="parent", says=view),
        Kind("/embed/nothing", framed="parent", says=view),
        Kind("/embed/t/thr_x", 404, method="POST"),
    )
    await Faults(embedding).arm("service.fetch", "fail")
    await check(guest, Kind("/embed/t/thr_x", 500, says={"cache-control": "no-store"}))


async def test_a_view_that_nobody_may_frame_is_a_page_as_any_other(person: Person) -> None:
    await check(person, Kind("/embed/t/thr_x", says={"cross-origin-embedder-policy": None}))


async def _exported(person: Person, thread: Thread) -> str:
    await thread.exec("echo '<p>here' > page.html")
    await thread.run("/export page.html")
    [artifact] = (await person.get("/api/artifacts"))["items"]
    return f"/api/artifacts/{artifact['id']}/content"


async def _piece_by_piece() -> AsyncIterator[bytes]:
    """A body that does not say how long it is."""
    yield b"{}"
