"""Chat completions as an OpenAI-compatible server streams and checks them.

Source: platform.openai.com/docs/api-reference/chat-streaming. Text comes in small deltas, a tool call as
a first delta with its id and name and then its arguments in pieces; why it finished comes alone at the end,
and the usage behind it where it was asked for.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.model_server.script import Answer, Call, Refusal, event, pieces, speaker

PATH = "/v1/chat/completions"
DONE = b"data: [DONE]\n\n"
CREATED = 1_790_000_000
FINISH = {"length": "length", "declined": "content_filter"}


def key_of(headers: Mapping[str, str]) -> str:
    return headers.get("Authorization", "").removeprefix("Bearer ")


def kinds(body: Mapping[str, Any]) -> list[str]:
    """Who spoke, in order. Pictures that tools showed are user messages too, made of parts."""
    found = {"assistant": "model", "tool": "result", "system": "system"}
    return [found.get(message["role"]) or _speaker(message["content"]) for message in body["messages"]]


def _speaker(content: Any) -> str:
    return speaker(content) if isinstance(content, str) else "result"


def refuse(body: Mapping[str, Any], _headers: Mapping[str, str]) -> Refusal | None:
    messages = body["messages"]
    made = {call["id"] for message in messages for call in message.get("tool_calls") or ()}
    if missing := made - {message["tool_call_id"] for message in messages if message["role"] == "tool"}:
        text = "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
        return Refusal(400, message=f"{text}'tool_call_id'. Missing: {', '.join(sorted(missing))}")
    return None


def offered(body: Mapping[str, Any]) -> set[str]:
    return {tool["function"]["name"] for tool in body.get("tools", ())}


def refusal(given: Refusal) -> dict[str, Any]:
    error = {"message": given.message, "type": given.kind, "param": None, "code": given.code}
    return {"error": error}


def error_event() -> bytes:
    error = {"message": "The server had an error while processing your request.", "type": "server_error"}
    return event({"error": {**error, "param": None, "code": None}})


def events(answer: Answer, body: Mapping[str, Any], answer_id: str, piece: int) -> Iterator[bytes]:
    head = {
        "id": f"chatcmpl-{answer_id}",
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": body["model"],
        "system_fingerprint": "fp_scripted",
    }

    def delta(delta: Mapping[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return event({**head, "choices": [choice], "usage": None})

    yield b": the connection is kept\n\n"
    yield delta({"role": "assistant", "content": "" if answer.text else None, "refusal": None})
    for part in pieces(answer.reasoning, piece):
        yield delta({"reasoning_content": part})
    for part in pieces(answer.text, piece):
        yield delta({"content": part})
    yield delta({})
    if answer.fault:
        return
    yield from _calls(answer, answer_id, piece, delta)
    yield delta({}, FINISH.get(answer.stop) or ("tool_calls" if answer.calls else "stop"))
    if body.get("stream_options", {}).get("include_usage"):
        read, written, cached = answer.usage
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        usage["prompt_tokens_details"] = {"cached_tokens": cached}  # type: ignore[assignment]
        yield event({**head, "choices": [], "usage": usage})
    yield DONE


def _calls(answer: Answer, answer_id: str, piece: int, delta: Any) -> Iterator[bytes]:
    """The deltas of all calls, in turn: one of each, as long as there are any."""
    waiting = [_call_deltas(i, call, answer_id, piece) for i, call in enumerate(answer.calls)]
    while waiting:
        for deltas in list(waiting):
            if (found := next(deltas, None)) is None:
                waiting.remove(deltas)
            else:
                yield delta({"tool_calls": [found]})


def _call_deltas(index: int, call: Call, answer_id: str, piece: int) -> Iterator[dict[str, Any]]:
    first = {"name": call.tool, "arguments": ""}
    yield {"index": index, "id": f"call_{answer_id}_{index}", "type": "function", "function": first}
    for part in pieces(call.json, piece):
        yield {"index": index, "function": {"arguments": part}}
