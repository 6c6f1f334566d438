"""`./berth bench web`: what the page costs its reader, in a long thread in which a command prints.

Everything is real: workerd, the computer, Chromium without a graphics card. The floor is the least that a
page can do with the same stream: one field and the newest output as text, with nothing kept.
"""

import itertools
import json
import statistics
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from gzip import compress
from typing import Any

import aiohttp

from local.bench.errors import BenchError
from local.bench.rows import Row, row, significant
from local.bench.series import Samples, Statistic, p95
from local.bench.web_floor import FLOOR
from local.bench.web_thread import Progress, Thread
from local.bundle import ROOT
from local.stack import LocalStack

BENCH = "web"
CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    # The floor's document comes from no address, and may ask the server all the same.
    "--disable-features=LocalNetworkAccessChecks",
)
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 430, "height": 932}
CARDS = 5_000
PATIENCE_MS = 120_000
KEYS = "The quick brown fox jumps over the lazy dog. "
# An interaction below it is not reported, and counts as this much.
SHORTEST_MS = 16.0
KB, MIB = 1_000, 1024 * 1024

FIRST_CARD = Statistic("first_card", "ms", statistics.median)
HEAP = Statistic("js_heap", "MiB", statistics.median)
LAG = (
    Statistic("two_browsers_lag_p50", "ms", statistics.median),
    Statistic("two_browsers_lag_p95", "ms", p95),
)

# Written before a page's own scripts: when its first card is there, and how long each interaction took until
# something was drawn, as the Event Timing API has it.
WATCHING = """
window.interactions = new Map();
new PerformanceObserver((list) => {
  for (const { interactionId, duration } of list.getEntries())
    if (interactionId)
      interactions.set(interactionId, Math.max(duration, interactions.get(interactionId) ?? 0));
}).observe({ type: "event", durationThreshold: 16, buffered: true });
new MutationObserver((_, observer) => {
  if (document.querySelector("[data-card]") === null) return;
  window.firstCard = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });
"""
# When each mark of a command's output could first be read.
MARKS = """() => {
  window.marks = {};
  new MutationObserver(() => {
    for (const [, mark] of document.body.innerText.matchAll(/mark-(\\d+)\\b/g))
      marks[mark] ??= performance.timeOrigin + performance.now();
  }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""


def _percentile(hundredths: int) -> Callable[[Sequence[float]], float]:
    return lambda samples: sorted(samples)[min(len(samples) - 1, len(samples) * hundredths // 100)]


INPUTS = (
    Statistic("input_p75", "ms", _percentile(75)),
    Statistic("input_p98", "ms", _percentile(98)),
)


@dataclass(frozen=True)
class Reach:
    cards: int
    openings: int
    keys: int

    @classmethod
    def of(cls, runs: int) -> "Reach":
        return cls(
            cards=min(CARDS, 25 * runs), openings=max(2, min(5, runs // 20)), keys=min(200, max(40, runs))
        )


async def bench_web(stack: LocalStack, reach: Reach, progress: Progress) -> AsyncIterator[Row]:
    try:
        from playwright.async_api import Error, async_playwright  # noqa: PLC0415 - of those who develop it
    except ImportError as error:
        raise BenchError("This needs Playwright: ./berth test browser brings it.") from error
    yield _first_load()
    try:
        async with AsyncExitStack() as cleanup:
            session = await cleanup.enter_async_context(
                aiohttp.ClientSession(stack.url, headers=stack.headers)
            )
            playwright = await cleanup.enter_async_context(async_playwright())
            browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
            cleanup.push_async_callback(browser.close)
            thread = Thread(session)
            await thread.begin()
            await thread.fill(reach.cards, progress)
            desk = Desk(browser, stack.url, await _signed_in(browser, stack))
            async for found in _measured(desk, thread, reach, progress):
                yield found
    except Error as error:
        raise BenchError(f"The browser failed: {error.message.splitlines()[0]}") from error


@dataclass(frozen=True)
class Desk:
    """Where pages are opened, each with an empty cache, by somebody who has signed in."""

    browser: Any
    url: str
    state: Any

    async def page(self, cleanup: AsyncExitStack, **shape: Any) -> Any:
        context = await self.browser.new_context(service_workers="block", storage_state=self.state, **shape)
        cleanup.push_async_callback(context.close)
        context.set_default_timeout(PATIENCE_MS)
        return await context.new_page()


async def _signed_in(browser: Any, stack: LocalStack) -> Any:
    context = await browser.new_context(service_workers="block")
    page = await context.new_page()
    await page.goto(f"{stack.url}/#token={stack.token}")
    await page.get_by_role("main").get_by_role("button").first.wait_for(timeout=PATIENCE_MS)
    state = await context.storage_state()
    await context.close()
    return state


async def _measured(desk: Desk, thread: Thread, reach: Reach, progress: Progress) -> AsyncIterator[Row]:
    readers = {name: Reader(desk, thread, name) for name in ("page", "floor")}
    opened: dict[str, Samples] = {name: [] for name in readers}
    for number in range(reach.openings):
        progress(f"opening {number + 1} of {reach.openings}")
        for name, reader in readers.items():
            opened[name].append(await reader.opening())
    yield _row(FIRST_CARD, opened["page"], opened["floor"], reach.cards)
    progress("at work")
    inputs, heap = await readers["page"].at_work(reach.keys)
    least, least_heap = await readers["floor"].at_work(reach.keys)
    for statistic in INPUTS:
        yield _row(statistic, inputs, least, reach.cards)
    yield _row(HEAP, [heap], [least_heap], reach.cards)
    progress("two browsers")
    lags = await _lags(desk, await thread.another())
    for statistic in LAG:
        yield replace(row("web", statistic, statistic.of(lags), None), bench=BENCH)


def _row(statistic: Statistic, ours: Samples, floor: Samples, cards: int) -> Row:
    named = replace(statistic, name=f"{statistic.name}_{cards}_cards")
    return replace(row("web", named, named.of(ours), named.of(floor)), bench=BENCH)


def _first_load() -> Row:
    """The scripts that a first load needs before anything can be seen, compressed."""
    dist = ROOT / "web/dist"
    manifest = json.loads((dist / ".vite/manifest.json").read_text())
    needed, seen = ["index.html"], set()
    while needed:
        key = needed.pop()
        if key not in seen:
            seen.add(key)
            needed += manifest[key].get("imports", [])
    total = sum(len(compress((dist / manifest[key]["file"]).read_bytes(), 9)) for key in seen)
    return Row("web.first_load_js", significant(total / KB), "kB", bench=BENCH)


class Reader:
    """The page, or the floor in its place, at the thread."""

    def __init__(self, desk: Desk, thread: Thread, name: str) -> None:
        self._desk = desk
        self._thread = thread
        self._floor = name == "floor"
        self._address = f"{desk.url}/{'floor' if self._floor else 't'}/{thread.id}"

    async def _open(self, cleanup: AsyncExitStack) -> Any:
        page = await self._desk.page(cleanup, viewport=DESKTOP)
        await page.add_init_script(WATCHING)
        if self._floor:
            await page.route("**/floor/*", lambda route: route.fulfill(body=FLOOR, content_type="text/html"))
        await page.goto(self._address)
        await page.wait_for_function("() => window.firstCard !== undefined")
        return page

    async def opening(self) -> float:
        """Milliseconds from nothing, an empty cache too, to the first card."""
        async with AsyncExitStack() as cleanup:
            page = await self._open(cleanup)
            return float(await page.evaluate("firstCard"))

    async def at_work(self, keys: int) -> tuple[Samples, float]:
        """How long interactions take while a command prints, and the heap (MiB) after them."""
        async with AsyncExitStack() as cleanup:
            page = await self._open(cleanup)
            run_id = await self._thread.command(
                "for i in $(seq 1 100000); do echo line $i $RANDOM; sleep 0.004; done"
            )
            await page.get_by_text("line ").last.wait_for()
            field = page.get_by_role("textbox", name="Message")
            await field.focus()
            made = 0
            for number, key in zip(range(keys), itertools.cycle(KEYS), strict=False):
                await page.keyboard.press(key)
                made += 1
                if number % 10 == 9:
                    await field.click()
                    made += 1
                await page.wait_for_timeout(40)
            reported: Samples = await page.evaluate("[...interactions.values()]")
            await self._thread.stop(run_id)
            control = await page.context.new_cdp_session(page)
            await control.send("HeapProfiler.collectGarbage")
            await control.send("Performance.enable")
            metrics = (await control.send("Performance.getMetrics"))["metrics"]
            heap = next(one["value"] for one in metrics if one["name"] == "JSHeapUsedSize")
            return reported + [SHORTEST_MS] * max(0, made - len(reported)), heap / MIB


async def _lags(desk: Desk, thread: Thread) -> Samples:
    """How much later one of two browsers at a thread can read a line than the other, for each line."""
    async with AsyncExitStack() as cleanup:
        pages = []
        for shape in ({"viewport": DESKTOP}, {"viewport": PHONE, "is_mobile": True, "has_touch": True}):
            pages.append(await desk.page(cleanup, **shape))
            await pages[-1].goto(f"{desk.url}/t/{thread.id}")
            await pages[-1].locator("[data-connection=live]").wait_for(state="attached")
            await pages[-1].evaluate(MARKS)
        await thread.ended(await thread.command("for i in $(seq 1 60); do echo mark-$i; sleep 0.1; done"))
        for page in pages:
            await page.wait_for_function("() => marks[60] !== undefined")
        one, other = [await page.evaluate("marks") for page in pages]
        # The card's head quotes the command from the beginning.
        lags = [abs(one[mark] - other[mark]) for mark in one if mark in other]
        if len(lags) < 2:
            raise BenchError("The two browsers did not show the same lines.")
        return lags
