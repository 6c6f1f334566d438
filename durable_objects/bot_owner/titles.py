"""What a thread is called: its first message, until the bot's model has named it or a person has.

The model is asked beside the runs, after the first answer, and what it says counts only while the title is
still the first message: a person's name for a thread is never replaced. A death costs a try and nothing else.
"""

import asyncio
import json
import logging
import re
from collections.abc import Callable

from contracts.errors import BerthError
from contracts.events import TitleChanged, TitleChangedData
from contracts.limits import TITLE_CHARACTERS, TITLE_SECONDS, TITLE_TRIES
from contracts.states import Locale
from durable_objects.bot_owner.answer import Answer, write
from durable_objects.bot_owner.billing.allowance import Charge
from durable_objects.bot_owner.catalog import Catalog
from durable_objects.bot_owner.conversation import Turn, UserTurn, bounded
from durable_objects.bot_owner.envelope import visible
from durable_objects.bot_owner.models.protocol import Model, ModelError, Question
from durable_objects.bot_owner.prompts import TITLE_SYSTEM
from durable_objects.bot_owner.record import ThreadRecord
from durable_objects.bot_owner.runs import RunJournal
from durable_objects.bot_owner.tails import Live
from durable_objects.shared.context import Context
from durable_objects.shared.sql import Row

log = logging.getLogger(__name__)

# Of each of the two messages that a title is made from.
SAID_TOKENS = 1_000
_MARKS = "\\s\"'\u201c\u201d\u2018\u2019«»「」『』《》*_#`"
_AROUND = re.compile(f"^[{_MARKS}]+|[{_MARKS}。.]+$")

_COMMANDS = ("$", "/")
_LINK = re.compile(r"!?\[([^\[\]\n]+)\]\([^()\s]*\)")
_MARKED = re.compile(r"(\*\*|~~|`)(?=\S)([^*~`\n]+)(?<=\S)\1")


def first_line(text: str) -> str:
    """The text on one line, as long as a title may be, with what cannot be seen in it shown.

    It is without the marks of Markdown, which a title would show; what a command means stays whole.
    """
    plain = text if text.lstrip().startswith(_COMMANDS) else _MARKED.sub(r"\2", _LINK.sub(r"\1", text))
    line = visible(" ".join(plain.split()))
    return line if len(line) <= TITLE_CHARACTERS else line[: TITLE_CHARACTERS - 1] + "…"


def title_of(said: str) -> str:
    """A title from a model's answer: its first line without quotes or marks; empty where there is none."""
    lines = [line for line in said.strip().splitlines() if line.strip()]
    return first_line(_AROUND.sub("", lines[0])) if lines else ""


class Titles:
    def __init__(
        self,
        context: Context,
        *,
        catalog: Catalog,
        record: ThreadRecord,
        journal: RunJournal,
        model_of: Callable[[Row], Model],
        live: Live,
        charge: Charge,
    ) -> None:
        self._context = context
        self._sql = context.sql
        self._catalog = catalog
        self._record = record
        self._journal = journal
        self._model_of = model_of
        self._live = live
        self._charge = charge

    def rename(self, thread_id: str, title: str) -> None:
        """A person names a thread, for ever."""
        self._catalog.name_thread(thread_id, title, by="person")
        self._tell(thread_id, title)

    def wanted(self, run_id: str) -> str | None:
        """The thread of a run, where a model may name it now."""
        rows = self._sql.execute(
            "SELECT thread_id FROM runs JOIN threads ON threads.id = thread_id"
            " WHERE runs.id = ? AND title_by = 'message' AND title_tries < ? AND deleted = 0",
            run_id,
            TITLE_TRIES,
        )
        return str(rows[0]["thread_id"]) if rows else None

    async def name(self, thread_id: str) -> None:
        """Have the bot's model name the thread; whatever fails, the title stays."""
        messages = self._first(thread_id)
        if messages is None:
            return
        run = self._journal.row(messages[1]["run_id"])
        try:
            named_by = self._catalog.bot_row(run["bot_id"])
            model = self._model_of(named_by)
            if not model.reads_history:
                return
            self._sql.run("UPDATE threads SET title_tries = title_tries + 1 WHERE id = ?", thread_id)
            async with asyncio.timeout(TITLE_SECONDS):
                answer = await self._ask(model, run, messages)
        except (ModelError, BerthError, TimeoutError) as error:
            log.warning("thread %s was not named: %s", thread_id, error)
            return

        def spend() -> None:
            self._journal.spend(run["id"], answer.end.usage)
            self._charge(run, self._context.new_id("title"), named_by, answer.end.usage)

        self._record.write(spend)
        title = title_of(answer.text)
        if title and self._catalog.name_thread(thread_id, title, by="model"):
            self._tell(thread_id, title)

    def _first(self, thread_id: str) -> tuple[Row, Row] | None:
        """The first message of the person and the first of the bot, where both are there."""
        found = [self._first_of(thread_id, role) for role in ("user", "assistant")]
        return (found[0], found[1]) if found[0] and found[1] else None

    def _first_of(self, thread_id: str, role: str) -> Row | None:
        rows = self._sql.execute(
            "SELECT data FROM events WHERE thread_id = ? AND type = 'message.created'"
            " AND data ->> '$.role' = ? ORDER BY seq LIMIT 1",
            thread_id,
            role,
        )
        return json.loads(rows[0]["data"]) if rows else None

    async def _ask(self, model: Model, run: Row, messages: tuple[Row, Row]) -> Answer:
        person, bot = (bounded(one["text"], SAID_TOKENS) for one in messages)
        said = UserTurn(f"PERSON: {person}\n\nBOT: {bot}", 0)
        turns: list[Turn] = [said]
        question = Question(
            system=TITLE_SYSTEM,
            news=[said],
            history=lambda: turns,
            tools=list,
            locale=lambda: self._catalog.setting("locale", Locale.ENGLISH),
            picture=_no_picture,
        )
        answer = Answer(lambda _thread_id, _frame: None, run, ("", ""), 1)
        await write(model, question, answer)
        return answer

    def _tell(self, thread_id: str, title: str) -> None:
        self._live(thread_id, TitleChanged(data=TitleChangedData(thread_id=thread_id, title=title)))


async def _no_picture(_key: str) -> bytes | None:
    return None
