"""The page of the policy says what the tables say."""

from pathlib import Path

from egress.page import render
from egress.tables import DENY, PUBLIC

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_is_as_it_would_be_printed() -> None:
    assert (ROOT / "docs/policy.md").read_text() == render()


def test_every_rule_and_host_is_on_the_page() -> None:
    page = render()
    for deny in DENY:
        assert all(f"`{host}`" in page for host in (deny.name, *deny.hosts)[1:])
        assert f"| {deny.name} |" in page
    for allow in PUBLIC:
        assert f"| {allow.name} | `{allow.host}` |" in page
