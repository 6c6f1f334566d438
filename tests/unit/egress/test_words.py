"""Why a request was denied is said in the person's language: by the name of the rule."""

import ast
import re
from pathlib import Path

import pytest

from egress.tables import DENY

ROOT = Path(__file__).resolve().parents[3]
NAMED = {"AddressError": 0, "BodyError": 0, "_but": 1}


def rules() -> set[str]:
    """The names that a denial may have: of the table, of what cannot be judged, and of no rule at all."""
    names = {"default", *(deny.name for deny in DENY)}
    for path in (ROOT / "egress").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in NAMED:
                name = node.args[NAMED[node.func.id]]
                if isinstance(name, ast.Constant):
                    names.add(str(name.value))
    return names


@pytest.mark.parametrize("locale", ["zh-Hans", "zh-Hant"])
def test_every_rule_that_denies_has_its_words(locale: str) -> None:
    page = (ROOT / f"web/src/i18n/reasons/denied-{locale}.ts").read_text()
    assert set(re.findall(r"^  (\w+): \"", page, re.MULTILINE)) == rules()
