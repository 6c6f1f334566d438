"""The address of a model's server: which ones are asked, in which spelling."""

import pytest

from api.model_address import checked_address
from contracts.errors import BerthError, ErrorCode


def checked(text: str, *, local: bool = False) -> str:
    return checked_address(text, local=local, own_hosts=["berth.example"])


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("", ""),
        ("  ", ""),
        ("https://models.example/v1", "https://models.example/v1"),
        (" https://models.example/v1/ ", "https://models.example/v1"),
        ("https://Models.Example.:443/v1//", "https://models.example/v1"),
        ("https://models.example", "https://models.example"),
        ("https://models.example:8443/a/b", "https://models.example:8443/a/b"),
        ("https://bücher.example/v1", "https://xn--bcher-kva.example/v1"),
    ],
)
def test_a_public_host_is_asked_in_one_spelling(given: str, asked: str) -> None:
    assert checked(given) == asked
    assert checked(asked) == asked


@pytest.mark.parametrize(
    "given",
    [
        "http://models.example/v1",
        "ftp://models.example/v1",
        "models.example/v1",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https:///v1",
        "https://user:pw@models.example/v1",
        "https://models.example@evil.example/v1",
        "https://models.example/v1?x=1",
        "https://models.example/v1#x",
        "https://models.example/a/../b",
        "https://models.example/%2e%2e/b",
        "https://models.example/a//b",
        "https://models.example\\@evil.example/v1",
        "https://models.example:0/v1",
        "https://models.example:99999/v1",
        "https://models.example/a b",
        "https://models.example/\nx",
        "https://models.example\t/x",
        "https://127.0.0.1/v1",
        "https://127.1/v1",
        "https://2130706433/v1",
        "https://0x7f.0.0.1/v1",
        "https://0177.0.0.1/v1",
        "https://10.0.0.1/v1",
        "https://169.254.169.254/latest",
        "https://[::1]/v1",
        "https://[fd00::1]/v1",
        "https://[::ffff:10.0.0.1]/v1",
        "https://\uff11\uff12\uff17.0.0.1/v1",
        "https://127。0。0。1/v1",
        "https://localhost/v1",
        "https://localhost./v1",
        "https://a.localhost/v1",
        "https://printer.local/v1",
        "https://metadata.google.internal/v1",
        "https://intranet/v1",
        "https://nas.home.arpa/v1",
        "https://berth.example/api",
        "http://localhost:8080/v1",
        "http://127.0.0.1:8080/v1",
        "https://" + "a" * 9_000 + ".example/v1",
    ],
)
def test_what_may_not_be_asked_is_refused(given: str) -> None:
    with pytest.raises(BerthError) as caught:
        checked(given)
    assert caught.value.code == ErrorCode.INVALID_REQUEST


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("http://localhost:8080/v1/", "http://localhost:8080/v1"),
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("https://[::1]:8080/v1", "https://[::1]:8080/v1"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_the_own_machine_is_asked_only_where_berth_runs_on_it(given: str, asked: str) -> None:
    assert checked(given, local=True) == asked


@pytest.mark.parametrize(
    "given",
    ["http://10.0.0.1/v1", "http://192.168.1.5:11434/v1", "http://127.0.0.2/v1", "http://a.localhost/v1"],
)
def test_other_machines_near_it_are_not(given: str) -> None:
    with pytest.raises(BerthError):
        checked(given, local=True)
