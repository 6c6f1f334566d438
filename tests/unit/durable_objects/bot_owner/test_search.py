"""The index of what was said: how words are cut, what a query finds, and what a hit shows."""

import pytest

from contracts.api import BranchCreate
from contracts.errors import BerthError
from contracts.limits import SEARCH_HITS_A_PAGE, SEARCH_WORDS, SNIPPET_CHARACTERS
from contracts.records import Retention
from durable_objects.bot_owner.search import expression, snippet, terms
from tests.unit.durable_objects.bot_owner.rig import OwnerRig
from tests.unit.durable_objects.conftest import Clock


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Hello World", "hello world"),
        ("用Python写代码", " 用 python 写代 代码 码 "),
        ("\uff21\uff22 カナ", "ab  カナ ナ "),
        ("nul\0byte", "nul byte"),
    ],
)
def test_terms_are_words_and_pairs(text: str, held: str) -> None:
    assert terms(text) == held


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("企鹅", '"企鹅"*'),
        ("图", '"图"*'),
        ("用Python", '"用 python"*'),
        ("写代码 fast", '"写代 代码"* "fast"*'),
        ('say "NEAR" OR *', '"say"* "near"* "or"*'),
        ('"', ""),
        ("  ", ""),
    ],
)
def test_a_query_is_words_and_never_operators(query: str, wanted: str) -> None:
    assert expression(query.replace('"NEAR"', "NEAR")) == wanted


def test_a_quote_cannot_end_a_word(rig: OwnerRig) -> None:
    rig.send('he said a"b" OR c')
    assert len(rig.owner.search.find('a"b"').items) == 1
    assert rig.owner.search.find('zz" OR "said').items == []


def test_words_at_the_limit_all_count_and_what_is_past_it_is_said_not_to(rig: OwnerRig) -> None:
    words = [f"w{n}" for n in range(SEARCH_WORDS)]
    rig.send(" ".join(words))
    at, past = (rig.owner.search.find(" ".join(query)) for query in (words, [*words, "absent"]))
    assert (len(at.items), at.words_left_out) == (1, 0)
    assert (len(past.items), past.words_left_out) == (1, 1)
    assert rig.owner.search.find(" ".join([*words, "a", "b", "c"])).words_left_out == 3
    last = rig.owner.search.find(" ".join([*words[1:], "absent"]))
    assert (last.items, last.words_left_out) == ([], 0)


def test_signs_between_words_are_no_words_and_take_no_place(rig: OwnerRig) -> None:
    words = [f"w{n}" for n in range(SEARCH_WORDS)]
    rig.send(" ".join(words))
    found = rig.owner.search.find(" & ".join(words))
    assert (len(found.items), found.words_left_out) == (1, 0)
    assert [part.text for part in found.items[0].snippet if part.hit] == words


def test_what_was_not_looked_for_is_not_marked(rig: OwnerRig) -> None:
    words = [f"w{n}" for n in range(SEARCH_WORDS)]
    rig.send(" ".join([*words, "later"]))
    (hit,) = rig.owner.search.find(" ".join([*words, "later"])).items
    assert [part.text for part in hit.snippet if part.hit] == words


@pytest.mark.parametrize("query", ["企鹅", "重图", "图", "企鹅的体重图", "的体重"])
def test_chinese_is_found_by_any_part_of_it(rig: OwnerRig, query: str) -> None:
    rig.send("画一张企鹅的体重图")
    (hit,) = rig.owner.search.find(query).items
    assert [part.text for part in hit.snippet if part.hit] == [query]


@pytest.mark.parametrize("query", ["企重", "企鹅图", "鹅企"])
def test_characters_that_do_not_stand_together_are_not_found(rig: OwnerRig, query: str) -> None:
    rig.send("画一张企鹅的体重图")
    assert rig.owner.search.find(query).items == []


def test_pages_go_back_in_time(rig: OwnerRig) -> None:
    for number in range(SEARCH_HITS_A_PAGE + 1):
        rig.send(f"word {number}")
    first = rig.owner.search.find("word")
    assert (len(first.items), first.more) == (SEARCH_HITS_A_PAGE, True)
    rest = rig.owner.search.find("word", first.items[-1].id)
    assert ([hit.seq for hit in rest.items], rest.more) == ([1], False)
    rig.owner.removals.hide(rig.thread.id)
    assert rig.owner.search.find("word").items == []


def test_what_was_written_before_there_was_an_index_is_found(rig: OwnerRig) -> None:
    rig.send("an old word")
    rig.context.sql.run("DELETE FROM found_words")
    rig.context.sql.run("UPDATE findable SET indexed = 0")
    assert len(rig.owner.search.find("old").items) == 1
    assert len(rig.owner.search.find("old").items) == 1


def test_a_branch_has_its_own_copy(rig: OwnerRig) -> None:
    rig.send("first word")
    seq = rig.send("second").seq
    wanted = BranchCreate(client_id="branch-01", seq=seq, text="new")
    branch = rig.owner.branches.make(rig.thread.id, wanted).thread
    hits = rig.owner.search.find("first").items
    assert {hit.thread_id for hit in hits} == {rig.thread.id, branch.id}


def test_a_snippet_is_one_line_around_the_first_word() -> None:
    text = "a" * 500 + "\n\nthe needle\nlies " + "b" * 500
    parts = snippet(text, "NEEDLE")
    line = "".join(part.text for part in parts)
    assert [part.text for part in parts if part.hit] == ["needle"]
    assert line.startswith("…") and line.endswith("…") and "\n" not in line
    assert len(line) <= SNIPPET_CHARACTERS + 2


@pytest.mark.parametrize(
    ("text", "query", "hits"),
    [
        ("bring the report", "\uff52\uff45\uff50\uff4f\uff52\uff54", ["report"]),
        ("\uff22\uff34\uff23 价格", "btc", ["\uff22\uff34\uff23"]),
        ("start the art, smart", "art", ["art"]),
        ("价格btc上涨", "BTC 上", ["btc", "上"]),
        ("art_art", "art", ["art", "art"]),
        ("no [a-z] here", "[a-z]", ["a", "z"]),
        ("\u00b2 and 2", "\u00b2", ["2"]),
    ],
)
def test_words_are_marked_where_they_begin_and_in_either_width(
    text: str, query: str, hits: list[str]
) -> None:
    assert [part.text for part in snippet(text, query) if part.hit] == hits


def test_a_snippet_is_around_a_word_and_not_around_one_that_has_it_inside() -> None:
    said = "".join(part.text for part in snippet("start " * 100 + "art", "art"))
    assert said.endswith(" art")


def test_a_snippet_without_its_word_is_the_beginning() -> None:
    assert [part.model_dump() for part in snippet("crème", "creme")] == [{"text": "crème", "hit": False}]


HOSTILE = (
    *("*", '"', '""', "a*", "*a", "NEAR(a b)", "a NEAR/2 b", "NOT", "terms:a", "{terms}:a", "-a", "^a"),
    *('"a', 'a"', "\\", "%", "a_b", "'; DROP TABLE findable; --", "\0", "a\0b", "C++", ".NET", "\n"),
    *("http://a/b?c=d", "🙂", "🙂a", "二*", '"二', "\u200b", "\u202e", "e\u0301", "ﬁ", "İ", "ß", "½"),
    *("\U0001fbf1", "กข", "العربية", "\ud800", "𠀀𠀁", "々", "한국어", "\u3000企鹅\u3000"),
    *("x" * 200, "二" * 200, '"' * 200, "a " * 100, "() " * 50),
)


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_any_query_is_answered_and_finds_the_words_that_are_in_it(rig: OwnerRig, query: str) -> None:
    said = query.encode("utf-8", "replace").decode()
    rig.send(f"before {said} after")
    found = rig.owner.search.find(query).items
    assert bool(found) == any(letter.isalnum() for letter in query)
    assert all(hit.snippet for hit in found)


def test_a_thread_that_is_deleted_is_not_found_until_it_is_back(rig: OwnerRig) -> None:
    rig.send("penguins")
    rig.owner.removals.hide(rig.thread.id)
    assert rig.owner.search.find("penguins").items == []
    rig.owner.removals.restore(rig.thread.id)
    assert len(rig.owner.search.find("penguins").items) == 1


async def test_a_thread_that_went_by_its_age_is_not_found(rig: OwnerRig, clock: Clock) -> None:
    await rig.ask("penguins")
    rig.owner.keeping.keep(Retention(threads=1))
    clock.ms += 86_400_000
    await rig.owner.keeping.sweep()
    assert rig.owner.search.find("penguins").items == []
    with pytest.raises(BerthError, match="not there"):
        rig.owner.removals.restore(rig.thread.id)
    await rig.owner.removals.sweep()
    assert rig.context.sql.execute("SELECT * FROM found_words") == []
