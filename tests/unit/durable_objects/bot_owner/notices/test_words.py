"""What notices say in the three languages: all of it translated, in one script each, on one line."""

import re

import pytest

from contracts.limits import NOTICE_NAME_CHARACTERS
from contracts.notices import NoticeKind
from contracts.states import Locale
from durable_objects.bot_owner.notices.words import CODE, TITLES, code_words, words_of

HAN = re.compile(r"[\u4e00-\u9fff]")
# Characters that only one of the two scripts uses, of those that occur here.
ONLY_SIMPLIFIED, ONLY_TRADITIONAL = set("这额电脑务败运执达里验码输设"), set("這額電腦務敗運執達裡驗碼輸設")
CHINESE = [
    (Locale.SIMPLIFIED_CHINESE, ONLY_TRADITIONAL),
    (Locale.TRADITIONAL_CHINESE, ONLY_SIMPLIFIED),
]


def sentences(locale: Locale) -> list[str]:
    return [*TITLES[locale].values(), *CODE[locale]]


@pytest.mark.parametrize("locale", list(Locale))
def test_each_kind_has_a_title_in_each_language(locale: Locale) -> None:
    assert set(TITLES[locale]) == set(NoticeKind)
    assert len(set(sentences(locale))) == len(sentences(locale))
    assert code_words(locale, "012345").body.count("012345") == 1


@pytest.mark.parametrize(("locale", "foreign"), CHINESE)
def test_chinese_is_translated_and_in_its_own_script(locale: Locale, foreign: set[str]) -> None:
    for text in sentences(locale):
        assert HAN.search(text), text
        assert not foreign & set(text), text


@pytest.mark.parametrize(
    ("bot", "thread", "body"),
    [
        ("Data", "Prices", "Data · Prices"),
        ("Data", "", "Data"),
        ("", "", ""),
        ("Da\nta", "  a\t b ", "Da ta · a b"),
        ("Data", "a\u202eb", "Data · a⟨U+202E⟩b"),
        ("Data", "x" * NOTICE_NAME_CHARACTERS, f"Data · {'x' * NOTICE_NAME_CHARACTERS}"),
        ("Data", "x" * (NOTICE_NAME_CHARACTERS + 1), f"Data · {'x' * (NOTICE_NAME_CHARACTERS - 1)}…"),
    ],
)
def test_names_are_short_and_on_one_line(bot: str, thread: str, body: str) -> None:
    assert words_of(Locale.ENGLISH, NoticeKind.INPUT, bot, thread).body == body
