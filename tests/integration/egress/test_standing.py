"""Ban, breaker and bucket, as programs in computers meet them."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from local.stack import LocalStack
from tests.integration.chat.hasty import root_with
from tests.integration.chat.person import Person, Thread, ended, of
from tests.integration.egress.outside import TRICKLED, Outside
from tests.integration.waiting import until

HOST = "api.kraken.com"
VENUE = "api.hyperliquid.xyz"
SMALL_BYTES = 64 * 1024
BURST = 100
CODE = f"curl -s -o /dev/null -w '%{{http_code}}' https://{HOST}/0/public/Time"
BIG = f"curl -s -o /dev/null -w '%{{http_code}}' 'https://{HOST}/0/public/Time?answer=bytes%20{4 << 30}'"


@pytest.fixture
async def operator(stack: LocalStack) -> AsyncIterator[Person]:
    """The person at this machine, who may do what operators do."""
    async with Person.at(stack, operator=True) as made:
        yield made
        await made.ask("DELETE", "/api/operator/breaker", expect=200)


async def comes(what: str, condition: Callable[[], bool]) -> None:
    async def look() -> bool:
        return condition()

    await until(what, look)


async def trip(operator: Person) -> None:
    """The breaker, which cuts what a ban does and leaves commands to see it."""
    await operator.ask("PUT", "/api/operator/breaker", expect=200, json={"reason": "an attack"})


async def mend(operator: Person) -> None:
    await operator.ask("DELETE", "/api/operator/breaker", expect=200)


async def test_a_ban_cuts_a_running_download_and_nobody_elses(
    operator: Person, person: Person, thread: Thread, stack: LocalStack, outside: Outside
) -> None:
    outside.sent.pop(HOST, None)
    async with thread.watched() as watch:
        # What is cut may end before it is stopped, so something is to follow it.
        run_id = (await thread.send(f"$ {BIG}; sleep 300"))["run"]["id"]
        await comes("the download", lambda: outside.sent.get(HOST, 0) > 20 << 20)
        path = f"/api/operator/owners/local-{person.name}/ban"
        await operator.ask("PUT", path, expect=200, json={"reason": "too much"})
        await comes("the cut", lambda: HOST in outside.broken and HOST not in outside.streaming)
        await watch.until(ended(run_id))
    (finished,) = of(watch.seen, "tool.finished")
    assert (finished["command"]["state"], finished["command"]["banned"]) == ("stopped", True)
    assert 0 < finished["command"]["egress"][0]["received"] < 4 << 30
    async with Person.at(stack) as other:
        assert (await (await other.thread()).exec(CODE))["output"] == "200"
        await other.post("/api/computer/standby")
    await operator.ask("DELETE", path, expect=200)
    # What is known of a ban may be a second old.
    assert (await thread.exec(f"until [ $({CODE}) = 200 ]; do sleep 0.2; done; echo up"))["output"] == "up\n"
    kinds = [entry["kind"] for entry in (await person.get("/api/audit"))["items"]]
    assert {"computer_banned", "computer_ban_lifted"} <= set(kinds)


@pytest.mark.parametrize("kind", ["sized", "encoded", "large", "endless", "silent"])
async def test_an_answer_that_trickles_is_cut(
    operator: Person, thread: Thread, outside: Outside, kind: str
) -> None:
    outside.streaming.discard(HOST)
    url = f"https://{HOST}/0/public/Time?answer=trickle%20{kind}"
    async with thread.watched() as watch:
        run_id = (await thread.send(f"$ curl -s -N -o got '{url}'; echo $? $(stat -c %s got)"))["run"]["id"]
        await comes("the answer", lambda: HOST in outside.streaming)
        await comes("its first bytes", lambda: outside.sent[HOST] > 2 or kind == "silent")
        if kind in {"large", "endless"}:
            await (await thread.person.thread()).exec("until [ -s got ]; do sleep 0.05; done")
        await trip(operator)
        await comes("the cut", lambda: HOST not in outside.streaming)
        await watch.until(ended(run_id))
    # It was cut, and has not come to its end.
    assert outside.sent[HOST] < TRICKLED
    await mend(operator)
    (finished,) = of(watch.seen, "tool.finished")
    status, size = map(int, finished["command"]["output"].split())
    receipt, cut = finished["command"]["egress"]
    assert (receipt["allowed"], cut["code"]) == (True, "computer_circuit_open")
    if kind in {"large", "endless"}:
        # Without a length the runtime ends it as if it were whole: the receipt tells.
        assert (status != 0) == (kind == "large")
        assert 0 < size <= receipt["received"] <= outside.sent[HOST]
    else:
        # Nothing of it had been handed on, so in its place comes the refusal.
        assert (status, receipt["received"]) == (0, 0)
        assert "computer_circuit_open" in (await thread.exec("cat got"))["output"]


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        (f"-X POST https://{VENUE}/info", "while sleep 0.5; do printf ' '; done"),
        # A read has no body, and this one says for long that it might have one.
        (f"-X GET https://{HOST}/0/public/Time", "sleep 60"),
    ],
    ids=["query", "read"],
)
async def test_a_body_that_comes_slowly_is_cut(
    operator: Person, thread: Thread, outside: Outside, request_: str, body: str
) -> None:
    before = len(outside.seen)
    async with thread.watched() as watch:
        # With `-T .` it reads what there is, and the answer meanwhile.
        upload = f"echo up; curl -s -H 'Expect:' -T . {request_} < <({body})"
        run_id = (await thread.send(f"$ {upload}"))["run"]["id"]
        await watch.until(lambda event: event["type"] == "tool.output")
        await asyncio.sleep(2)
        await trip(operator)
        await watch.until(ended(run_id))
    await mend(operator)
    (finished,) = of(watch.seen, "tool.finished")
    assert "computer_circuit_open" in finished["command"]["output"]
    assert outside.seen[before:] == []
    (receipt,) = finished["command"]["egress"]
    assert (receipt["code"], receipt["sent"]) == ("computer_circuit_open", 0)


async def test_an_encoded_answer_is_handed_on_as_it_came_and_counted(thread: Thread) -> None:
    size = 200 << 20
    packed = len(gzip.compress(bytes(size), mtime=0))
    assert packed > SMALL_BYTES
    for length, wanted in ((size, packed), (1000, len(gzip.compress(bytes(1000), mtime=0)))):
        url = f"https://{HOST}/0/public/Time?answer=gzip%20{length}"
        result = await thread.exec(f"curl -s '{url}' -o got; stat -c %s got; gzip -dc <got | wc -c")
        assert result["output"].split() == [str(wanted), str(length)]
        assert [line["received"] for line in result["egress"]] == [wanted]


async def test_the_breaker_stops_all_but_what_is_exempt(operator: Person, thread: Thread) -> None:
    body = {"reason": "an attack", "exempt": ["api.coingecko.com"], "retry_after_s": 90}
    await operator.ask("PUT", "/api/operator/breaker", expect=200, json=body)
    found = await thread.exec(
        f"curl -s -i https://{HOST}/0/public/Time;"
        " curl -s -o /dev/null -w 'exempt %{http_code}' https://api.coingecko.com/api/v3/ping"
    )
    head = found["output"].lower()
    assert " 503 " in head
    assert "retry-after: 90" in head
    assert "computer_circuit_open" in head
    assert "exempt 200" in head


async def test_only_an_operator_may_ban(person: Person) -> None:
    path = f"/api/operator/owners/local-{person.name}/ban"
    await person.ask("PUT", path, expect=403, json={"reason": "x"})
    await person.ask("DELETE", "/api/operator/breaker", expect=403)


@pytest.fixture(scope="module")
def small_buckets(tmp_path_factory: pytest.TempPathFactory, outside: Outside) -> Iterator[LocalStack]:
    """A stack on which a bucket is empty soon, on however busy a machine, and fills up slowly."""
    numbers = {"EGRESS_REQUESTS_BURST": BURST, "EGRESS_REQUESTS_A_SECOND": 1}
    root = root_with(tmp_path_factory.mktemp("root"), numbers)
    with LocalStack(tmp_path_factory.mktemp("small"), outside=outside.address, root=root) as running:
        yield running


async def test_all_commands_of_an_owner_share_one_bucket_and_no_other_owner_does(
    small_buckets: LocalStack,
) -> None:
    # Until it is told to wait.
    many = (
        "for n in $(seq 60); do codes=$(curl -s -o /dev/null -w '%{http_code}\\n' 'https://no.invalid/[1-10]');"
        ' echo "$codes"; case $codes in *429*) break;; esac; done | sort | uniq -c'
    )
    async with Person.at(small_buckets) as person, Person.at(small_buckets) as other:
        threads = [await person.thread() for _ in range(2)]
        results = await asyncio.gather(*(thread.exec(many) for thread in threads))
        refused = await threads[0].exec("curl -s -i https://no.invalid/x")
        assert (await (await other.thread()).exec(CODE))["output"] == "200"
    counts: dict[str, int] = {}
    for line in "".join(result["output"] for result in results).splitlines():
        count, code = line.split()
        counts[code] = counts.get(code, 0) + int(count)
    assert counts.keys() == {"403", "429"}
    # With a bucket each it would be twice the burst before either is refused.
    assert BURST <= counts["403"] < 2 * BURST
    assert "retry-after" in refused["output"].lower() or "403" in refused["output"]


async def test_the_breaker_survives_a_crash_of_the_server(
    small_buckets: LocalStack, outside: Outside
) -> None:
    stack = small_buckets
    async with Person.at(stack, "crash") as owner:
        thread = await owner.thread()
        assert (await thread.exec(CODE))["output"] == "200"
        before = len(outside.seen)
        operator = Person(stack, owner.session, operator=True)
        await trip(operator)
        stack.kill_host()
        stack.start_host()
        assert (await thread.exec(CODE))["output"] == "503"
        assert outside.seen[before:] == []
        await mend(operator)
