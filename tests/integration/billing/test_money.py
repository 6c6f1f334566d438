"""Money on real workerd: time is charged once whatever dies, and allowance and breaker refuse as they should.

One served Berth of its own, with prices at which a second can be seen and a breaker that opens soon.
"""

import asyncio
import csv
from collections.abc import AsyncIterator, Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

import aiohttp
import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread, of

MICRO_A_SECOND = 100_000
HOUR_PRICE = "360"
ALLOWANCE, BUDGET = "0.10", "1"
WITHIN_SECONDS = 60


@pytest.fixture(scope="module")
def dear(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    told = {
        "BERTH_COMPUTER_PRICE_AN_HOUR": HOUR_PRICE,
        "BERTH_ALLOWANCE_A_MONTH": ALLOWANCE,
        "BERTH_COMPUTER_BUDGET_A_DAY": BUDGET,
        "BERTH_COMPUTER_BUDGET_AN_HOUR": BUDGET,
    }
    with LocalStack(tmp_path_factory.mktemp("dear"), vars=told) as running:
        yield running


@pytest.fixture
async def person(dear: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(dear) as made:
        yield made
        await made.post("/api/computer/standby?stop=true")


@pytest.fixture
async def operator(dear: LocalStack) -> AsyncIterator["Operator"]:
    """Who closes the breaker before each test, and grants."""
    async with aiohttp.ClientSession(base_url=dear.url, headers=dear.headers) as session:
        made = Operator(session)
        await made.breaker("closed")
        yield made


class Operator:
    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        async with self._session.request(method, f"/api/operator/{path}", json=body) as response:
            assert response.status == 200, await response.text()
            answer: dict[str, Any] = await response.json()
            return answer

    async def breaker(self, state: str) -> dict[str, Any]:
        return await self.ask("PUT", "circuits/spending", {"state": state, "reason": "a test"})

    async def spending(self) -> dict[str, Any]:
        found = await self.ask("GET", "circuits")
        return {**found, **next(item for item in found["items"] if item["name"] == "spending")}

    async def grant(self, person: Person, dollars: int) -> None:
        body = {"id": "gift", "micro": dollars * 10**6}
        await self.ask("POST", f"owners/local-{person.name}/grants", body)


async def refusal(thread: Thread, command: str) -> str | None:
    """The code with which a command was refused, None where it ran."""
    (finished,) = of(await thread.run(f"$ {command}"), "tool.finished")
    return str(finished["error"]["code"]) if finished["error"] else None


async def runs(thread: Thread, command: str, operator: Operator, state: str = "closed") -> None:
    """Run a command. What was spent before may be told late; then the breaker is set to this state anew."""
    async with asyncio.timeout(WITHIN_SECONDS):
        while (code := await refusal(thread, command)) is not None:
            assert code == "computer_circuit_open"
            await operator.breaker(state)
            await asyncio.sleep(0.5)


async def debits(person: Person) -> list[dict[str, str]]:
    async with person.session.get("/api/usage.csv", headers=person.headers) as response:
        assert response.headers["content-type"].startswith("text/csv")
        return list(csv.DictReader((await response.text()).splitlines()))


def pieces(rows: list[dict[str, str]]) -> list[tuple[int, int]]:
    """The times that were charged, each once however many shared it."""
    return sorted({(int(row["from_ms"]), int(row["to_ms"])) for row in rows})


async def settled(person: Person, at_least_ms: int) -> list[dict[str, str]]:
    """The debits, when so much machine time has reached the ledger."""
    async with asyncio.timeout(WITHIN_SECONDS):
        while True:
            rows = await debits(person)
            if sum(end - start for start, end in pieces(rows)) >= at_least_ms:
                return rows
            await asyncio.sleep(0.3)


async def check_sums(person: Person, rows: list[dict[str, str]]) -> None:
    """No moment is charged twice, and every account of the money is the same."""
    times = pieces(rows)
    assert all(before[1] <= after[0] for before, after in pairwise(times))
    seconds = sum(Decimal(row["computer_seconds"]) for row in rows)
    assert seconds * 1000 == sum(end - start for start, end in times)
    price = MICRO_A_SECOND * 3_600
    charged = sum(price * end // 3_600_000 - price * start // 3_600_000 for start, end in times)
    assert sum(Decimal(row["dollars"]) for row in rows) * 10**6 == charged
    for by in ("day", "bot", "thread", "routine", "command", "model"):
        report = await person.get(f"/api/usage?by={by}")
        assert sum(row["micro"] for row in report["rows"]) == report["total"]["micro"] == charged
    allowance = await person.get("/api/allowance")
    assert allowance["spent_micro"] == charged
    assert allowance["balance_micro"] == allowance["granted_micro"] + allowance["once_micro"] - charged


async def test_time_is_charged_once_over_parallel_commands_and_deaths(
    dear: LocalStack, person: Person, operator: Operator
) -> None:
    await operator.grant(person, 100)
    threads = [await person.thread() for _ in range(4)]
    await runs(threads[0], "true", operator)
    await asyncio.gather(*(runs(thread, "sleep 1.2", operator) for thread in threads))
    rows = await settled(person, 1_200)
    calls = {row["command"] for row in rows if Decimal(row["computer_seconds"]) > 0}
    assert len(calls) >= 4
    await check_sums(person, rows)

    # The object dies in the middle of a command, which goes on without it.
    begun = await threads[0].send("$ sleep 3; echo through")
    await asyncio.sleep(0.7)
    dear.kill_host()
    dear.start_host()
    async with Person.at(dear, person.name) as again:
        thread = Thread(again, threads[0].id)
        async with thread.watched() as watch:
            await watch.until(
                lambda event: (
                    event["type"] == "run.status"
                    and event["data"]["id"] == begun["run"]["id"]
                    and event["data"]["state"] == "done"
                )
            )
        assert (await again.post("/api/computer/standby"))["state"] == "standby"
        before = sum(end - start for start, end in pieces(rows))
        # A machine that did not answer in time is given up, and charged up to what was written down.
        command = of(watch.seen, "tool.finished")[-1]["command"]
        went_on = command is not None and command["state"] == "exited"
        rows = await settled(again, before + (3_000 if went_on else 0))
        await check_sums(again, rows)
        # Nothing more is charged while it sleeps.
        assert await settled(again, 0) == rows


async def test_a_used_up_allowance_refuses_the_computer_and_nothing_else(
    person: Person, operator: Operator
) -> None:
    thread = await person.thread()
    await runs(thread, "seq 3 > kept; sleep 1.2", operator)
    (finished,) = of(await thread.run("$ cat kept"), "tool.finished")
    error = finished["error"]
    assert error["code"] == "computer_allowance_exhausted"
    assert error["details"]["balance_micro"] <= 0 < error["details"]["spent_micro"]
    assert (await person.get("/api/allowance"))["exhausted"]
    bot = await person.bot(model={"provider": "scripted", "recording": [{"text": "Still here."}]})
    talk = await person.thread(bot)
    messages = of(await talk.run("hello"), "message.created")
    assert messages[-1]["text"] == "Still here."
    await operator.grant(person, 1)
    await runs(thread, "test $(cat kept | wc -l) = 3", operator)


async def test_over_the_budget_no_computer_is_used_until_an_operator_says_so(
    dear: LocalStack, operator: Operator
) -> None:
    async with aiohttp.ClientSession(base_url=dear.url, headers=dear.headers) as session:
        people = [Person(dear, session) for _ in range(4)]
        threads = [await person.thread() for person in people]
        for person in people:
            await operator.grant(person, 100)
        # All of it together is more than the budget, whoever is still let in.
        await asyncio.gather(*(refusal(thread, "sleep 2.6") for thread in threads))
        async with asyncio.timeout(WITHIN_SECONDS):
            while (await operator.spending())["state"] != "open":
                await asyncio.sleep(0.3)
            while await refusal(threads[0], "true") != "computer_circuit_open":
                await asyncio.sleep(0.3)
        bot = await people[0].bot(model={"provider": "scripted", "recording": [{"text": "Still here."}]})
        talk = await people[0].thread(bot)
        assert of(await talk.run("hello"), "message.created")[-1]["text"] == "Still here."
        await operator.breaker("half_open")
        # Its computer has been awake meanwhile, and that may be more than a trial is granted.
        await runs(threads[0], "true", operator, "half_open")
        for person in people:
            await person.post("/api/computer/standby?stop=true")


async def test_only_the_operator_sees_and_sets_the_breakers(person: Person) -> None:
    await person.ask("GET", "/api/operator/circuits", expect=403)
    body = {"state": "closed", "reason": "please"}
    await person.ask("PUT", "/api/operator/circuits/spending", expect=403, json=body)
    grant = {"id": "gift", "micro": 1}
    await person.ask("POST", f"/api/operator/owners/local-{person.name}/grants", expect=403, json=grant)


async def test_days_and_zones_that_are_none_are_refused(person: Person) -> None:
    for query in ("first_day=tomorrow", "first_day=2026-02-30", "last_day=2020-01-01&first_day=2021-01-01"):
        await person.ask("GET", f"/api/usage?{query}", expect=422)
        await person.ask("GET", f"/api/usage.csv?{query}", expect=422)
    await person.ask("PATCH", "/api/me", expect=422, json={"time_zone": "Nowhere/City"})
    changed = await person.ask("PATCH", "/api/me", expect=200, json={"time_zone": "America/New_York"})
    assert changed["time_zone"] == "America/New_York"
    assert (await person.get("/api/allowance"))["time_zone"] == "America/New_York"
