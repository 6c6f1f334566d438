"""The signer inside workerd, with the curve that is deployed: the vectors and the SDK's signatures."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from local.bundle import ROOT
from tests.integration.small_worker import small_worker
from tests.vectors import web_push

WORKER = Path(__file__).parent / "worker"
VECTORS = ROOT / "tests/vectors"
# One in ten: all of them are compared on CPython.
SHARE = 10


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("signing")
    vectors = {f"tests/vectors/{path.name}": path for path in VECTORS.glob("*.py")}
    with small_worker(WORKER, folder, ("durable_objects", "contracts"), more=vectors) as url:
        yield url


def test_every_published_vector_comes_out_in_workerd(signer: str) -> None:
    text = (VECTORS / "hyperliquid.json").read_text()
    assert httpx.post(f"{signer}/vectors", content=text, timeout=60).json() == []
    spoilt = text.replace("0x053749d5", "0x053749d6", 1)
    assert httpx.post(f"{signer}/vectors", content=spoilt, timeout=60).json() == ["py_dummy_mainnet"]


def test_random_actions_are_signed_in_workerd_as_the_venues_sdk_signs_them(signer: str) -> None:
    made = httpx.post(f"{signer}/random", timeout=60).json()
    assert made == (VECTORS / "sdk_signatures.txt").read_text().split()[::SHARE]


def test_the_example_of_web_push_comes_out_in_workerd(signer: str) -> None:
    assert httpx.post(f"{signer}/web-push", timeout=60).text == web_push.BODY
