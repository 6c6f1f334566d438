"""Which model answers a bot: a row a provider, made from the bot's settings and what this deployment has."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from pydantic import TypeAdapter

from contracts.api import RecordedAnswer
from contracts.errors import ErrorCode
from contracts.reasons import because
from contracts.states import Effort, Provider
from durable_objects.bot_owner.models.anthropic import MESSAGES
from durable_objects.bot_owner.models.http import Post
from durable_objects.bot_owner.models.keyed import KeyedModel
from durable_objects.bot_owner.models.manual import ManualModel
from durable_objects.bot_owner.models.openai_chat import CHAT
from durable_objects.bot_owner.models.openai_responses import RESPONSES
from durable_objects.bot_owner.models.over_http import Dialect, HttpProvider
from durable_objects.bot_owner.models.protocol import Model, Settings
from durable_objects.bot_owner.models.scripted import ScriptedModel
from durable_objects.bot_owner.models.workers_ai import Ai, WorkersAi
from durable_objects.shared.sql import Row

RECORDING = TypeAdapter(list[RecordedAnswer])
OVER_HTTP: Mapping[Provider, Dialect] = {
    Provider.OPENAI: CHAT,
    Provider.OPENAI_RESPONSES: RESPONSES,
    Provider.ANTHROPIC: MESSAGES,
}


@dataclass(frozen=True)
class Means:
    """What a deployment asks models with. `ai` is None where there is no binding of Workers AI."""

    post: Post
    ai: Ai | None
    now_ms: Callable[[], int]
    platform_keys: Mapping[Provider, str] = field(default_factory=dict, repr=False)
    """Of the operator; each is sent to its provider's own address only."""


def model_of(bot: Row, means: Means, own_key: Callable[[Row], Awaitable[str]]) -> Model:
    """The model of a bot's row. Raises `model_unavailable` for what this deployment does not have."""
    provider = Provider(bot["provider"])
    if provider == Provider.MANUAL:
        return ManualModel()
    if provider == Provider.SCRIPTED:
        return ScriptedModel(RECORDING.validate_python(json.loads(bot["recording"] or "[]")))
    effort = Effort(bot["effort"]) if bot["effort"] else None
    settings = Settings(bot["base_url"], bot["model"], effort, bot["temperature"], provider)
    if provider == Provider.WORKERS_AI:
        if means.ai is None:
            raise because(ErrorCode.MODEL_UNAVAILABLE, "workers_ai_absent")
        return KeyedModel(WorkersAi(settings, means.ai, means.now_ms), _no_key)

    async def key() -> str:
        if bot["api_key"]:
            return await own_key(bot)
        return "" if bot["base_url"] else means.platform_keys.get(provider, "")

    return KeyedModel(HttpProvider(OVER_HTTP[provider], settings, means.post, means.now_ms), key)


async def _no_key() -> str:
    return ""
