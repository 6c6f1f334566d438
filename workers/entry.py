"""What the script exports: the API, the egress entrypoint and the kinds of Durable Object.

Nothing here knows where it runs: Cloudflare and the local platform start the same folder.
"""

from collections.abc import Awaitable
from typing import Any
from urllib.parse import SplitResult, urlsplit

from workers import Request, WorkerEntrypoint, asgi

from api.app import app
from api.bodies import refusal_of
from api.contents import content_of, serve_content
from api.door import enter, let_out, refusal
from api.downloads import download_of, is_put, put_file, take_away
from api.frames import is_frame, serve_frame
from api.health import health_of
from api.no_asset import is_no_asset, page_or_nothing
from api.observed import observed
from api.streams import file_of, open_stream, stream_of, take_file
from api.uploads import part_of, take_part, take_upload, upload_to
from contracts.errors import BerthError
from contracts.people import Caller
from durable_objects.bot_computer.shell import BotComputer
from durable_objects.bot_owner.shell import BotOwner
from durable_objects.person.shell import Person
from durable_objects.platform.shell import Platform
from egress.shell import Egress

__all__ = ["BotComputer", "BotOwner", "Default", "Egress", "Person", "Platform"]


class Default(WorkerEntrypoint):  # type: ignore[misc]
    async def fetch(self, request: Any) -> Any:
        asked = request.js_object
        return await observed(asked, self.env, self.ctx, lambda: self._answer(asked))

    async def _answer(self, asked: Any) -> Any:
        if health := await health_of(asked, self.env):
            return let_out(health, urlsplit(asked.url).scheme)
        path = urlsplit(asked.url).path
        if is_frame(asked.method, path):
            return await serve_frame(asked, self.env)
        if is_no_asset(path):
            return await page_or_nothing(asked, path, self.env)
        return await self._serve(asked)

    async def _serve(self, request: Any) -> Any:
        """The answer of the API to a request of JavaScript's."""
        scheme = urlsplit(request.url).scheme
        try:
            asked, caller, cookie = await enter(request, self.env)
        except BerthError as error:
            return let_out(refusal(error), scheme)
        return let_out(await self._answered(asked, caller), scheme, cookie)

    async def _answered(self, asked: Any, caller: Caller | None) -> Any:
        """The JavaScript response to a request that was let in."""
        url = urlsplit(asked.url)
        direct = self._beside_the_app(asked, url, caller) if caller else None
        if direct is not None:
            return await direct
        if too_long := await refusal_of(asked):
            return too_long
        if caller and (thread_id := upload_to(asked.method, url.path)):
            return await take_upload(asked, self.env, caller, thread_id, url.query)
        if caller and is_put(asked.method, url.path):
            return await put_file(asked, self.env, caller, url.query)
        # Not `asgi.fetch`: it plays a whole ASGI lifespan for every request, and the app has none.
        state = {"caller": caller}
        response, work = await asgi.process_request(app, Request(asked), self.env, self.ctx, state=state)
        if not work.done():
            self.ctx.waitUntil(work)
        return response

    def _beside_the_app(self, asked: Any, url: SplitResult, caller: Caller) -> Awaitable[Any] | None:
        """The answer of a route whose bytes never pass through Python, of any length; None for all others."""
        if thread_id := stream_of(asked.method, url.path):
            return open_stream(asked, self.env, caller, thread_id, url.query)
        if file := file_of(asked.method, url.path):
            return take_file(self.env, caller, file, url.query)
        if part := part_of(asked.method, url.path):
            return take_part(asked, self.env, caller, *part)
        if content := content_of(asked.method, url.path):
            return serve_content(asked, self.env, caller, *content)
        if what := download_of(asked.method, url.path):
            return take_away(self.env, caller, what, url.query)
        return None
