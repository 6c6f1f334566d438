"""The documents tell the truth about what can be checked: numbers, names and files."""

import re
from pathlib import Path

import pytest

from contracts import limits

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
NUMBER = re.compile(r"\| `([A-Z_]+)` \| ([\d,]+) \|")
FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|toml|mjs|ts|tsx|md|txt))`")
SOURCES = [
    f"/{path.relative_to(ROOT)}"
    for folder in (
        "contracts",
        "durable_objects",
        "egress",
        "workers",
        "container",
        "local",
        "web",
        "tests",
        "docs",
    )
    for path in (ROOT / folder).rglob("*.*")
    if "node_modules" not in path.parts
] + [f"/{path.name}" for path in ROOT.iterdir()]
LINK = re.compile(r"\]\(([^)#:]+)\)")


def test_the_limits_page_has_every_number_as_it_is() -> None:
    told = {
        name: int(value.replace(",", ""))
        for name, value in NUMBER.findall((ROOT / "docs/limits.md").read_text())
    }
    kept = {
        name: value
        for name, value in vars(limits).items()
        if name.isupper() and name not in {"KIB", "MIB", "OUTPUT_HEAD_CHARACTERS", "OUTPUT_TAIL_CHARACTERS"}
    }
    assert told == kept


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_files_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text()
    missing = [target for target in LINK.findall(text) if not (page.parent / target).exists()]
    missing += [name for name in FILE.findall(text) if not any(path.endswith(f"/{name}") for path in SOURCES)]
    assert missing == []
