"""The SQL protocol on CPython: what the cores rely on."""

import pytest

from durable_objects.shared.sql import SqliteSql, migrate

FIRST = ("CREATE TABLE a (x INTEGER)",)
SECOND = ("ALTER TABLE a ADD COLUMN y TEXT", "INSERT INTO a (x, y) VALUES (1, 'new')")


def test_migrations_run_once_and_in_order(sql: SqliteSql) -> None:
    migrate(sql, (FIRST,))
    migrate(sql, (FIRST, SECOND))
    migrate(sql, (FIRST, SECOND))
    assert sql.execute("SELECT x, y FROM a") == [{"x": 1, "y": "new"}]


def test_a_migration_that_fails_leaves_the_tables_as_they_were(sql: SqliteSql) -> None:
    migrate(sql, (FIRST,))
    with pytest.raises(Exception, match="no such table"):
        migrate(sql, (FIRST, (*SECOND, "INSERT INTO missing VALUES (1)")))
    assert sql.execute("SELECT * FROM a") == []
    assert sql.execute("SELECT version FROM schema_version") == [{"version": 1}]


def test_a_transaction_that_raises_writes_nothing(sql: SqliteSql) -> None:
    migrate(sql, (FIRST,))

    def work() -> None:
        sql.run("INSERT INTO a VALUES (1)")
        raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        sql.transaction(work)
    assert sql.execute("SELECT * FROM a") == []


def test_a_transaction_inside_another_belongs_to_it(sql: SqliteSql) -> None:
    migrate(sql, (FIRST,))

    def outer() -> None:
        sql.transaction(lambda: sql.run("INSERT INTO a VALUES (1)"))
        raise ValueError("late")

    with pytest.raises(ValueError, match="late"):
        sql.transaction(outer)
    assert sql.execute("SELECT * FROM a") == []


@pytest.mark.parametrize("number", [2**53 - 1, -(2**53) + 1])
def test_an_integer_that_a_durable_object_can_store(number: int) -> None:
    assert SqliteSql().execute("SELECT ? AS n", number) == [{"n": number}]


@pytest.mark.parametrize("number", [2**53, -(2**53)])
def test_an_integer_that_a_durable_object_cannot_store_is_refused_here_too(number: int) -> None:
    with pytest.raises(OverflowError):
        SqliteSql().execute("SELECT ? AS n", number)
    with pytest.raises(OverflowError):
        SqliteSql().run("SELECT ?", number)
