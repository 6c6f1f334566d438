"""Every reason that the code names has its sentence, and gets the facts that it needs."""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.errors import BerthError, ErrorCode
from contracts.reasons import WORDS, Why, because

ROOT = Path(__file__).resolve().parents[3]
MAKERS = {"because", "Why", "ModelError"}
FOLDERS = ("contracts", "durable_objects", "egress", "workers")


def facts_of(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def calls(folder: str) -> Iterator[tuple[str, ast.Call]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def given() -> Iterator[tuple[str, str, set[str]]]:
    """(where, reason, names of facts) of everything that is said by a reason."""
    for folder in FOLDERS:
        for where, call in calls(folder):
            made = call.func.id if isinstance(call.func, ast.Name) else ""
            if made in MAKERS and len(call.args) > (made == "because"):
                reason = text(call.args[made == "because"])
                if reason is not None and not any(one.arg is None for one in call.keywords):
                    yield where, reason, {one.arg for one in call.keywords if one.arg}
    for where, call in calls("container/computerd"):
        named = {one.arg: one.value for one in call.keywords if one.arg}
        if (reason := text(named.get("reason"))) is not None:
            yield where, reason, set(named)


def test_every_reason_that_is_named_has_a_sentence_and_its_facts() -> None:
    wrong = [
        f"{where} {reason}"
        for where, reason, facts in given()
        if reason not in WORDS or not facts_of(WORDS[reason]) <= facts
    ]
    assert wrong == []


def test_no_sentence_is_left_that_nothing_says() -> None:
    sources = "\n".join(
        path.read_text()
        for folder in (*FOLDERS, "container/computerd")
        for path in (ROOT / folder).rglob("*.py")
        if path.name != "reasons.py"
    )
    assert [reason for reason in WORDS if f'"{reason}"' not in sources] == []


def test_what_a_person_reads_is_said_by_a_reason() -> None:
    """A sentence that is written where it is raised would be English on every page."""
    # What is answered to programs alone, or has a card of its own with its facts.
    programs = {
        "durable_objects/bot_owner/billing/allowance.py",
        "durable_objects/bot_owner/tools.py",
        "durable_objects/bot_owner/owner.py",
        "durable_objects/bot_owner/estate.py",
        "durable_objects/bot_owner/shell.py",
        "durable_objects/bot_owner/venue/reading.py",
        "durable_objects/person/departure.py",
        "egress/answers.py",
        "workers/api/access.py",
        "workers/api/bodies.py",
        "workers/api/door.py",
        "workers/api/json_bodies.py",
        "workers/api/sign_in/office.py",
    }
    bare = [
        where
        for folder in ("durable_objects", "egress", "workers")
        for where, call in calls(folder)
        if isinstance(call.func, ast.Name)
        and call.func.id == "BerthError"
        and len(call.args) > 1
        and isinstance(call.args[1], ast.Constant | ast.JoinedStr)
        and where.partition(":")[0] not in programs
    ]
    assert bare == []


def test_an_error_has_its_sentence_its_reason_and_its_facts() -> None:
    error = because(ErrorCode.INVALID_REQUEST, "tokens_many", details={"running": []}, most=3)
    assert error.message == "There are 3 tokens already. Remove one first."
    assert error.details == {"running": [], "most": 3, "reason": "tokens_many"}
    assert BerthError.from_dict(error.as_dict()).details == error.details


def test_a_fact_may_be_reasons_of_its_own() -> None:
    wrong = [Why("order_wrong", n=n, why=Why("order_not_positive")) for n in (1, 3)]
    error = because(ErrorCode.INVALID_REQUEST, "orders_illegal", orders=wrong)
    assert error.message == "order 1: price and size are over zero; order 3: price and size are over zero"
    assert error.details == {
        "reason": "orders_illegal",
        "orders": [
            {"reason": "order_wrong", "n": n, "why": {"reason": "order_not_positive"}} for n in (1, 3)
        ],
    }


def test_a_fact_that_is_missing_is_found_where_it_is_made() -> None:
    with pytest.raises(KeyError):
        because(ErrorCode.INVALID_REQUEST, "tokens_many")


@pytest.mark.parametrize("locale", ["zh-Hans", "zh-Hant"])
def test_a_sentence_of_a_page_asks_for_no_other_facts(locale: str) -> None:
    """That each reason has one there is seen by the compiler."""
    facts = {reason: facts_of(sentence) for reason, sentence in WORDS.items()}
    for _, reason, names in given():
        facts[reason] |= names
    page = (ROOT / f"web/src/i18n/reasons/{locale}.ts").read_text()
    sentences = dict(re.findall(r"^  (\w+):\s+\"(.*)\",$", page, re.MULTILINE))
    assert set(sentences) == set(WORDS)
    wrong = [reason for reason, sentence in sentences.items() if not facts_of(sentence) <= facts[reason]]
    assert wrong == []
