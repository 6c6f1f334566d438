"""What the script exports: the API, the egress entrypoint and the three kinds of Durable Object.

Nothing here knows where it runs: Cloudflare and the local platform start the same folder.
"""

from collections.abc import Awaitable
from typing import Any
from urllib.parse import SplitResult, urlsplit

from workers import WorkerEntrypoint, asgi

from api.app import app
from api.bodies import refusal_of
from api.contents import content_of, serve_content
from api.door import enter, refusal
from api.downloads import download_of, take_away
from api.streams import file_of, open_stream, stream_of, take_file
from api.uploads import part_of, take_part, take_upload, upload_to
from contracts.errors import BerthError
from durable_objects.bot_computer.shell import BotComputer
from durable_objects.bot_owner.shell import BotOwner
from durable_objects.platform.shell import Platform
from egress.shell import Egress

__all__ = ["BotComputer", "BotOwner", "Default", "Egress", "Platform"]


class Default(WorkerEntrypoint):  # type: ignore[misc]
    async def fetch(self, request: Any) -> Any:
        asked = request.js_object
        url = urlsplit(asked.url)
        try:
            owner_id = enter(asked, self.env)
        except BerthError as error:
            return refusal(error)
        direct = self._beside_the_app(asked, url, owner_id)
        if direct is not None:
            return await direct
        if too_long := await refusal_of(asked):
            return too_long
        if thread_id := upload_to(asked.method, url.path):
            return await take_upload(asked, self.env, owner_id, thread_id, url.query)
        # Not `asgi.fetch`: it plays a whole ASGI lifespan for every request, and the app has none.
        state = {"owner_id": owner_id}
        response, work = await asgi.process_request(app, request, self.env, self.ctx, state=state)
        if not work.done():
            self.ctx.waitUntil(work)
        return response

    def _beside_the_app(self, asked: Any, url: SplitResult, owner_id: str) -> Awaitable[Any] | None:
        """The answer of a route whose bytes never pass through Python, of any length; None for all others."""
        if thread_id := stream_of(asked.method, url.path):
            return open_stream(asked, self.env, owner_id, thread_id, url.query)
        if file := file_of(asked.method, url.path):
            return take_file(self.env, owner_id, file, url.query)
        if part := part_of(asked.method, url.path):
            return take_part(asked, self.env, owner_id, *part)
        if content := content_of(asked.method, url.path):
            return serve_content(asked, self.env, owner_id, *content)
        if what := download_of(asked.method, url.path):
            return take_away(self.env, owner_id, what, url.query)
        return None
