"""The record of a container: what is taken from a request, and how its state moves."""

from typing import Any

import pytest

from local.engine.errors import MalformedRequestError
from local.engine.records import (
    Event,
    Mount,
    Status,
    parse_name,
    parse_spec,
    parse_target,
    session,
    slot,
    step,
)


@pytest.mark.parametrize(
    ("status", "event", "after"),
    [
        (Status.CREATED, "started", Status.RUNNING),
        (Status.EXITED, "started", Status.RUNNING),
        (Status.RUNNING, "started", Status.RUNNING),
        (Status.REMOVED, "started", Status.REMOVED),
        (Status.RUNNING, "exited", Status.EXITED),
        (Status.CREATED, "exited", Status.CREATED),
        (Status.REMOVED, "exited", Status.REMOVED),
        (Status.RUNNING, "removed", Status.REMOVED),
        (Status.CREATED, "removed", Status.REMOVED),
    ],
)
def test_step(status: Status, event: Event, after: Status) -> None:
    assert step(status, event) is after


def test_a_computer_is_read_from_what_workerd_sends() -> None:
    spec = parse_spec(
        {
            "Image": "berth-computer:dev",
            "Cmd": None,
            "Env": ["A=1", "B=x=y"],
            "Labels": {"dev.workerd.session": "s"},
            "HostConfig": {
                "NetworkMode": "container:c-proxy",
                "PidMode": "host",
                "CapAdd": ["SYS_ADMIN"],
                "Mounts": [{"Type": "volume", "Source": "v", "Target": "/data/", "ReadOnly": False}],
            },
        }
    )
    assert (spec.image, spec.command, spec.network_of) == ("berth-computer:dev", (), "c-proxy")
    assert spec.environment == {"A": "1", "B": "x=y"}
    assert spec.mounts == (Mount("v", "/data"),)
    assert not spec.is_sidecar
    assert not spec.is_copy


def test_a_sidecar_and_a_copy_helper_are_recognised() -> None:
    assert parse_spec({"Cmd": ["--http-egress-port", "1"]}).is_sidecar
    helper = {"Entrypoint": ["/bin/cp"], "Cmd": ["-a", "/src/.", "/dst/"]}
    binds = {"HostConfig": {"Binds": ["one:/src:ro", "two:/dst"]}}
    spec = parse_spec({**helper, **binds})
    assert spec.is_copy
    assert spec.mounts == (Mount("one", "/src", read_only=True), Mount("two", "/dst"))


@pytest.mark.parametrize(
    "body",
    [
        [],
        "text",
        {"Image": 3},
        {"Cmd": "sh"},
        {"Cmd": [1]},
        {"Cmd": ["a\0b"]},
        {"Env": ["NOVALUE"]},
        {"Env": ["=x"]},
        {"Labels": {"a": 1}},
        {"Cmd": ["x"] * 2000},
        {"HostConfig": {"Binds": ["/etc:/workspace/etc:"]}, "Labels": 3},
        {"HostConfig": {"Binds": ["v"]}},
        {"HostConfig": {"Mounts": [{"Type": "bind", "Source": "/etc", "Target": "/data"}]}},
        {"HostConfig": {"Mounts": {"a": 1}}},
    ],
)
def test_a_malformed_request_is_refused(body: Any) -> None:
    with pytest.raises(MalformedRequestError):
        parse_spec(body)


@pytest.mark.parametrize(
    "target", ["/", "/etc", "/usr/x", "/proc", "//etc", "/home", "data", "/a/../etc", "/dev/shm"]
)
def test_a_volume_cannot_cover_the_system(target: str) -> None:
    with pytest.raises(MalformedRequestError):
        parse_target(target)


@pytest.mark.parametrize(
    ("target", "path"),
    [("/data", "/data"), ("/workspace/a//b/", "/workspace/a/b"), ("/home/berth/x", "/home/berth/x")],
)
def test_a_volume_may_be_mounted_anywhere_else(target: str, path: str) -> None:
    assert parse_target(target) == path


@pytest.mark.parametrize("name", ["", "a" * 256, "a\nb", "a\0"])
def test_a_name_is_short_and_printable(name: str) -> None:
    with pytest.raises(MalformedRequestError):
        parse_name(name)


@pytest.mark.parametrize(
    ("name", "place", "number"),
    [
        ("workerd-ae32df1ff8428aa6-berth-Box-f007", "workerd-berth-Box-f007", "ae32df1ff8428aa6"),
        ("workerd-berth-Box-f007", "workerd-berth-Box-f007", None),
        ("other-ae32df1ff8428aa6-x", "other-ae32df1ff8428aa6-x", None),
        ("workerd-AE32df1ff8428aa6-x", "workerd-AE32df1ff8428aa6-x", None),
    ],
)
def test_a_name_is_the_same_place_in_every_session(name: str, place: str, number: str | None) -> None:
    assert (slot(name), session(name)) == (place, number)
