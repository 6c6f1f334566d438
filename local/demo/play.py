"""Plays the story to a served Berth: sends each act's message, follows the thread, judges, fetches the chart.

What happens is told by the narrator and judged by `facts`; this module only moves messages and bytes.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.client import Berth, ClientError, Model, Served, Stream, connect
from local.demo.chart import check_chart
from local.demo.errors import ChartError, DemoError
from local.demo.facts import Artifact, Facts, check, check_denied
from local.demo.narrator import Narrator
from local.demo.screen import Screen
from local.demo.story import Act

# The longest a command may be silent, and time for a model that thinks.
SILENCE_SECONDS = 180.0
MEDIA_TYPE = "text/csv"


@dataclass(frozen=True)
class Result:
    facts: Facts
    chart: Path
    artifact: Artifact
    kind: str


async def play(
    served: Served,
    acts: Sequence[Act],
    *,
    model: Model,
    screen: Screen,
    folder: Path,
    new_id: Callable[[], str],
) -> Result:
    """Raise a DemoError unless the whole story came true."""
    try:
        async with connect(served) as berth, screen.turning():
            thread_id = await berth.create_thread(await berth.create_bot("Demo", model))
            async with berth.watch(thread_id) as stream:
                performance = Performance(berth, thread_id, stream, screen, typed=model.provider == "manual")
                for number, act in enumerate(acts, 1):
                    screen.line(f"\n{screen.paint('bold', f'{number}. {act.title}')}\n")
                    await performance.give(act, new_id())
            check_denied(performance.facts)
            return await _fetch(berth, performance.facts, folder)
    except ClientError as error:
        raise DemoError(str(error)) from error


async def save(served: Served) -> None:
    """Have the computer save its files, for a state that is kept."""
    try:
        async with connect(served) as berth:
            await berth.standby()
    except ClientError as error:
        raise DemoError(f"The computer's files could not be saved: {error}") from error


class Performance:
    """One thread, act after act."""

    def __init__(self, berth: Berth, thread_id: str, stream: Stream, screen: Screen, *, typed: bool) -> None:
        self._berth = berth
        self._thread_id = thread_id
        self._stream = stream
        self._narrator = Narrator(screen, typed=typed)
        self.facts = Facts()

    async def give(self, act: Act, client_id: str) -> None:
        uploads = [
            await self._berth.upload(self._thread_id, path.name, path.read_bytes(), MEDIA_TYPE)
            for path in act.uploads
        ]
        run_id = await self._berth.send(self._thread_id, client_id, act.text, uploads)
        here = Facts()
        while not here.over(run_id):
            event = await self._stream.next(SILENCE_SECONDS)
            here.add(event)
            self.facts.add(event)
            self._narrator.tell(event, here)
        check(act, here.runs[run_id], here)


async def _fetch(berth: Berth, facts: Facts, folder: Path) -> Result:
    """Download the newest artifact, prove it and put it into the folder."""
    artifact = facts.artifacts[-1]
    content = await berth.artifact(artifact.id)
    kind = check_chart(content, artifact)
    name = Path(artifact.name).name
    if name != artifact.name or name in {"", ".", ".."}:
        raise ChartError(f"The chart came with a name that is no file's: {artifact.name!r}.")
    chart = folder / name
    try:
        await asyncio.to_thread(_write, chart, content)
    except OSError as error:
        raise DemoError(f"The chart cannot be written: {error}.") from error
    return Result(facts, chart, artifact, kind)


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
