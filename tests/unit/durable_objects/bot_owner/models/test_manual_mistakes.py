"""A line that cannot be a call is answered with what is wrong with it, in the person's language."""

import string
from dataclasses import dataclass

import pytest

from contracts.limits import ORDERS_A_BATCH
from contracts.tools import TOOLS
from durable_objects.bot_owner.models import manual, manual_trading
from durable_objects.bot_owner.models.manual import ManualModel, read_lines
from durable_objects.bot_owner.models.manual_words import EXAMPLES, FIELDS, MISTAKES, MistakeError
from durable_objects.bot_owner.models.protocol import CallPart, Part, TextPart

ORDER = "buy 0.01 BTC 60010"
LOCALES = ("en", "zh-Hans", "zh-Hant")


@dataclass
class Turn:
    text: str


class Asked:
    """As much of a question as the model reads."""

    def __init__(self, *texts: str, locale: str = "en") -> None:
        self.news = [Turn(text) for text in texts]
        self._locale = locale

    def locale(self) -> str:
        return self._locale


async def answered(*texts: str, locale: str = "en") -> list[Part]:
    return [part async for part in ManualModel().answer(Asked(*texts, locale=locale))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/orders", "Line 1: `/orders` has no order."),
        (f"/orders\n{ORDER}\nbuy 0.01", "Line 3: the market is missing from `buy 0.01`."),
        ("/orders\nbuy 0.01 BTC", "Line 2: the price is missing from `buy 0.01 BTC`."),
        ("/orders\n\nbuy", "Line 3: the size is missing from `buy`."),
        ("/orders\n0.01 BTC 60010", "begins with `buy` or `sell`, not `0.01`."),
        ("/orders\nbuy much BTC 60010", "the size has to be a number over zero, not `much`."),
        ("/orders\nbuy 0.01 BTC 0", "the price has to be a number over zero, not `0`."),
        ("/orders\nbuy 0.01 BTC 6e4", "the price has to be a number over zero, not `6e4`."),
        (f"/orders\n{ORDER} Fok", "`reduce`, not `Fok`."),
        (f"/orders\n{ORDER} Ioc 1", "`reduce`, not `1`."),
        ("/orders\n" + f"{ORDER}\n" * (ORDERS_A_BATCH + 1), f"takes {ORDERS_A_BATCH} orders at most."),
        (
            f"$ ls\n/orders\n{ORDER} x`y",
            "Line 3: after the price come `Gtc`, `Ioc`, `Alo` or `reduce`, not `x'y`.",
        ),
        ("/candles", "the market is missing after `/candles`."),
        ("/candles BTC 2h", "the interval is one of 1m, 5m, 15m, 1h, 4h, 1d, not `2h`."),
        ("/cancel 12", "`12` is no order's id."),
        ("/order", "the order's id is missing after `/order`."),
        ("/read", "a path is missing after `/read`."),
        ("/ordrs", "There is no command `/ordrs`. Did you mean `/orders` or `/order`?"),
        ("/Acount", "There is no command `/Acount`. Did you mean `/account`"),
        ("/zzzzzz", "There is no command `/zzzzzz`."),
        (f"/orders\n{ORDER}\n/cancle 1", "There is no command `/cancle`. Did you mean `/cancel`"),
    ],
)
async def test_a_mistake_is_named_and_nothing_is_done(text: str, told: str) -> None:
    parts = await answered(text)
    assert len(parts) == 1
    assert isinstance(parts[0], TextPart)
    assert told in parts[0].text
    assert "Nothing was done." in parts[0].text


@pytest.mark.parametrize("text", ["/etc/hosts", "/* a comment", "hello /ordrs", "/", "/2"])
def test_what_is_no_mistyped_command_is_not_taken_for_one(text: str) -> None:
    assert read_lines(text) is None


def test_a_line_of_a_file_or_a_script_may_look_like_a_mistyped_command() -> None:
    assert read_lines("/write a.txt\n/ordrs") == [
        CallPart("computer__write_file", {"path": "a.txt", "content": "/ordrs\n"})
    ]


@pytest.mark.parametrize("locale", LOCALES)
async def test_it_is_said_in_the_persons_language(locale: str) -> None:
    [part] = await answered("/orders\nbuy 0.01 BTC", locale=locale)
    assert isinstance(part, TextPart)
    assert part.text.startswith(MISTAKES[locale]["order_short"].split("{")[0])
    assert FIELDS[locale]["price"] in part.text
    assert f"`{EXAMPLES['/orders']}`" in part.text


def test_every_mistake_has_its_sentence_with_the_same_facts_in_each_language() -> None:
    def facts(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    assert set(MISTAKES) == set(FIELDS) == set(LOCALES)
    for locale in LOCALES:
        assert set(FIELDS[locale]) == set(FIELDS["en"])
        assert {kind: facts(text) for kind, text in MISTAKES[locale].items()} == {
            kind: facts(text) for kind, text in MISTAKES["en"].items()
        }


@pytest.mark.parametrize("verb", EXAMPLES)
def test_each_example_is_right(verb: str) -> None:
    text = f"/orders\n{EXAMPLES[verb]}" if verb == "/orders" else EXAMPLES[verb]
    calls = read_lines(text + ("\nold\n====\nnew" if verb == "/edit" else ""))
    assert calls
    TOOLS[calls[0].tool].arguments.model_validate(calls[0].arguments)


def test_what_is_let_through_is_what_the_tools_take() -> None:
    # A mistake of trading never comes to the person in the validator's words.
    tried = ["/markets " + "X " * 51, "/candles BTC 1h 1", "/cancel " + "0x" + "0" * 31, "/order a b"]
    tried += ["/markets " + "X" * 41, f"/candles {'X' * 41}", f"/orders\nsell 1 {'X' * 41} 1"]
    for text in tried:
        with pytest.raises(MistakeError):
            read_lines(text)


def test_the_commands_are_those_that_are_known() -> None:
    assert set(EXAMPLES) <= {*manual.VERBS, *manual_trading.VERBS}
