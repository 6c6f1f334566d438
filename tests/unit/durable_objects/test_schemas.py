"""Tables only grow: a Berth of the version before can live with the tables of the next one.

See docs/decisions/033-tables-only-grow.md. Steps from before the rule are named one by one.
"""

import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from durable_objects.shared.sql import SqliteSql, migrate

ROOT = Path(__file__).parents[3]
CALL = re.compile(r"\bmigrate\([^)]*\bSCHEMA\)")
GROWS = re.compile(
    r"\s*(CREATE\s+(UNIQUE\s+|VIRTUAL\s+)?(TABLE|INDEX|VIEW|TRIGGER)|DROP\s+INDEX|INSERT\s|UPDATE\s)",
    re.IGNORECASE,
)
COLUMN = re.compile(r"\s*ALTER\s+TABLE\s+\w+\s+ADD\s+(COLUMN\s+)?\w+(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
BEFORE_THE_RULE = {"ALTER TABLE machine DROP COLUMN loss"}

Schema = tuple[tuple[str, ...], ...]


def schemas() -> dict[str, Schema]:
    """The steps of every class, by the module that brings them up to date."""
    found = {}
    for file in sorted((ROOT / "durable_objects").rglob("*.py")):
        if CALL.search(file.read_text()) and file.name != "sql.py":
            name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            found[name] = import_module(name).SCHEMA
    return found


def shrinks(statement: str) -> bool:
    """Whether a Berth that does not know the statement could stumble over what it does."""
    if added := COLUMN.fullmatch(statement):
        rest = added["rest"].upper()
        return "NOT NULL" in rest and "DEFAULT" not in rest
    return not GROWS.match(statement)


def shrinking(schema: Schema) -> Iterable[str]:
    return (s for step in schema for s in step if shrinks(s) and s not in BEFORE_THE_RULE)


def test_every_class_is_looked_at() -> None:
    assert {name.split(".")[1] for name in schemas()} >= {"bot_owner", "bot_computer", "platform"}


@pytest.mark.parametrize("name", sorted(schemas()))
def test_no_step_takes_away_what_the_version_before_needs(name: str) -> None:
    assert list(shrinking(schemas()[name])) == []


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE runs DROP COLUMN state",
        "ALTER TABLE runs RENAME COLUMN state TO mood",
        "ALTER TABLE runs RENAME TO walks",
        "ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL",
        "DROP TABLE runs",
        "DROP VIEW shown_runs",
        "DELETE FROM runs",
    ],
)
def test_what_the_rule_is_against(statement: str) -> None:
    assert shrinks(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE runs ADD COLUMN mood TEXT",
        "ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL DEFAULT ''",
        "CREATE TABLE moods (id TEXT PRIMARY KEY)",
        "DROP INDEX runs_by_mood",
        "UPDATE runs SET mood = 'good'",
    ],
)
def test_what_the_rule_allows(statement: str) -> None:
    assert not shrinks(statement)


@pytest.mark.parametrize("name", sorted(schemas()))
def test_the_version_before_leaves_newer_tables_alone(name: str) -> None:
    """And the newer one finds them as it left them, when it comes back."""
    schema = schemas()[name]
    newer = (*schema, ("CREATE TABLE of_the_next_version (id TEXT PRIMARY KEY)",))
    sql = SqliteSql()
    migrate(sql, newer)
    sql.run("INSERT INTO of_the_next_version VALUES ('kept')")
    migrate(sql, schema)
    migrate(sql, newer)
    kept: list[dict[str, Any]] = sql.execute("SELECT id FROM of_the_next_version")
    assert [row["id"] for row in kept] == ["kept"]
