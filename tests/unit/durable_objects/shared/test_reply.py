"""Replies between objects keep results and errors of the list, and let nothing else through."""

import json
import logging

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.events import HelloData
from contracts.records import Computer
from contracts.states import ComputerState
from durable_objects.shared.reply import JsonText, opened, opened_text, sealed

STANDBY = Computer(state=ComputerState.STANDBY, since_ms=0)


async def test_a_result_comes_back_as_it_was() -> None:
    async def work() -> dict[str, object]:
        return {"a": [1, "两", None]}

    assert opened(await sealed(work)) == {"a": [1, "两", None]}


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"a": 1}, '{"a": 1}'),
        (None, "null"),
        (JsonText('[1,  "}"]'), '[1,  "}"]'),
        (HelloData(protocol=1, thread_id="t", head_seq=0, computer=STANDBY), '{"protocol":1,'),
    ],
)
async def test_a_result_can_be_handed_on_as_text(result: object, text: str) -> None:
    async def work() -> object:
        return result

    reply = await sealed(work)
    assert opened_text(reply).startswith(text)
    assert opened(reply) == json.loads(opened_text(reply))


async def test_an_error_of_the_list_keeps_every_field() -> None:
    async def work() -> None:
        raise BerthError(ErrorCode.COMPUTER_BUSY, "Busy.", retry_after_s=5, details={"running": []})

    with pytest.raises(BerthError) as caught:
        opened(await sealed(work))
    assert caught.value.as_dict() == {
        "code": "computer_busy",
        "message": "Busy.",
        "retry_after_s": 5,
        "details": {"running": []},
    }


async def test_an_unforeseen_exception_shows_no_inner_text(caplog: pytest.LogCaptureFixture) -> None:
    async def work() -> None:
        raise RuntimeError("secret path /x/y")

    with caplog.at_level(logging.ERROR), pytest.raises(BerthError) as caught:
        opened(await sealed(work))
    assert caught.value.code == ErrorCode.INTERNAL
    assert "secret" not in str(caught.value)
    assert "secret path" in caplog.text
