"""The documents tell the truth about what can be checked: numbers, names and files."""

import re
import tomllib
from pathlib import Path

import pytest

from contracts import limits
from durable_objects.bot_owner.billing.prices import models_of, prices_of
from durable_objects.bot_owner.billing.usage import COLUMNS
from durable_objects.platform.settings import budget_of
from durable_objects.shared.money import micro_of

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
        "telemetry",
        "workers",
        "container",
        "local",
        "web",
        "tests",
        "docs",
        ".github",
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


def test_each_decision_has_a_number_of_its_own_and_its_title_says_it() -> None:
    pages = sorted((ROOT / "docs/decisions").glob("*.md"))
    numbers = [page.name[:3] for page in pages]
    assert len(set(numbers)) == len(numbers)
    assert [page.read_text()[:7] for page in pages] == [f"# {number}: " for number in numbers]


def test_the_allowance_page_has_every_setting_of_money_as_it_is() -> None:
    page = (ROOT / "docs/allowance.md").read_text()
    told = dict(re.findall(r"\| `(BERTH_[A-Z_]+)` \| ([\d.]+) \|", page))
    variables = tomllib.loads((ROOT / "wrangler.toml").read_text())["vars"]
    usual = prices_of(lambda _name: "")
    budget = budget_of(lambda _name: "")
    kept = {
        "BERTH_ALLOWANCE_A_MONTH": usual.monthly_micro,
        "BERTH_COMPUTER_PRICE_AN_HOUR": usual.computer_micro_an_hour,
        "BERTH_COMPUTER_BUDGET_A_DAY": budget.day_micro,
        "BERTH_COMPUTER_BUDGET_AN_HOUR": budget.hour_micro,
    }
    assert {name: micro_of(text) for name, text in told.items()} == kept
    assert {name: micro_of(variables[name]) for name in kept} == kept


def test_the_allowance_page_has_the_columns_of_the_table_and_prices_that_can_be_read() -> None:
    page = (ROOT / "docs/allowance.md").read_text()
    assert f"    {','.join(COLUMNS)}\n" in page
    (example,) = re.findall(r"^    (\{.*\})$", page, re.MULTILINE)
    assert models_of(example)
