"""Content goes through the whole system with marks in it, and no operator ever sees one.

The marks are single words, which is the hardest: nothing that looks for sentences or paths would stop them.
They are searched for in every answer of the operators' routes, in the record, in every line that workerd,
the host and the engine have written, and in every span and sum.
"""

import base64
import json
import secrets
from collections.abc import AsyncIterator, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from local.stack import LocalStack
from tests.integration.chat.person import Person, Thread
from tests.integration.operators.collector import Collector
from tests.integration.waiting import until

KINDS = (
    "message", "command", "output", "environment", "filename", "filecontent", "missing", "edited",
    "thread", "bot", "instructions", "upload", "uploaded", "modelkey", "modelname", "address",
    "routine", "prompt", "search", "host", "asked", "query", "header", "body", "field", "artifact",
    "artifactname", "folder", "webhook", "branch", "device", "token", "stranger", "opened", "closed",
)  # fmt: skip
COLLECTORS_KEY = "collector-key-of-the-test"


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with Collector() as running:
        yield running


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory, collector: Collector) -> Iterator[LocalStack]:
    told = {"BERTH_OTLP_URL": collector.url, "BERTH_OTLP_HEADER": f"authorization: Bearer {COLLECTORS_KEY}"}
    with LocalStack(tmp_path_factory.mktemp("observed"), vars=told) as running:
        yield running


@pytest.fixture
async def operator(observed: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(observed, operator=True) as made:
        yield made


@pytest.fixture
async def person(observed: LocalStack) -> AsyncIterator[Person]:
    async with Person.at(observed) as made:
        yield made


class Marks:
    """A word for each kind of content."""

    def __init__(self) -> None:
        # Letters alone, so that it can stand wherever a name can.
        tail = "".join(secrets.choice("bcdfghjkmnpqrstvwxyz") for _ in range(12))
        self.words = {kind: f"mark{kind}{tail}" for kind in KINDS}

    def __getitem__(self, kind: str) -> str:
        return self.words[kind]

    def found_in(self, text: str) -> set[str]:
        """The kinds whose words stand in a text, as they are or in base64."""
        lower = text.lower()
        return {
            kind
            for kind, word in self.words.items()
            if word in lower or any(spelt in text for spelt in _in_base64(word))
        }


def _in_base64(word: str) -> Iterator[str]:
    """What every base64 of a text with the word has in it, wherever the word begins."""
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + word.encode()).decode()
        yield coded[4 if before else 0 : len(coded) // 4 * 4 - 4]


async def live(person: Person, marks: Marks) -> None:
    """Do everything that people do, each with its mark, and also what goes wrong."""
    bot = await person.bot(name=f"A {marks['bot']}", instructions=f"Say {marks['instructions']}")
    made = await person.post("/api/threads", {"bot_id": bot["id"], "title": marks["thread"]}, expect=201)
    thread = Thread(person, made["id"])
    await files(person, thread, marks)
    await models(person, marks)
    await person.post("/api/routines", routine(bot["id"], marks), expect=201)
    await person.ask(
        "PUT", "/api/notices/webhook", expect=200, json={"url": f"https://{marks['webhook']}.example/x"}
    )
    await person.get(f"/api/search?q={marks['search']}")
    await hosts(person, marks)
    await sign_in(person, marks)
    await mistakes(person, thread, marks)
    await person.ask("PATCH", f"/api/threads/{thread.id}", expect=200, json={"title": f"{marks['thread']} 2"})
    (sent,) = [event for event in await thread.record() if event["type"] == "message.created"][:1]
    branch = {"client_id": "c" * 12, "seq": sent["seq"], "text": f"$ echo {marks['branch']}"}
    await person.post(f"/api/threads/{thread.id}/branches", branch, expect=201)


async def sign_in(person: Person, marks: Marks) -> None:
    """By a browser that says much of itself, and by what is no token."""
    browser = {"user-agent": f"Mozilla/5.0 ({marks['device']}) {marks['device']}/1.0"}
    token = {"token": person.stack.token}
    await person.ask("POST", "/api/sign-in/local", expect=204, json=token, headers=browser)
    await person.post("/api/sign-in/local", {"token": marks["stranger"]}, expect=401)
    await person.post("/api/tokens", {"name": marks["token"], "scopes": ["read"]}, expect=201)
    async with person.session.get(
        "/api/me", headers={**person.headers, "authorization": f"Bearer {marks['stranger']}"}
    ) as response:
        assert response.status == 401


async def hosts(person: Person, marks: Marks) -> None:
    """One is opened to the computer, and another opened and closed again."""
    for kind in ("opened", "closed"):
        asked = {"host": f"{marks[kind]}.example", "path": f"/{marks[kind]}", "days": 1, "understood": True}
        rule = await person.post("/api/egress/rules", asked, expect=201)
    await person.ask("DELETE", f"/api/egress/rules/{rule['id']}", expect=204)


async def files(person: Person, thread: Thread, marks: Marks) -> None:
    upload = await person.upload(thread, f"{marks['upload']}.csv", marks["uploaded"].encode())
    await thread.run(f"$ echo {marks['command']}; printf {marks['output'].upper()}", upload)
    await thread.run(
        f"$ mkdir {marks['folder']}; echo {marks['filecontent']} > {marks['filename']}.txt; exit 3"
    )
    await thread.run(f"$ {marks['environment']}=1 {marks['missing']}")
    await thread.run(f"/read {marks['filename']}.txt")
    await thread.run(f"/read {marks['missing']}.txt")
    await thread.run(f"/read /etc/{marks['missing']}")
    await thread.run(f"/write {marks['edited']}.txt\n{marks['edited']}")
    await thread.run(f"/export {marks['filename']}.txt")
    await thread.run(f"/export {marks['missing']}.txt")
    await thread.run(f"$ curl -s https://{marks['host']}.example/{marks['asked']}?{marks['query']}; true")
    await thread.run(marks["message"])
    await person.get(f"/api/files?path={marks['folder']}")
    (artifact,) = (await person.get("/api/artifacts"))["items"]
    await person.ask(
        "PATCH", f"/api/artifacts/{artifact['id']}", expect=200, json={"name": marks["artifactname"]}
    )


async def models(person: Person, marks: Marks) -> None:
    """A model that cannot be reached: its name, address and key come near errors and logs."""
    model = {
        "provider": "openai",
        "base_url": f"https://{marks['address']}.example/v1",
        "model": marks["modelname"],
        "api_key": f"sk-{marks['modelkey']}",
    }
    bot = await person.bot(model=model)
    thread = await person.thread(bot)
    await thread.run(f"Tell me {marks['message']}")


def routine(bot_id: str, marks: Marks) -> dict[str, Any]:
    return {
        "client_id": "r" * 12,
        "bot_id": bot_id,
        "name": marks["routine"],
        "prompt": marks["prompt"],
        "schedule": {"kind": "every", "minutes": 60},
    }


async def mistakes(person: Person, thread: Thread, marks: Marks) -> None:
    """What is refused is not to be read in a log either."""
    for path in (
        f"/api/threads/{marks['asked']}",
        f"/api/{marks['asked']}/{marks['query']}",
        f"/api/artifacts/{marks['artifact']}/content",
        f"/api/threads/{marks['asked']}/events?after={marks['query']}",
        f"/{marks['asked']}?{marks['query']}",
        f"/api/operator/owners?find={marks['query']}",
    ):
        async with person.session.get(
            path, headers={**person.headers, "x-told": marks["header"], "traceparent": marks["header"]}
        ) as response:
            assert response.status in {200, 403, 404, 422}
    for body in (
        f'{{"{marks["field"]}": "{marks["body"]}"',
        json.dumps({marks["field"]: marks["body"], "text": 5}),
        json.dumps({"client_id": marks["body"] + "!", "text": marks["body"]}),
    ):
        async with person.session.post(
            f"/api/threads/{thread.id}/messages",
            data=body,
            headers={**person.headers, "content-type": "application/json"},
        ) as response:
            assert response.status == 422
    socket = f"/api/threads/{marks['asked']}/stream"
    async with person.session.get(socket, headers=person.headers) as response:
        assert response.status == 404
    async with person.session.request("BREW", f"/api/{marks['asked']}", headers=person.headers) as response:
        assert response.status >= 400


async def operators_answers(operator: Person) -> dict[str, str]:
    """Every route that an operator may read, as the document of the API has them."""
    document = await operator.get("/api/openapi.json")
    owners = [one["owner_id"] for one in (await operator.get("/api/operator/owners"))["items"]]
    found = {}
    for path, methods in document["paths"].items():
        if "get" not in methods or not path.startswith(("/api/operator/", "/api/computers/awake")):
            continue
        for at in {path.replace("{owner_id}", owner_id) for owner_id in owners}:
            async with operator.session.get(at, headers=operator.headers) as response:
                assert response.status == 200, at
                found[at] = await response.text()
    return found


def logs(stack: LocalStack) -> dict[str, str]:
    return {file.name: file.read_text(errors="replace") for file in Path(stack.state / "logs").iterdir()}


async def owners_record(person: Person, marks: Marks) -> None:
    """The owner's own part of the record names the hosts, as a page and as a file."""
    async with person.session.get("/api/audit.jsonl", headers=person.headers) as response:
        file = await response.text()
    for told in (json.dumps(await person.get("/api/audit")), file):
        assert marks.found_in(told) >= {"opened", "closed"}
    assert (await person.get("/api/audit/check"))["broken"] is None


async def test_the_search_for_marked_content_finds_nothing(
    operator: Person, person: Person, observed: LocalStack, collector: Collector
) -> None:
    marks = Marks()
    await live(person, marks)
    await operator.ask(
        "PUT", f"/api/operator/owners/local-{person.name}/ban", expect=200, json={"reason": "a reason"}
    )
    await operator.ask("DELETE", f"/api/operator/owners/local-{person.name}/ban", expect=200)

    async def reported() -> bool:
        owner = await operator.get(f"/api/operator/owners/local-{person.name}")
        return bool(owner["report"] and owner["report"]["calls"] >= 11)

    await until("the report of an owner", reported)

    async def sent() -> bool:
        await operator.get("/api/operator/overview")
        names = {span["name"] for span in collector.spans()}
        wanted = {"request", "run", "model", "owner send", "call exec", "computer exec", "computer alarm"}
        counted = {
            f"berth.{name}" for name in ("requests", "runs", "calls", "model_answers", "starts", "egress")
        }
        return wanted <= names and counted <= collector.metrics()

    await until("spans and sums of everything that was done", sent)

    answers, written = await operators_answers(operator), logs(observed)
    channels = {
        **answers,
        **written,
        "spans": "\n".join(collector.texts("/v1/traces")),
        "sums": "\n".join(collector.texts("/v1/metrics")),
    }
    assert {name: kinds for name, text in channels.items() if (kinds := marks.found_in(text))} == {}

    # All of it did pass through: the owner finds it, and each channel had something to tell.
    own = json.dumps([await person.get(path) for path in ("/api/bots", "/api/threads", "/api/artifacts")])
    for one in (await person.get("/api/threads"))["items"]:
        own += json.dumps(await Thread(person, one["id"]).record())
    for kind in (
        "message",
        "command",
        "output",
        "filename",
        "filecontent",
        "thread",
        "bot",
        "upload",
        "artifactname",
    ):
        assert kind in marks.found_in(own), kind
    await owners_record(person, marks)
    owner_id = f"local-{person.name}"
    assert owner_id in answers["/api/operator/owners"]
    assert "model_unavailable" in answers[f"/api/operator/owners/{owner_id}"]
    assert "computer_banned" in answers["/api/operator/audit.jsonl"]
    lines = [json.loads(line) for line in written["host.log"].splitlines() if line.startswith("{")]
    assert {"GET /api/search", "POST /api/threads/{thread_id}/messages"} <= {
        line.get("route") for line in lines
    }
    assert {headers["authorization"] for _, headers, _ in collector.bodies} == {f"Bearer {COLLECTORS_KEY}"}
    assert COLLECTORS_KEY not in "".join((*answers.values(), *written.values()))


async def test_a_request_can_be_followed_through_all_parts(
    person: Person, observed: LocalStack, collector: Collector
) -> None:
    thread = await person.thread()
    body = {"client_id": "follow-me-1", "text": "$ echo one"}
    async with person.session.post(
        f"/api/threads/{thread.id}/messages", json=body, headers=person.headers
    ) as response:
        request_id = response.headers["x-request-id"]
        run_id = (await response.json())["run"]["id"]

    async def ended() -> bool:
        spans = [span for span in collector.spans() if span["traceId"] == request_id]
        await person.get("/api/me")
        return {"request", "owner send", "run", "call exec", "computer exec"} <= {
            span["name"] for span in spans
        }

    await until("the spans of a request", ended)
    spans = {span["name"]: span for span in collector.spans() if span["traceId"] == request_id}
    assert "parentSpanId" not in spans["request"]
    assert spans["owner send"]["parentSpanId"] == spans["request"]["spanId"]
    assert spans["computer exec"]["parentSpanId"] == spans["call exec"]["spanId"]
    told = {one["key"]: one["value"] for one in spans["computer exec"]["attributes"]}
    assert told["run_id"] == {"stringValue": run_id}
    line = next(one for one in logs(observed)["host.log"].splitlines() if request_id in one)
    assert json.loads(line)["route"] == "POST /api/threads/{thread_id}/messages"


async def test_a_collector_that_says_nothing_or_refuses_holds_up_nobody(
    person: Person, collector: Collector
) -> None:
    collector.answers.clear()
    collector.status = HTTPStatus.SERVICE_UNAVAILABLE
    before = collector.requests()
    thread = await person.thread()

    async def refused() -> bool:
        await person.get("/api/me")
        return {path for path, *_ in collector.refused} == {"/v1/metrics", "/v1/traces"}

    async def told() -> bool:
        await person.get("/api/me")
        # The spans are lost, and how many that was is among the next sums; of those none is.
        return "berth.spans_lost" in collector.metrics() and collector.requests() >= wanted

    try:
        for _ in range(20):
            # All of it is answered before the collector says its first word again.
            await person.get(f"/api/threads/{thread.id}")
        await thread.run("what has no command")
        collector.answers.set()
        await until("something that was refused", refused)
    finally:
        collector.answers.set()
        collector.status = HTTPStatus.OK
    wanted = before + collector.requests(collector.refused)
    assert wanted > before
    await until("the sums and word of the spans that were lost", told)


async def test_health_is_told_without_signing_in_and_says_nothing_else(
    person: Person, observed: LocalStack
) -> None:
    for path, text in (("/healthz", "ok\n"), ("/readyz", "ready\n")):
        # Whoever watches has an address of its own for it.
        async with person.session.get(path, headers={"host": "watcher.invalid"}) as response:
            assert (response.status, await response.text()) == (200, text)
            assert response.headers["cache-control"] == "no-store"


def test_the_search_itself_finds_words_in_every_spelling() -> None:
    marks = Marks()
    for text in (
        f"x {marks['message']} y",
        marks["message"].upper(),
        quote(f"/{marks['message']} "),
        json.dumps({"a": marks["message"]}),
        *(base64.b64encode(b"z" * n + marks["message"].encode() + b"zz").decode() for n in range(5)),
    ):
        assert marks.found_in(text) == {"message"}
    assert marks.found_in("message") == set()
