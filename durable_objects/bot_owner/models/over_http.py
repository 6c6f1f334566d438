"""A provider that is asked over HTTP. What is particular to a protocol is a row: `Dialect`."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass

from durable_objects.bot_owner.conversation import Turn
from durable_objects.bot_owner.models.asking import Body, Reader, asked
from durable_objects.bot_owner.models.http import HttpAnswer, Post
from durable_objects.bot_owner.models.pictures import Images
from durable_objects.bot_owner.models.protocol import Part, Question, Settings

EVENTS_FOR_JSON = {"content-type": "application/json", "accept": "text/event-stream"}


@dataclass(frozen=True)
class Dialect:
    url: Callable[[str], str]
    """Where to ask, by the base address of the settings, which is empty for the provider's own."""
    headers: Callable[[str], Mapping[str, str]]
    """What goes along beside the type, by the key, which may be empty."""
    body: Callable[[Settings, Question, list[Turn], Images], Body]
    reader: Callable[[str], Reader]
    """A reader of one answer, by who owns what it keeps."""


class HttpProvider:
    def __init__(self, dialect: Dialect, settings: Settings, post: Post, now_ms: Callable[[], int]) -> None:
        self._dialect = dialect
        self._settings = settings
        self._post = post
        self._now_ms = now_ms

    def stream(self, question: Question, key: str) -> AsyncGenerator[Part, None]:
        dialect, settings = self._dialect, self._settings

        async def send(body: Body) -> HttpAnswer:
            headers = {**EVENTS_FOR_JSON, **dialect.headers(key)}
            return await self._post(dialect.url(settings.base_url), headers, json.dumps(body))

        def body_of(history: list[Turn], images: Images) -> Body:
            return dialect.body(settings, question, history, images)

        return asked(question, body_of, send, dialect.reader(settings.owner), self._now_ms)


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}
