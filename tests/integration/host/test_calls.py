"""Calls from outside to the Worker, and from the Worker to its objects."""

from typing import Any

import httpx
import pytest

from tests.integration.host.probe_host import DEADLINE_SECONDS, ProbeHost, until


def test_variable_of_the_configuration_reaches_the_worker(probe: ProbeHost) -> None:
    assert probe.get("hello") == "hello"


@pytest.mark.parametrize("value", [1, -2.5, "ü", True, None, [1, None, {"a": [2]}], {"a": {"b": None}}])
def test_value_survives_a_call_to_an_object_and_back(probe: ProbeHost, value: Any) -> None:
    assert probe.post("echo", value) == value


def test_bytes_come_back_from_an_object_whole(probe: ProbeHost) -> None:
    kind, size = probe.get("bytes", size=3_000_000)
    assert kind in {"bytes", "memoryview"}
    assert size == 3_000_000


def test_objects_of_other_names_are_other_objects(probe: ProbeHost) -> None:
    assert probe.get("count", name="left") == 1
    assert probe.get("count", name="left") == 2
    assert probe.get("count", name="right") == 1


@pytest.mark.parametrize(
    ("how", "message"),
    [("own", "probe.OddNumberError: three is odd"), ("builtin", "ValueError: after a wait")],
)
def test_error_of_an_object_reaches_its_caller_with_type_and_message(
    probe: ProbeHost, how: str, message: str
) -> None:
    assert probe.get("raise", how=how) == ["Error", message]


@pytest.mark.parametrize("method", ["no_such_method", "_hidden"])
def test_method_that_is_not_there_or_not_public_cannot_be_called(probe: ProbeHost, method: str) -> None:
    assert probe.get("call", method=method) == ["TypeError", f"Method {method} does not exist"]


def test_entrypoint_found_in_the_module_gets_the_properties_set_by_its_caller(probe: ProbeHost) -> None:
    assert probe.get("exports", owner="ann") == "ann: who asks?"
    assert probe.get("exports", owner="bob") == "bob: who asks?"


def test_unexpected_error_is_a_500_and_its_traceback_names_the_source_file(probe: ProbeHost) -> None:
    response = httpx.get(f"{probe.url}/api/crash", timeout=DEADLINE_SECONDS)
    assert response.status_code == 500
    until(lambda: "LookupError: nobody expected this" in probe.log_text())
    assert 'File "tests/integration/host/worker/probe_entry.py", line ' in probe.log_text()


@pytest.mark.parametrize("way", ["async", "sync"])
def test_fastapi_route_answers_whether_it_waits_or_not(probe: ProbeHost, way: str) -> None:
    assert probe.get(f"app/{way}") == {"way": way}


def test_bucket_keeps_what_is_put(probe: ProbeHost) -> None:
    url = f"{probe.url}/api/put"
    httpx.post(url, params={"key": "a/b"}, content="kept", timeout=DEADLINE_SECONDS).raise_for_status()
    assert probe.get("get", key="a/b") == "kept"
    assert probe.get("get", key="never") is None


@pytest.mark.parametrize(
    ("path", "kind", "content"),
    [
        ("/", "text/html", "the page"),
        ("/threads/7", "text/html", "the page"),
        ("/style.css", "text/css", "color: black"),
    ],
)
def test_page_is_served_for_paths_that_are_not_the_workers(
    probe: ProbeHost, path: str, kind: str, content: str
) -> None:
    # As on Cloudflare: where there is no file, a browser that goes there gets the page.
    goes = {"sec-fetch-mode": "navigate"}
    response = httpx.get(f"{probe.url}{path}", headers=goes, timeout=DEADLINE_SECONDS)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith(kind)
    assert content in response.text
