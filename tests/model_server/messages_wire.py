"""Anthropic's Messages as their server streams and checks them.

Source: platform.claude.com/docs, streaming, tool use, thinking and prompt caching. Blocks begin, come in
pieces and stop, with `ping`s between. Thinking is signed, and while tools are used it has to come back as
it was.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.model_server.script import Answer, Refusal, event, pieces, speaker

PATH = "/v1/messages"
STOPS = {"length": "max_tokens", "declined": "refusal"}
MARKS_MAX = 4


def key_of(headers: Mapping[str, str]) -> str:
    return headers.get("X-Api-Key", "")


def kinds(body: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for message in body["messages"]:
        if message["role"] == "assistant":
            found.append("model")
        else:
            found += [
                "result" if b["type"] == "tool_result" else speaker(b["text"]) for b in message["content"]
            ]
    return found


def refuse(body: Mapping[str, Any], headers: Mapping[str, str]) -> Refusal | None:
    messages = body["messages"]
    roles = [message["role"] for message in messages]
    wrong = [
        ("anthropic-version: header is required", not headers.get("anthropic-version")),
        ("max_tokens: Field required", "max_tokens" not in body),
        ("messages: roles must alternate, beginning with user", roles != _alternating(len(roles))),
        ("messages: text content blocks must be non-empty", any(map(_is_blank, _blocks(messages)))),
        ("a maximum of 4 blocks with cache_control may be provided", _marks(body) > MARKS_MAX),
        ("tool_use ids were found without tool_result blocks immediately after", not _is_answered(messages)),
        ("thinking blocks cannot be modified", not _is_signed(messages)),
        ("temperature may only be set to 1 when thinking is enabled", _hot_thinking(body)),
    ]
    return next((Refusal(400, message=message) for message, is_wrong in wrong if is_wrong), None)


def _alternating(length: int) -> list[str]:
    return [("user", "assistant")[n % 2] for n in range(length)]


def _blocks(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for message in messages:
        yield from message["content"]


def _is_blank(block: Mapping[str, Any]) -> bool:
    return block["type"] == "text" and not block["text"].strip()


def _marks(body: Mapping[str, Any]) -> int:
    blocks = [*body["system"], *_blocks(body["messages"])]
    return sum("cache_control" in block for block in blocks)


def _is_answered(messages: list[dict[str, Any]]) -> bool:
    for message, after in zip(messages, [*messages[1:], {"content": []}], strict=True):
        made = [block["id"] for block in message["content"] if block["type"] == "tool_use"]
        answered = [block["tool_use_id"] for block in after["content"] if block["type"] == "tool_result"]
        if made != answered:
            return False
    return True


def _is_signed(messages: list[dict[str, Any]]) -> bool:
    """Thinking that comes back is as it was signed, and stands before what followed on it."""
    for message in messages:
        for place, block in enumerate(message["content"]):
            if block["type"] == "thinking" and (block["signature"] != _sign(block["thinking"]) or place):
                return False
    return True


def _hot_thinking(body: Mapping[str, Any]) -> bool:
    return "thinking" in body and body.get("temperature", 1) != 1


def _sign(thought: str) -> str:
    return f"signed-{len(thought)}-{hash_of(thought)}"


def hash_of(text: str) -> int:
    return sum(position * ord(character) for position, character in enumerate(text, 1))


def offered(body: Mapping[str, Any]) -> set[str]:
    return {tool["name"] for tool in body.get("tools", ())}


def refusal(given: Refusal) -> dict[str, Any]:
    return {"type": "error", "error": {"type": given.kind, "message": given.message}, "request_id": "req_1"}


def error_event() -> bytes:
    error = {"type": "overloaded_error", "message": "Overloaded"}
    return event({"type": "error", "error": error}, "error")


def events(answer: Answer, body: Mapping[str, Any], answer_id: str, piece: int) -> Iterator[bytes]:
    def named(kind: str, **fields: Any) -> bytes:
        return event({"type": kind, **fields}, kind)

    read, written, cached = answer.usage
    usage = {
        "input_tokens": read - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": 1,
    }
    message: dict[str, Any] = {
        "id": f"msg_{answer_id}",
        "type": "message",
        "role": "assistant",
        "content": [],
    }
    message |= {
        "content": [],
        "model": body["model"],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield named("message_start", message=message)
    yield named("ping")
    for index, (begun, deltas) in enumerate(_content(answer, answer_id, piece)):
        yield named("content_block_start", index=index, content_block=begun)
        yield named("ping")
        for delta in deltas:
            yield named("content_block_delta", index=index, delta=delta)
        if answer.fault and begun["type"] == "text":
            return
        yield named("content_block_stop", index=index)
    if answer.fault:
        return
    stop = STOPS.get(answer.stop) or ("tool_use" if answer.calls else "end_turn")
    delta = {"stop_reason": stop, "stop_sequence": None}
    yield named("message_delta", delta=delta, usage={"output_tokens": written})
    yield named("message_stop")


def _content(
    answer: Answer, answer_id: str, piece: int
) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Each block as it begins, and its deltas."""
    if answer.reasoning:
        thoughts = [{"type": "thinking_delta", "thinking": part} for part in pieces(answer.reasoning, piece)]
        signature = {"type": "signature_delta", "signature": _sign(answer.reasoning)}
        yield {"type": "thinking", "thinking": "", "signature": ""}, [*thoughts, signature]
    if answer.text:
        said = [{"type": "text_delta", "text": part} for part in pieces(answer.text, piece)]
        yield {"type": "text", "text": ""}, said
    for number, call in enumerate(answer.calls):
        begun = {"type": "tool_use", "id": f"toolu_{answer_id}_{number}", "name": call.tool, "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in pieces(call.json, piece)]
        yield begun, [{"type": "input_json_delta", "partial_json": ""}, *deltas]
