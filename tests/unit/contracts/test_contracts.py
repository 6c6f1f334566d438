"""The promises hold together: statuses, numbers in the docs, a schema that can be made."""

import json

import pytest
from pydantic import ValidationError

from contracts import limits
from contracts.api import EgressRuleCreate
from contracts.errors import STATUS, BerthError, ErrorCode
from contracts.limits import EGRESS_RULE_DAYS_MAX
from contracts.schema import schema
from contracts.tools import TOOLS, schemas


def test_every_code_has_a_status() -> None:
    assert set(STATUS) == set(ErrorCode)


def test_an_error_survives_its_way_as_json() -> None:
    error = BerthError(ErrorCode.COMPUTER_BUSY, "Busy.", retry_after_s=3, details={"running": 4})
    assert BerthError.from_dict(json.loads(json.dumps(error.as_dict()))).as_dict() == error.as_dict()


@pytest.mark.parametrize("fields", [{}, {"code": "made_up", "message": "x"}, {"code": None}])
def test_an_error_of_an_unknown_code_is_internal(fields: dict[str, object]) -> None:
    assert BerthError.from_dict(fields).code == ErrorCode.INTERNAL


def test_head_and_tail_are_a_quarter_and_three() -> None:
    assert limits.OUTPUT_HEAD_CHARACTERS * 4 == limits.OUTPUT_CHARACTERS
    assert limits.OUTPUT_HEAD_CHARACTERS + limits.OUTPUT_TAIL_CHARACTERS == limits.OUTPUT_CHARACTERS


def test_the_schema_names_every_event() -> None:
    text = schema()
    for kind in ("message.created", "tool.finished", "run.status", "caught_up", "part.delta"):
        assert f'"{kind}"' in text


def test_each_tool_tells_a_model_its_arguments() -> None:
    told = {tool["name"]: tool["parameters"] for tool in schemas()}
    assert set(told) == set(TOOLS)
    assert told["computer__exec"]["required"] == ["command"]


def test_an_own_rule_may_hold_as_long_as_the_limit_and_no_longer() -> None:
    assert (
        EgressRuleCreate(host="a.b", days=EGRESS_RULE_DAYS_MAX, understood=True).days == EGRESS_RULE_DAYS_MAX
    )
    for fields in ({"days": EGRESS_RULE_DAYS_MAX + 1}, {"days": 0}, {"understood": False}):
        with pytest.raises(ValidationError):
            EgressRuleCreate.model_validate({"host": "a.b", "understood": True, **fields})
