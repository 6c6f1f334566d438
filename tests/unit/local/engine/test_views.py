"""Docker's filters, by which workerd's supervisor finds what it must remove."""

from pathlib import Path

import pytest

from local.engine.cgroups import Hierarchies
from local.engine.containers import Container
from local.engine.groups import Groups
from local.engine.records import Spec
from local.engine.views import inspection, matches, moment, summary

LABELS = {"dev.workerd.session": "abc", "other": ""}


@pytest.fixture
async def container() -> Container:
    spec = Spec("image", ("sh",), labels=LABELS, network_of="name-proxy")
    return Container("id1", "name", spec, Path("/s"), None, Groups(Hierarchies(), "x"), 1.0)


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({}, True),
        ({"label": ["dev.workerd.session=abc"]}, True),
        ({"label": ["dev.workerd.session=other"]}, False),
        ({"label": ["dev.workerd.session", "other"]}, True),
        ({"label": ["dev.workerd.session", "missing"]}, False),
        ({"name": ["am"]}, True),
        ({"name": ["x", "name"]}, True),
        ({"name": ["x"]}, False),
        ({"status": ["running"]}, False),
        ({"status": ["created"], "id": ["id"]}, True),
        ({"ancestor": ["image"]}, True),
    ],
)
async def test_filters(container: Container, filters: dict[str, list[str]], found: bool) -> None:
    assert matches(container, filters) is found


async def test_a_listed_container_says_whose_network_it_shares(container: Container) -> None:
    assert summary(container)["HostConfig"] == {"NetworkMode": "container:name-proxy"}


async def test_a_container_that_has_not_started_has_no_ports_and_no_times(container: Container) -> None:
    found = inspection(container)
    assert found["NetworkSettings"] == {"Ports": {}}
    assert found["State"]["Status"] == "created"  # type: ignore[index]
    assert moment(0) == "0001-01-01T00:00:00Z"


async def test_a_container_that_is_asked_for_in_another_session_belongs_to_it(container: Container) -> None:
    container.rename("workerd-ae32df1ff8428aa6-x-1")
    assert matches(container, {"label": ["dev.workerd.session=ae32df1ff8428aa6"]})
    assert not matches(container, {"label": ["dev.workerd.session=abc"]})
