"""A database of any earlier version is brought up to date with what it holds."""

import pytest

from contracts.records import Usage
from durable_objects.bot_owner.runs import run_record
from durable_objects.bot_owner.schema import SCHEMA
from durable_objects.shared.sql import SqliteSql, migrate

FIRST = 3


@pytest.mark.parametrize("version", range(FIRST, len(SCHEMA) + 1))
def test_runs_and_bots_of_an_earlier_version_go_on(version: int) -> None:
    sql = SqliteSql()
    migrate(sql, SCHEMA[:version])
    columns = [row["name"] for row in sql.execute("SELECT name FROM pragma_table_info('threads')")]
    sql.run(
        "INSERT INTO bots (id, name, instructions, provider, base_url, model, api_key, created_ms)"
        " VALUES ('b', 'B', '', 'openai', '', 'm', 'plain', 1)"
    )
    sql.run(
        "INSERT INTO threads (id, bot_id, title, created_ms, updated_ms) VALUES ('t', 'b', 'T', 1, 1)",
    )
    sql.run(
        "INSERT INTO runs"
        " (id, thread_id, bot_id, state, origin, tainted, round_limit, created_ms, updated_ms)"
        " VALUES ('r', 't', 'b', 'running', 'chat', 1, 40, 1, 1)"
    )
    sql.run("INSERT INTO steps (run_id, round, n, state) VALUES ('r', 1, 0, 'done')")
    migrate(sql, SCHEMA)
    for query in ("SELECT * FROM runs", "SELECT * FROM unfinished_runs", "SELECT * FROM shown_runs"):
        (row,) = sql.execute(query)
        run = run_record(row)
        assert (run.id, run.tainted, run.taint, run.usage, run.question) == ("r", True, [], None, None)
    sql.run("UPDATE runs SET usage = ?", Usage(input=1).model_dump_json())
    (row,) = sql.execute("SELECT * FROM shown_runs")
    assert run_record(row).usage == Usage(input=1)
    (bot,) = sql.execute("SELECT * FROM bots")
    assert (bot["rounds"], bot["effort"], bot["temperature"], bot["recording"]) == (40, None, None, None)
    (step,) = sql.execute("SELECT * FROM steps")
    assert (step["prompt"], step["said"], step["kept"], step["usage"]) == ("", 1, None, None)
    (thread,) = sql.execute("SELECT * FROM threads")
    assert thread["tainted_by"] == (None if "tainted_by" in columns else "r")
