"""Log lines are JSON and hold no content, whatever somebody puts into them."""

import json
import logging
from collections.abc import Iterator

import pytest

from contracts.errors import BerthError, ErrorCode
from telemetry import logs, trace
from telemetry.words import told

MARK = "zanzibar"
log = logging.getLogger("durable_objects.test")


@pytest.fixture
def lines() -> Iterator[list[dict[str, object]]]:
    """What is written, parsed."""
    root, found = logging.getLogger(), list[dict[str, object]]()
    handlers, level = root.handlers[:], root.level
    logs.install(lambda _level, line: found.append(json.loads(line)))
    yield found
    root.handlers[:] = handlers
    root.setLevel(level)


def test_a_line_says_when_how_bad_where_what_and_for_which_request(lines: list[dict[str, object]]) -> None:
    made = trace.begun()
    with trace.within(made), trace.within(trace.of_run("run_1")):
        log.warning("start %d took %d ms, from a %s", 3, 40, "snapshot")
    (line,) = lines
    assert line.pop("at")
    assert line == {
        "level": "warning",
        "part": "durable_objects.test",
        "what": "start 3 took 40 ms, from a snapshot",
        "request_id": made.request_id,
        "run_id": "run_1",
    }


@pytest.mark.parametrize(
    "argument",
    [
        f"rm -rf {MARK}",
        f"/workspace/{MARK}.txt",
        f"报告 {MARK}",
        ValueError(f"no such file: {MARK}"),
        BerthError(ErrorCode.NOT_FOUND, f"{MARK} is not there"),
        {"text": MARK},
        [MARK],
        f"{MARK}\n",
        "x" * 81 + MARK,
    ],
)
@pytest.mark.parametrize("form", ["it broke: %s", "it broke: %r"])
def test_what_is_no_word_is_not_told(lines: list[dict[str, object]], argument: object, form: str) -> None:
    if isinstance(argument, dict):
        log.warning(form, str(argument))
    else:
        log.warning(form, argument)
        log.info("a fact", extra={"fields": {"fact": argument}})
    assert lines
    assert MARK not in json.dumps(lines)


def test_an_exception_is_its_type_its_code_and_where(lines: list[dict[str, object]]) -> None:
    def fail() -> None:
        try:
            dict[str, str]()[MARK]
        except KeyError as error:
            raise BerthError(ErrorCode.COMPUTER_BUSY, MARK) from error

    try:
        fail()
    except BerthError:
        log.exception("it broke")
    (line,) = lines
    assert str(line["error"]).startswith("BerthError(computer_busy) at telemetry/test_logs.py:")
    assert " from KeyError at telemetry/test_logs.py:" in str(line["error"])
    assert str(line["stack"]).endswith("fail']")
    assert MARK not in json.dumps(line)


def test_a_library_is_named_and_not_quoted(lines: list[dict[str, object]]) -> None:
    error = RuntimeError(MARK)
    logging.getLogger("asyncio").error("never retrieved\nfuture: %s", MARK, exc_info=error)
    (line,) = lines
    assert (line["part"], line["level"]) == ("asyncio", "error")
    assert MARK not in json.dumps(line)
    assert "RuntimeError" in str(line["error"])


def test_a_chain_of_causes_has_an_end() -> None:
    first: BaseException = ValueError(MARK)
    for _ in range(50):
        after = ValueError(MARK)
        after.__cause__ = first
        first = after
    assert told(first).count("ValueError") <= 12


def test_a_sentence_that_its_arguments_do_not_fit_is_told_bare() -> None:
    record = logging.LogRecord("api.app", logging.INFO, __file__, 1, "of %d things", (MARK,), None)
    assert logs.line(record)["what"] == "of %d things"
