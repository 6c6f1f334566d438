"""The real registries, by the tools that people use. Not ours, so it is opt-in: `BERTH_REGISTRIES=1`."""

import os

import pytest

from tests.integration.chat.person import Thread

pytestmark = pytest.mark.skipif(
    os.environ.get("BERTH_REGISTRIES") != "1", reason="BERTH_REGISTRIES=1 asks the real registries"
)

FETCH = "import sys, {0}; print({0}.get(sys.argv[1]).status_code)"


async def test_pip_installs_and_its_packages_trust_too(thread: Thread) -> None:
    install = (
        "pip install -q --target /tmp/x requests httpx 2>&1; pip config get global.index-url 2>/dev/null"
    )
    result = await thread.exec(f"{install}; true", seconds=110)
    (index,) = {line["host"] for line in result["egress"] if line["reason"] == "registry:pip-index"}
    for client in ("requests", "httpx"):
        found = await thread.exec(
            f'pip install -q --target x {client} && PYTHONPATH=x python3 -c "{FETCH.format(client)}"'
            f" https://{index}/simple/six/",
            seconds=110,
        )
        assert found["output"].split()[-1] == "200"
        assert all(line["allowed"] for line in found["egress"])
        assert sum(line["received"] for line in found["egress"]) > 10_000


async def test_uv_installs(thread: Thread) -> None:
    result = await thread.exec(
        "pip install -q uv && uv pip install -q --python /usr/bin/python3 --target u six"
        " && ls u | grep -c six.py",
        seconds=110,
    )
    assert result["output"].split()[-1] == "1"


async def test_npm_installs(thread: Thread) -> None:
    result = await thread.exec("npm install --silent left-pad && ls node_modules", seconds=110)
    assert result["output"].split()[-1] == "left-pad"
    assert {line["reason"] for line in result["egress"] if line["allowed"]} == {"registry:npm"}
