"""The demo of trading: an analysis in the computer, three orders on the paper venue, a person who is asked.

It is true only when nothing was sent before the answer, and when what was approved was filled and the rest
was not. The bot has no model: what it proposes is typed for it, from what the analysis said.
"""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from local.client import Berth, ClientError, Event, Model, Served, Stream, connect
from local.demo.errors import DemoError, StoryError
from local.demo.facts import ENDED, WAITS, Facts
from local.demo.narrator import GUTTER, Narrator
from local.demo.play import SILENCE_SECONDS
from local.demo.screen import Screen, harmless
from local.demo.story import DATA

MARKETS = {"BTC": Decimal("0.01"), "ETH": Decimal("0.2"), "SOL": Decimal(3)}
SCRIPT = DATA / "reversion.py"
MARKET = re.compile(r"^(?P<symbol>\w+): mid (?P<mid>[\d.]+), price step (?P<step>[\d.]+),", re.MULTILINE)
ADVICE = re.compile(r"^(?P<symbol>\w+): (?P<side>buy|sell)$", re.MULTILINE)
# An order that shall fill reaches this share beyond the mid: more than the paper market moves while a person
# reads the card (0.3 % in the time that an approval has), and less than what has it shown anew.
REACH = Decimal("0.005")
QUESTION = "\nApprove which lines? (all, none, or numbers such as 1 3) "


async def trade(
    served: Served, *, screen: Screen, new_id: Callable[[], str], ask: Callable[[str], str]
) -> None:
    """Raise a DemoError unless the whole story came true."""
    try:
        async with connect(served) as berth, screen.turning():
            thread_id = await berth.create_thread(await berth.create_bot("Trader", Model()))
            async with berth.watch(thread_id) as stream:
                await Floor(berth, thread_id, stream, screen, new_id).play(ask)
    except ClientError as error:
        raise DemoError(str(error)) from error


class Floor:
    """One thread in which somebody trades."""

    def __init__(
        self, berth: Berth, thread_id: str, stream: Stream, screen: Screen, new_id: Callable[[], str]
    ) -> None:
        self._berth = berth
        self._thread_id = thread_id
        self._stream = stream
        self._screen = screen
        self._new_id = new_id
        self._narrator = Narrator(screen, typed=True)
        self._facts = Facts()

    async def play(self, ask: Callable[[str], str]) -> None:
        self._title("1. The bot reads the market and hands it to its computer")
        for symbol in MARKETS:
            candles = await self._text(f"/candles {symbol} 1h")
            await self._done(f"/write {symbol}.txt\n{candles}")
        self._title("2. It is analysed there; the computer has no key and no way to the venue's orders")
        await self._done(f"/write {SCRIPT.name}\n{SCRIPT.read_text()}")
        advice = await self._text(f"$ python3 {SCRIPT.name} {' '.join(MARKETS)}")
        self._title("3. Three orders are proposed, and a person is asked")
        orders = orders_for(await self._text("/markets"), advice)
        events = await self._say("\n".join(["/orders", *orders]))
        intent = self._asked(events)
        show_card(self._screen, intent)
        approve = chosen(ask(QUESTION), len(intent["lines"]))
        self._title("4. What was approved is sent, once; the outcome of each line")
        await self._berth.decide(intent["id"], intent["digest"], approve)
        await self._outcome(intent, approve)

    def _title(self, text: str) -> None:
        self._screen.line(f"\n{self._screen.paint('bold', text)}\n")

    async def _say(self, text: str) -> list[Event]:
        """Send a message; returns the events until its run ends or waits."""
        run_id = await self._berth.send(self._thread_id, self._new_id(), text)
        return await self._follow(run_id)

    async def _follow(self, run_id: str, *, waits: bool = True) -> list[Event]:
        seen: list[Event] = []
        while True:
            event = await self._stream.next(SILENCE_SECONDS)
            seen.append(event)
            self._facts.add(event)
            self._narrator.tell(event, self._facts)
            if event.type == "run.status" and event.data["id"] == run_id:
                state = event.data["state"]
                if state in ENDED or (waits and state.startswith(WAITS)):
                    self._screen.wait("")
                    return seen

    async def _text(self, message: str) -> str:
        """What the one call of a message answered. It must have gone well."""
        finished = [event.data for event in await self._say(message) if event.type == "tool.finished"]
        if len(finished) != 1 or not finished[0]["ok"]:
            raise StoryError(f"This step failed: {message.splitlines()[0]}")
        return str(finished[0]["text"])

    async def _done(self, message: str) -> None:
        await self._text(message)

    def _asked(self, events: list[Event]) -> Mapping[str, Any]:
        intents = [event.data for event in events if event.type == "approval.requested"]
        if len(intents) != 1 or any(event.type == "intent.updated" for event in events):
            raise StoryError("The orders did not wait for a person.")
        if not intents[0]["source"]["tainted"]:
            raise StoryError("The card does not say that the computer was used.")
        intent: Mapping[str, Any] = intents[0]
        return intent

    async def _outcome(self, intent: Mapping[str, Any], approve: list[int]) -> None:
        events = await self._follow(intent["source"]["run_id"], waits=False)
        updates = [event.data for event in events if event.type in {"approval.decided", "intent.updated"}]
        for line in updates[-1]["outcomes"]:
            expected = "filled" if line["n"] in approve else "declined"
            if line["state"] != expected:
                raise StoryError(f"Line {line['n']} is {line['state']}, and not {expected}.")
        await self._text("/account")
        self._screen.tick(f"{len(approve)} of {len(intent['lines'])} orders approved and filled", GUTTER)


def orders_for(markets: str, advice: str) -> list[str]:
    """Typed orders: in each market what the analysis said, at a price at which it fills at once."""
    side_of = {found["symbol"]: found["side"] for found in ADVICE.finditer(advice)}
    found = {row["symbol"]: row for row in MARKET.finditer(markets)}
    if not set(MARKETS) <= set(side_of) & set(found):
        raise StoryError("The analysis or the venue said nothing of one of the markets.")
    lines = []
    for symbol, size in MARKETS.items():
        mid, step = Decimal(found[symbol]["mid"]), Decimal(found[symbol]["step"])
        reach = mid * REACH // step * step * (1 if side_of[symbol] == "buy" else -1)
        lines.append(f"{side_of[symbol]} {size} {symbol} {mid + reach} Ioc")
    return lines


def show_card(screen: Screen, intent: Mapping[str, Any]) -> None:
    """The approval as a person sees it: where it came from, the lines, the totals."""
    if intent["source"]["tainted"]:
        screen.line(GUTTER + screen.paint("red", "This conversation used the computer: check each line."))
        for cause in (one for one in intent["source"]["causes"] if one["kind"] == "call"):
            screen.line(GUTTER + screen.paint("dim", harmless(f"{cause['tool']} {cause['what']}")))
    screen.line(f"{GUTTER}{intent['venue']}, {intent['network']}")
    for line in intent["lines"]:
        words = (
            f"{line['n']}. {line['side']:4} {line['size']:>6} {line['symbol']:4} at {line['price']:>8}"
            f" {line['tif']}   value {line['notional']}   {line['distance']} % from mid"
            f"   position {line['position_after']}"
        )
        screen.line(GUTTER + harmless(" ".join([words, *line["warnings"]])))
    totals = intent["totals"]
    screen.line(f"{GUTTER}value {totals['notional']}, fee {totals['fee']}, margin {totals['margin']} USDC")


def chosen(answer: str, lines: int) -> list[int]:
    """The numbers of the lines in an answer. What is no answer approves nothing."""
    if answer == "all":
        return list(range(1, lines + 1))
    words = answer.replace(",", " ").split()
    numbers = sorted({int(word) for word in words if word.isdecimal()})
    good = all(word.isdecimal() for word in words) and all(1 <= number <= lines for number in numbers)
    return numbers if good else []
