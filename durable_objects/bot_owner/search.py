"""Full-text search over what was said: the index, how a query is read, and what a hit shows.

The index holds words as `terms` writes them. Chinese, Japanese and Korean have no spaces, so each run of
their characters becomes its overlapping pairs and its last character alone: every word of any length is then
a phrase or the beginning of one. A message is indexed as it is written; what came another way (a branch, or
from before there was an index) is `indexed = 0` and is taken in when somebody searches next.
"""

import json
import re
import unicodedata
from functools import partial

from contracts.api import SearchPage
from contracts.limits import SEARCH_HITS_A_PAGE, SEARCH_WORDS, SNIPPET_CHARACTERS
from contracts.records import SearchHit, SnippetPart
from durable_objects.shared.sql import Row, Sql

# Kana, ideographs and Hangul.
_IDEOGRAPHS = "々〇\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUN = re.compile(f"[{_IDEOGRAPHS}]+")
_WORD = re.compile(r"[^\W_]+")
# Where a word may begin: not in the middle of one, but right behind an ideograph.
_BEGIN = rf"(?<![^\W_{_IDEOGRAPHS}])"
# From a sign of ASCII to its full-width twin, which people who write Chinese type too.
_TO_FULL_WIDTH = 0xFEE0
INDEXED_AT_ONCE = 50
NEWEST = 2**52


def terms(text: str) -> str:
    """The text as the index holds it."""
    return _RUN.sub(lambda run: f" {_pairs(run[0])} ", _folded(text))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("\0", " ")


def _pairs(run: str) -> str:
    return " ".join(run[at : at + 2] for at in range(len(run)))


def expression(query: str) -> str:
    """The query for the index: every word has to be there, and may go on. Empty where there is none."""
    return " ".join(f'"{_phrase(word)}"*' for word in _folded(query).split() if _WORD.search(word))


def _counting(query: str) -> tuple[str, int]:
    """What of a query is looked for, and how many of its words are not: signs alone are no words."""
    words = [word for word in query.replace("\0", " ").split() if _WORD.search(_folded(word))]
    return " ".join(words[:SEARCH_WORDS]), max(0, len(words) - SEARCH_WORDS)


def _phrase(word: str) -> str:
    runs = list(_RUN.finditer(word))
    phrase = terms(word).replace('"', " ").strip()
    # Behind the last pair the text may go on, so its last character does not stand alone there.
    ends = bool(runs) and runs[-1].end() == len(word) and len(runs[-1][0]) > 1
    return phrase.rpartition(" ")[0] if ends else phrase


def snippet(text: str, query: str) -> list[SnippetPart]:
    """A piece of the text around the first word of the query, on one line, with those words marked."""
    marked = _marked(query)
    found = marked.search(text)
    start = max(0, found.start() - SNIPPET_CHARACTERS // 4) if found else 0
    end = start + SNIPPET_CHARACTERS
    line = " ".join(text[start:end].split())
    line = ("…" if start else "") + line + ("…" if end < len(text) else "")
    parts, place = [], 0
    for hit in marked.finditer(line):
        parts += [SnippetPart(text=line[place : hit.start()]), SnippetPart(text=hit[0], hit=True)]
        place = hit.end()
    return [part for part in (*parts, SnippetPart(text=line[place:])) if part.text]


def _marked(query: str) -> re.Pattern[str]:
    """What of a text is marked: the words of the query where words begin, in either width."""
    words = {found[0] for found in _WORD.finditer(unicodedata.normalize("NFKC", query))}
    longest = sorted(words, key=len, reverse=True)[:SEARCH_WORDS]
    alternatives = (
        ("" if _RUN.match(word) else _BEGIN) + "".join(map(_either_width, word)) for word in longest
    )
    return re.compile("|".join(alternatives) or r"(?!)", re.IGNORECASE)


def _either_width(character: str) -> str:
    return f"[{character}{chr(ord(character) + _TO_FULL_WIDTH)}]" if character.isascii() else character


class MessageIndex:
    """Which messages have which words. `add` and `forget` belong inside a `record.write`."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def add(self, thread_id: str, seq: int, text: str) -> None:
        row = self._sql.execute(
            "INSERT INTO findable (thread_id, seq, indexed) VALUES (?, ?, 1) RETURNING id", thread_id, seq
        )[0]
        self._sql.run("INSERT INTO found_words (rowid, terms) VALUES (?, ?)", row["id"], terms(text))

    def add_later(self, thread_id: str) -> None:
        """All messages of a thread that was filled."""
        self._sql.run(
            "INSERT INTO findable (thread_id, seq) SELECT thread_id, seq FROM events"
            " WHERE thread_id = ? AND type = 'message.created' ORDER BY seq",
            thread_id,
        )

    def forget(self, thread_id: str) -> None:
        self._sql.run(
            "DELETE FROM found_words WHERE rowid IN (SELECT id FROM findable WHERE thread_id = ?)", thread_id
        )
        self._sql.run("DELETE FROM findable WHERE thread_id = ?", thread_id)

    def find(self, query: str, before: int = NEWEST) -> SearchPage:
        """The newest messages with every word of the query; `before` is the id of the last hit so far."""
        counting, left_out = _counting(query)
        wanted = expression(counting)
        if not wanted:
            return SearchPage(items=[], more=False)
        self._catch_up()
        rows = self._sql.execute(
            "SELECT findable.id, thread_id, seq, title FROM found_words"
            " JOIN findable ON findable.id = found_words.rowid"
            " JOIN threads ON threads.id = thread_id AND deleted = 0"
            " WHERE found_words MATCH ? AND found_words.rowid < ?"
            " ORDER BY found_words.rowid DESC LIMIT ?",
            wanted,
            before,
            SEARCH_HITS_A_PAGE + 1,
        )
        # One text at a time is in memory: a message may have 400,000 characters.
        hits = [self._hit(row, counting) for row in rows[:SEARCH_HITS_A_PAGE]]
        return SearchPage(items=hits, more=len(rows) > SEARCH_HITS_A_PAGE, words_left_out=left_out)

    def _hit(self, row: Row, query: str) -> SearchHit:
        message, at_ms = self._message(row)
        return SearchHit(
            **row,
            message_id=message["id"],
            client_id=message.get("client_id"),
            role=message["role"],
            at_ms=at_ms,
            snippet=snippet(message["text"], query),
        )

    def _message(self, row: Row) -> tuple[Row, int]:
        found = self._sql.execute(
            "SELECT data, at_ms FROM events WHERE thread_id = ? AND seq = ?", row["thread_id"], row["seq"]
        )[0]
        message: Row = json.loads(found["data"])
        return message, found["at_ms"]

    def _catch_up(self) -> None:
        """Take in what is not indexed yet. Dying in between costs nothing: the rest is found again."""
        while rows := self._sql.execute(
            "SELECT id, thread_id, seq FROM findable WHERE indexed = 0 ORDER BY id LIMIT ?", INDEXED_AT_ONCE
        ):
            self._sql.transaction(partial(self._take_in, rows))

    def _take_in(self, rows: list[Row]) -> None:
        for row in rows:
            message, _ = self._message(row)
            self._sql.run(
                "INSERT INTO found_words (rowid, terms) VALUES (?, ?)", row["id"], terms(message["text"])
            )
            self._sql.run("UPDATE findable SET indexed = 1 WHERE id = ?", row["id"])
