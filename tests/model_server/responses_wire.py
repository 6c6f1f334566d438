"""OpenAI's Responses as their server streams and checks them.

Source: developers.openai.com/api/reference, responses and their streaming events. Every event is named and
numbered; an item is added, comes in pieces and is repeated whole when it is done. There is no `[DONE]`.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from tests.model_server.script import Answer, Refusal, event, pieces, speaker

Named = Callable[..., bytes]
"""(kind, **fields) -> the event"""

PATH = "/v1/responses"
KINDS = {"function_call": "model", "reasoning": "model", "function_call_output": "result"}


def key_of(headers: Mapping[str, str]) -> str:
    return headers.get("Authorization", "").removeprefix("Bearer ")


def kinds(body: Mapping[str, Any]) -> list[str]:
    return [KINDS.get(item.get("type", "")) or _speaker(item) for item in body["input"]]


def _speaker(item: Mapping[str, Any]) -> str:
    return "model" if item["role"] == "assistant" else speaker(item["content"][0]["text"])


def refuse(body: Mapping[str, Any], _headers: Mapping[str, str]) -> Refusal | None:
    made = [item["call_id"] for item in body["input"] if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in body["input"] if item.get("type") == "function_call_output"]
    if made != answered:
        missing = sorted({*made} ^ {*answered})
        return Refusal(400, message=f"No tool output found for function call {', '.join(missing)}.")
    sealed = [item["encrypted_content"] for item in body["input"] if item.get("type") == "reasoning"]
    if any(not text.startswith("sealed-") for text in sealed):
        return Refusal(400, message="The encrypted content could not be verified.")
    return None


def offered(body: Mapping[str, Any]) -> set[str]:
    return {tool["name"] for tool in body.get("tools", ())}


def refusal(given: Refusal) -> dict[str, Any]:
    return {"error": {"message": given.message, "type": given.kind, "param": None, "code": given.code}}


def error_event() -> bytes:
    error = {"code": "server_error", "message": "The server had an error.", "param": None}
    return event({"type": "error", "sequence_number": 99, **error}, "error")


def events(answer: Answer, body: Mapping[str, Any], answer_id: str, piece: int) -> Iterator[bytes]:
    numbers, places = count(), count()
    head: dict[str, Any] = {"id": f"resp_{answer_id}", "object": "response", "model": body["model"]}

    def named(kind: str, **fields: Any) -> bytes:
        return event({"type": kind, "sequence_number": next(numbers), **fields}, kind)

    begun = {**head, "status": "in_progress", "output": [], "error": None, "usage": None}
    yield named("response.created", response=begun)
    yield named("response.in_progress", response=begun)
    if answer.reasoning:
        yield from _reasoning(answer, next(places), answer_id, piece, named)
    if answer.text:
        yield from _message(answer, next(places), answer_id, piece, named)
    if answer.fault:
        return
    yield from _calls(answer, places, answer_id, piece, named)
    yield _end(answer, head, named)


def _reasoning(answer: Answer, place: int, answer_id: str, piece: int, named: Named) -> Iterator[bytes]:
    item: dict[str, Any] = {"id": f"rs_{answer_id}", "type": "reasoning", "summary": []}
    here = {"item_id": item["id"], "output_index": place, "summary_index": 0}
    yield named("response.output_item.added", output_index=place, item=item)
    part = {"type": "summary_text", "text": ""}
    yield named("response.reasoning_summary_part.added", **here, part=part)
    for delta in pieces(answer.reasoning, piece):
        yield named("response.reasoning_summary_text.delta", **here, delta=delta)
    yield named("response.reasoning_summary_text.done", **here, text=answer.reasoning)
    whole = {
        **item,
        "summary": [{**part, "text": answer.reasoning}],
        "encrypted_content": f"sealed-{answer_id}",
    }
    yield named("response.output_item.done", output_index=place, item=whole)


def _message(answer: Answer, place: int, answer_id: str, piece: int, named: Named) -> Iterator[bytes]:
    item = {"id": f"msg_{answer_id}", "type": "message", "role": "assistant", "content": []}
    here = {"item_id": item["id"], "output_index": place, "content_index": 0}
    yield named("response.output_item.added", output_index=place, item={**item, "status": "in_progress"})
    part = {"type": "output_text", "text": "", "annotations": []}
    yield named("response.content_part.added", **here, part=part)
    for delta in pieces(answer.text, piece):
        yield named("response.output_text.delta", **here, delta=delta, logprobs=[])
    if answer.fault:
        return
    yield named("response.output_text.done", **here, text=answer.text)
    whole = {**item, "status": "completed", "content": [{**part, "text": answer.text}]}
    yield named("response.output_item.done", output_index=place, item=whole)


def _calls(
    answer: Answer, places: Iterator[int], answer_id: str, piece: int, named: Named
) -> Iterator[bytes]:
    """All calls begin, then their arguments come in turn."""
    calls = [(next(places), call) for call in answer.calls]
    items = {
        place: {
            "id": f"fc_{answer_id}_{place}",
            "type": "function_call",
            "call_id": f"call_{answer_id}_{place}",
            "name": call.tool,
            "arguments": "",
        }
        for place, call in calls
    }
    for place, _ in calls:
        yield named("response.output_item.added", output_index=place, item=items[place])
    waiting = [(place, pieces(call.json, piece)) for place, call in calls]
    while waiting:
        for one in list(waiting):
            place, deltas = one
            if (delta := next(deltas, None)) is None:
                waiting.remove(one)
                continue
            here = {"item_id": items[place]["id"], "output_index": place}
            yield named("response.function_call_arguments.delta", **here, delta=delta)
    for place, call in calls:
        whole = {**items[place], "arguments": call.json}
        yield named("response.output_item.done", output_index=place, item=whole)


def _end(answer: Answer, head: Mapping[str, Any], named: Named) -> bytes:
    read, written, cached = answer.usage
    usage = {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written,
    }
    if answer.stop == "done":
        response = {**head, "status": "completed", "error": None, "incomplete_details": None, "usage": usage}
        return named("response.completed", response=response)
    reason = "max_output_tokens" if answer.stop == "length" else "content_filter"
    details = {"reason": reason}
    response = {**head, "status": "incomplete", "error": None, "incomplete_details": details, "usage": usage}
    return named("response.incomplete", response=response)
