"""What holds for every provider over HTTP: equal answers are equal parts, equal failures are equal errors."""

import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

import pytest

from contracts.errors import ErrorCode
from contracts.limits import CALLS_A_ROUND
from contracts.records import Usage
from contracts.states import Effort
from durable_objects.bot_owner.conversation import AssistantTurn, Turn, UserTurn
from durable_objects.bot_owner.models.pictures import LEFT_OUT
from durable_objects.bot_owner.models.protocol import (
    CallPart,
    EndPart,
    ModelError,
    Part,
    ReasoningPart,
    TextPart,
)
from durable_objects.bot_owner.plan import ToolCall
from tests.model_server.script import Answer, Call, Refusal
from tests.model_server.server import WIRES
from tests.unit.durable_objects.bot_owner.models.wired import (
    KEY,
    PACKETS,
    Server,
    looked,
    parts,
    provider,
    question,
    stored,
    stream,
    wire,
)

NAMES = sorted(WIRES)
each = pytest.mark.parametrize("name", NAMES)
TWO = (Call("computer__exec", {"command": "echo 二"}), Call("computer__read_file", {"path": "größe"}))


def joined(found: list[Part]) -> list[Part]:
    """Texts that follow on each other as one, however they were cut."""
    made: list[Part] = []
    for part in found:
        last = made[-1] if made else None
        if isinstance(part, TextPart) and isinstance(last, TextPart):
            made[-1] = TextPart(last.text + part.text)
        elif isinstance(part, ReasoningPart) and isinstance(last, ReasoningPart):
            made[-1] = ReasoningPart(last.text + part.text)
        else:
            made.append(part)
    return made


@each
@pytest.mark.parametrize("packet", PACKETS)
async def test_an_answer_is_the_same_parts_whoever_gives_it(name: str, packet: int) -> None:
    answer = Answer("Gut: 二 \u2264 三 🙂", TWO, "let me think, größer")
    found = joined(await parts(provider(name, Server(*stream(name, answer, packet=packet)))))
    end = found.pop()
    assert found == [
        ReasoningPart(answer.reasoning),
        TextPart(answer.text),
        *(CallPart(call.tool, dict(call.arguments), call.json) for call in TWO),
    ]
    assert isinstance(end, EndPart)
    assert (end.stop, end.usage) == ("done", Usage(input=100, output=20, cached=60))


@each
@pytest.mark.parametrize("stop", ["done", "length", "declined"])
async def test_why_it_stopped_is_told(name: str, stop: Any) -> None:
    end = (await parts(provider(name, Server(*stream(name, Answer("a", stop=stop))))))[-1]
    assert isinstance(end, EndPart)
    assert end.stop == stop


@each
async def test_an_error_inside_the_stream_is_final_once_something_was_said(name: str) -> None:
    server = Server(*stream(name, Answer("half", fault="error")))
    with pytest.raises(ModelError, match=r"stopped with an error: .") as caught:
        await parts(provider(name, server))
    assert (caught.value.started, caught.value.may_retry) == (True, False)


@each
async def test_an_error_inside_the_stream_before_anything_may_be_tried_again(name: str) -> None:
    with pytest.raises(ModelError) as caught:
        await parts(provider(name, Server(*stream(name, Answer(fault="error")))))
    assert caught.value.may_retry


@each
@pytest.mark.parametrize("said", ["", "half"])
async def test_an_answer_that_breaks_off_is_none(name: str, said: str) -> None:
    with pytest.raises(ModelError, match="broke off") as caught:
        await parts(provider(name, Server(*stream(name, Answer(said, fault="cut")))))
    assert caught.value.may_retry is (not said)


@each
@pytest.mark.parametrize(
    ("given", "code", "again_after"),
    [
        (Refusal(429, "rate_limit_error", headers={"retry-after": "7"}), ErrorCode.MODEL_THROTTLED, 7.0),
        (Refusal(429, "rate_limit_error"), ErrorCode.MODEL_THROTTLED, 1.0),
        (Refusal(429, "insufficient_quota"), ErrorCode.MODEL_THROTTLED, None),
        (Refusal(529, "overloaded_error"), ErrorCode.MODEL_UNAVAILABLE, 1.0),
        (Refusal(500, "api_error"), ErrorCode.MODEL_UNAVAILABLE, 1.0),
        (Refusal(400), ErrorCode.MODEL_UNAVAILABLE, None),
        (Refusal(401, "authentication_error"), ErrorCode.MODEL_KEY_REFUSED, None),
        (Refusal(404, "not_found_error"), ErrorCode.MODEL_UNAVAILABLE, None),
        (Refusal(302), ErrorCode.MODEL_UNAVAILABLE, None),
        (Refusal(413, "request_too_large"), ErrorCode.MODEL_CONTEXT_FULL, None),
        (
            Refusal(400, message="prompt is too long: 210000 tokens > 200000 maximum"),
            ErrorCode.MODEL_CONTEXT_FULL,
            None,
        ),
    ],
    ids=lambda value: f"{value.status}-{value.kind}" if isinstance(value, Refusal) else None,
)
async def test_refusals_are_told_apart(
    name: str, given: Refusal, code: ErrorCode, again_after: float | None
) -> None:
    text = json.dumps(wire(name).refusal(given)).encode()
    with pytest.raises(ModelError, match=f"{given.status}: {given.message}") as caught:
        await parts(provider(name, Server(text, status=given.status, headers=given.headers)))
    assert (caught.value.code, caught.value.retry_after_s) == (code, again_after)


@each
@pytest.mark.parametrize(
    "data",
    [b"{broken", b"[1]", b"[" * 9_000 + b"]" * 9_000, b"5", b'"data"'],
    ids=["broken", "list", "deep", "number", "text"],
)
async def test_what_is_not_of_the_protocol_is_an_error(name: str, data: bytes) -> None:
    good = stream(name, Answer("half", fault="cut"), packet=1_000_000)
    with pytest.raises(ModelError, match="could not be read") as caught:
        await parts(provider(name, Server(*good, b"data: " + data + b"\n\n")))
    assert not caught.value.may_retry


@each
async def test_an_answer_may_have_as_many_calls_as_the_limit_and_no_more(name: str) -> None:
    most = [Call("t", {"n": n}) for n in range(CALLS_A_ROUND)]
    found = await parts(provider(name, Server(*stream(name, Answer(calls=most), packet=9_999))))
    assert [part.arguments for part in found if isinstance(part, CallPart)] == [c.arguments for c in most]
    too_many = Server(*stream(name, Answer(calls=[*most, most[0]]), packet=9_999))
    with pytest.raises(ModelError, match="more than"):
        await parts(provider(name, too_many))


@each
async def test_arguments_that_are_no_object_are_kept_as_text(name: str) -> None:
    class Broken(Call):
        json = '{"command": "l'

    found = await parts(provider(name, Server(*stream(name, Answer(calls=[Broken("t", {})], stop="length")))))
    assert found[0] == CallPart("t", None, Broken.json)


@each
async def test_half_a_character_becomes_a_mark(name: str) -> None:
    # JSON can carry half of one, and UTF-8 can be broken: both have to be stored and shown.
    whole = b"".join(stream(name, Answer("aXb", stop="done"))).replace(b"aXb", rb"a\ud800b")
    found = joined(await parts(provider(name, Server(whole))))
    assert found[0] == TextPart("a?b")


@each
async def test_the_key_is_sent_in_its_header_and_nowhere_else(name: str) -> None:
    server = Server(*stream(name, Answer("a")))
    await parts(provider(name, server))
    ((url, headers, body),) = server.asked
    assert url == f"https://model.invalid{wire(name).PATH}"
    assert wire(name).key_of({key.title(): value for key, value in headers.items()}) == KEY
    assert KEY not in json.dumps(body) + url
    without = Server(*stream(name, Answer("a")))
    await parts(provider(name, without), key="")
    assert not {"authorization", "x-api-key"} & set(without.asked[0][1])


@each
async def test_a_request_is_one_that_the_real_server_takes(name: str) -> None:
    server = Server(*stream(name, Answer("a")))
    history: list[Turn] = [
        UserTurn("look", 1),
        looked(1),
        AssistantTurn(("r", 2), " \n "),
        UserTurn("and now?", 9),
    ]
    await parts(provider(name, server, temperature=0.5), question(history, stored, thread_id="thr_1"))
    ((_, headers, body),) = server.asked
    assert wire(name).refuse(body, headers) is None
    assert wire(name).offered(body) == {"t"}
    assert body["temperature"] == 0.5
    assert "be good" in json.dumps(body)


@each
async def test_an_effort_is_sent_and_takes_the_place_of_the_temperature(name: str) -> None:
    server = Server(*stream(name, Answer("a")))
    await parts(provider(name, server, temperature=0.5, effort=Effort.HIGH))
    body = server.asked[0][2]
    assert "temperature" not in body
    assert wire(name).refuse(body, server.asked[0][1]) is None
    named: Mapping[str, Any] = body.get("output_config") or body.get("reasoning") or body
    assert "high" in (named.get("effort"), named.get("reasoning_effort"))


@each
async def test_what_was_thought_goes_back_to_the_same_model_in_its_place(name: str) -> None:
    thinking = Answer("I look.", TWO[:1], "first this")
    end = (await parts(provider(name, Server(*stream(name, thinking)))))[-1]
    assert isinstance(end, EndPart)
    from_stream = AssistantTurn(("r", 1), thinking.text, [_call(TWO[0])])
    for model, there in (("m", True), ("another", False)):
        server = Server(*stream(name, Answer("a")))
        asked = question([UserTurn("hi", 1), from_stream], kept=lambda _key: end.kept)
        await parts(provider(name, server, model=model, effort=Effort.LOW), asked)
        ((_, headers, body),) = server.asked
        assert wire(name).refuse(body, headers) is None
        sent = json.dumps(body)
        assert any(mark in sent for mark in ("first this", "sealed-1")) is there


def _call(call: Call) -> Any:
    return ToolCall("call_1", call.tool, dict(call.arguments))


@each
async def test_only_the_newest_pictures_are_shown_and_the_others_named(name: str) -> None:
    server = Server(*stream(name, Answer("a")))
    history: list[Turn] = [UserTurn("look", 1), *(looked(number) for number in range(10))]
    await parts(provider(name, server), question(history, stored))
    sent = json.dumps(server.asked[0][2])
    shown = [number for number in range(10) if _base64(f"key_{number}") in sent]
    assert shown == list(range(4, 9))  # eight at most, four are left out at once, and one is gone
    assert sent.count(LEFT_OUT) == 5


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()


@each
async def test_a_model_that_sees_nothing_is_asked_again_in_words(name: str) -> None:
    server = Server(*stream(name, Answer("ok")))
    server.replies = [(400, {}, (b"{}",))]
    found = await parts(provider(name, server), question([UserTurn("look", 1), looked(1)], stored))
    assert found[0] == TextPart("ok")
    assert [_base64("key_1") in json.dumps(body) for _, _, body in server.asked] == [True, False]
    assert LEFT_OUT in json.dumps(server.asked[1][2])


@each
async def test_a_refusal_without_pictures_is_not_asked_again(name: str) -> None:
    server = Server(b"{}", status=400)
    with pytest.raises(ModelError):
        await parts(provider(name, server))
    assert len(server.asked) == 1
