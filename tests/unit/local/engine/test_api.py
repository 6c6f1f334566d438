"""The table of routes, and the small readers of queries."""

import pytest

from local.engine import container_calls as containers
from local.engine import exec_calls as execs
from local.engine import store_calls as stores
from local.engine.api import find_route
from local.engine.calls import Route, read_filters, read_number, read_signal
from local.engine.errors import MalformedRequestError, NoSuchObjectError


@pytest.mark.parametrize(
    ("method", "path", "route", "names"),
    [
        ("POST", "containers/create", containers.create_container, ()),
        ("GET", "containers/json", containers.list_containers, ()),
        ("GET", "containers/a/json", containers.inspect_container, ("a",)),
        ("GET", "v1.43/containers/a/json", containers.inspect_container, ("a",)),
        ("DELETE", "containers/json", containers.remove_container, ("json",)),
        ("POST", "exec/x/start", execs.start_exec, ("x",)),
        ("GET", "volumes", stores.list_volumes, ()),
        ("POST", "volumes/create", stores.create_volume, ()),
        ("DELETE", "images/i", stores.delete_image, ("i",)),
    ],
)
def test_a_request_finds_its_route(method: str, path: str, route: Route, names: tuple[str, ...]) -> None:
    assert find_route(method, tuple(path.split("/"))) == (route, names)


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", ""), ("PUT", "containers/a/json"), ("GET", "containers/a/b/json"), ("GET", "v1/info")],
)
def test_another_request_is_not_found(method: str, path: str) -> None:
    with pytest.raises(NoSuchObjectError):
        find_route(method, tuple(path.split("/")))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ('{"name": ["a", "b"]}', {"name": ("a", "b")}),
        ('{"label": {"x=1": true}}', {"label": ("x=1",)}),
    ],
)
def test_filters_are_read_in_both_their_forms(text: str, found: dict[str, tuple[str, ...]]) -> None:
    assert read_filters(text) == found


@pytest.mark.parametrize("text", ["[", "[]", '{"name": 1}', '{"name": [1]}'])
def test_other_filters_are_refused(text: str) -> None:
    with pytest.raises(MalformedRequestError):
        read_filters(text)


@pytest.mark.parametrize(("text", "number"), [("SIGTERM", 15), ("term", 15), ("9", 9), ("KILL", 9)])
def test_a_signal_has_a_name_or_a_number(text: str, number: int) -> None:
    assert read_signal(text) == number


@pytest.mark.parametrize("text", ["", "0", "-9", "999", "SIGNOTHING", "9 9"])
def test_other_signals_are_refused(text: str) -> None:
    with pytest.raises(MalformedRequestError):
        read_signal(text)


@pytest.mark.parametrize("text", ["", "-1", "1.5", "601", "x", "1" * 30])
def test_numbers_are_whole_and_bounded(text: str) -> None:
    with pytest.raises(MalformedRequestError):
        read_number(text, 600)
