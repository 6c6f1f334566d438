"""A name can be seen, wherever one is given."""

import pytest
from pydantic import ValidationError

from contracts.api import BotChange, BotCreate, ThreadChange, ThreadCreate

UNSEEN = ["", " ", "\n\t", "\u3000", "\u200b", "\u202e\u2066", "\ufeff", "\u3164", "\u2800", "\0"]


@pytest.mark.parametrize("name", UNSEEN, ids=ascii)
def test_a_name_that_nobody_sees_is_refused(name: str) -> None:
    for refused in (
        lambda: BotCreate(name=name),
        lambda: BotChange(name=name),
        lambda: ThreadChange(title=name),
    ):
        with pytest.raises(ValidationError):
            refused()


@pytest.mark.parametrize("title", UNSEEN, ids=ascii)
def test_a_thread_begun_with_such_a_title_has_none_yet(title: str) -> None:
    assert ThreadCreate(bot_id="b", title=title).title == ""


def test_a_name_is_one_line_and_else_as_it_was_given() -> None:
    assert BotCreate(name=" Data\n\n 分析 👩\u200d💻 ").name == "Data 分析 👩\u200d💻"
    assert ThreadCreate(bot_id="b", title="a\r\nb").title == "a b"
    assert BotChange().name is None
    assert len(BotCreate(name="x" * 200).name) == 200
    with pytest.raises(ValidationError):
        BotCreate(name="x" * 201)
