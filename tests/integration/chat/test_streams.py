"""The event stream: no gap, no double, over WebSocket and server-sent events."""

import json
from typing import Any

import aiohttp
import pytest

from tests.integration.chat.person import UNTIL_NO_SLEEP, Thread, ended, is_type, of
from tests.integration.waiting import SECONDS


async def test_a_reload_in_the_middle_shows_the_tail_and_goes_on_without_a_gap(thread: Thread) -> None:
    wait = "until [ -e go ]; do sleep 0.05; done"
    async with thread.watched() as first:
        text = f"$ for i in 1 2 3 4; do echo line $i; [ $i != 2 ] || {wait}; done"
        run_id = (await thread.send(text))["run"]["id"]
        await first.until(lambda event: "line 2" in json.dumps(event))
    last = max(event["seq"] for event in first.seen if "seq" in event)
    async with thread.watched(last) as second:
        await second.until(is_type("tool.output"))
        await (await thread.person.thread()).exec("touch go")
        await second.until(ended(run_id))
    seqs = [event["seq"] for event in second.seen if "seq" in event]
    assert seqs == list(range(last + 1, last + 1 + len(seqs)))
    output = of(second.seen, "tool.output")
    assert output[0]["offset"] == 0
    assert output[0]["text"].startswith("line 1\nline 2\n")
    shown = ""
    for piece in output:
        assert piece["offset"] <= len(shown)
        shown = shown[: piece["offset"]] + piece["text"]
    assert shown == of(second.seen, "tool.finished")[0]["text"][: len(shown)]


async def test_every_watcher_sees_the_same_record(thread: Thread) -> None:
    async with thread.watched() as one, thread.watched() as two:
        run_id = (await thread.send("$ echo hi"))["run"]["id"]
        await one.until(ended(run_id))
        await two.until(ended(run_id))
    record = await thread.record()
    for watch in (one, two):
        assert [event for event in watch.seen if "seq" in event] == record


async def test_a_stream_opens_with_hello_and_says_when_it_has_caught_up(thread: Thread) -> None:
    await thread.run("hello")
    async with thread.watched() as watch:
        await watch.until(is_type("caught_up"))
    assert watch.seen[0]["type"] == "hello"
    assert watch.seen[0]["data"]["thread_id"] == thread.id
    assert watch.seen[-1]["data"]["seq"] == watch.seen[0]["data"]["head_seq"]


async def test_server_sent_events_carry_the_same_and_resume_by_their_id(thread: Thread) -> None:
    await thread.run("hello")
    record = await thread.record()
    assert await sse(thread, {}) == [(str(event["seq"]), event) for event in record]
    assert await sse(thread, {"last-event-id": "2"}) == [(str(event["seq"]), event) for event in record[2:]]


async def sse(thread: Thread, headers: dict[str, str]) -> list[tuple[str, dict[str, Any]]]:
    """The persisted events of a stream until it has caught up, with their ids."""
    found: list[tuple[str, dict[str, Any]]] = []
    path = f"/api/threads/{thread.id}/stream"
    async with thread.person.session.get(path, headers={**thread.person.headers, **headers}) as response:
        assert response.headers["content-type"] == "text/event-stream"
        event_id = ""
        async for line in response.content:
            text = line.decode().rstrip("\n")
            if text.startswith("id: "):
                event_id = text[4:]
            elif text.startswith("data: "):
                event = json.loads(text[6:])
                if event["type"] == "caught_up":
                    return found
                if "seq" in event:
                    found.append((event_id, event))
    raise AssertionError("the stream ended before it caught up")


async def test_pings_are_answered_and_nonsense_closes(thread: Thread) -> None:
    async with thread.watched() as watch:
        await watch.until(is_type("caught_up"))
        await watch.socket.send_str('{"type":"ping"}')
        assert await watch.until(is_type("pong"))
        await watch.socket.send_str("nonsense")
        message = await watch.socket.receive(timeout=SECONDS)
        assert message.type in {aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED}
        assert watch.socket.close_code == 1007


async def test_the_same_message_twice_is_one(thread: Thread) -> None:
    first = await thread.send("hello", client_id="the-same-id")
    again = await thread.send("hello", client_id="the-same-id")
    assert again["seq"] == first["seq"]
    assert again["message"] == first["message"]


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"origin": "http://evil.example"}, {"origin": "null"}],
)
async def test_a_socket_from_elsewhere_is_refused(thread: Thread, headers: dict[str, str]) -> None:
    path = f"/api/threads/{thread.id}/stream"
    with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
        async with thread.person.session.ws_connect(path, headers={**thread.person.headers, **headers}):
            pass
    assert caught.value.status == 403


async def test_a_deleted_thread_closes_its_streams_and_stops_its_command(thread: Thread) -> None:
    async with thread.watched() as watch:
        await thread.send("$ echo up; sleep 300")
        await watch.until(is_type("tool.output"))
        await thread.person.ask("DELETE", f"/api/threads/{thread.id}", expect=204)
        while not watch.socket.closed:
            await watch.socket.receive(timeout=SECONDS)
        assert watch.socket.close_code == 4404
    other = await thread.person.thread()
    assert (await other.exec(UNTIL_NO_SLEEP))["output"] == "gone\n"
