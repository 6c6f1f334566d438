"""The heaviest thread: the largest file, a long output and many turns, while the model of another stalls."""

from collections.abc import Callable

from local.bench.errors import BenchError
from local.bench.relay import HEAVY
from local.client import Berth, Event, Model, Stream

SILENCE_SECONDS = 120.0


async def heavy_thread(berth: Berth, url: str, turns: int, new_id: Callable[[], str]) -> None:
    """Drive it to its end. `url` is of the models; raises BenchError where it does not end well."""
    stalling = await berth.create_thread(await berth.create_bot("Stalling", Model("openai", url, "stalls")))
    async with berth.watch(stalling) as silent:
        run_id = await berth.send(stalling, new_id(), "go")
        await _until(silent, lambda event: event.type == "part.delta")
        thread_id = await berth.create_thread(await berth.create_bot("Heavy", Model("openai", url, "heavy")))
        async with berth.watch(thread_id) as stream:
            for number in range(turns):
                await berth.send(thread_id, new_id(), f"turn {number}" if number else HEAVY)
                ended = await _until(stream, _is_rest)
                if ended.data["state"] != "done":
                    raise BenchError(f"A heavy run ended as {ended.data['state']}: {ended.data['error']}")
        # It has been silent all the time, and the others went on.
        await berth.stop(run_id)
        await _until(silent, _is_rest)


def _is_rest(event: Event) -> bool:
    return event.type == "run.status" and event.data["state"] not in ("queued", "running")


async def _until(stream: Stream, wanted: Callable[[Event], bool]) -> Event:
    while True:
        event = await stream.next(SILENCE_SECONDS)
        if wanted(event):
            return event
