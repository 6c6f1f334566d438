"""Which model answers a bot, at which address, and whose key goes there."""

from typing import Any

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.states import Provider
from durable_objects.bot_owner.models import anthropic, openai_chat
from durable_objects.bot_owner.models.choose import Means, model_of
from durable_objects.bot_owner.models.manual import ManualModel
from durable_objects.shared.sql import Row
from tests.model_server.script import Answer
from tests.model_server.server import WIRES
from tests.unit.durable_objects.bot_owner.models.wired import Server, now_ms, question, stream

PLATFORM = {Provider.OPENAI: "sk-platform-1", Provider.ANTHROPIC: "sk-platform-2"}
BASE_URLS = {
    "openai": openai_chat.BASE_URL,
    "openai_responses": openai_chat.BASE_URL,
    "anthropic": f"{anthropic.BASE_URL}/v1",
}


def bot(provider: str, **more: Any) -> Row:
    empty = {"base_url": "", "model": "m", "api_key": "", "effort": None, "temperature": None}
    return {"provider": provider, "recording": None, **empty, **more}


async def own_key(row: Row) -> str:
    return f"opened {row['api_key']}"


async def asked(row: Row) -> tuple[str, str]:
    """The address and the key of a question."""
    server = Server(*stream(row["provider"], Answer("a")))
    model = model_of(row, Means(server, None, now_ms, PLATFORM), own_key)
    assert model.reads_results
    _ = [part async for part in model.answer(question())]
    ((url, headers, _body),) = server.asked
    key_of = WIRES[row["provider"]].key_of
    return url, key_of({name.title(): value for name, value in headers.items()})


@pytest.mark.parametrize("provider", sorted(WIRES))
async def test_the_platforms_key_goes_to_the_providers_own_address_and_nowhere_else(provider: str) -> None:
    url, key = await asked(bot(provider))
    assert url.startswith(BASE_URLS[provider])
    assert key == PLATFORM.get(Provider(provider), "")
    elsewhere = "https://elsewhere.example/v1"
    assert await asked(bot(provider, base_url=elsewhere)) == (url.replace(BASE_URLS[provider], elsewhere), "")


@pytest.mark.parametrize("provider", sorted(WIRES))
async def test_an_owners_key_goes_before_the_platforms(provider: str) -> None:
    _, key = await asked(bot(provider, api_key="sealed"))
    assert key == "opened sealed"


def test_what_needs_no_provider_and_what_is_not_there() -> None:
    means = Means(Server(), None, now_ms)
    assert isinstance(model_of(bot("manual"), means, own_key), ManualModel)
    with pytest.raises(BerthError) as caught:
        model_of(bot("workers_ai"), means, own_key)
    assert caught.value.code == ErrorCode.MODEL_UNAVAILABLE
    assert "sk-platform" not in repr(Means(Server(), None, now_ms, PLATFORM))
