"""The `manual` model: no model at all. A person's lines are the tool calls.

    $ make test                 computer__exec (following lines belong to it, up to the next call)
    /read path                  computer__read_file
    /write path                 computer__write_file with the following lines
    /edit path                  computer__edit_file; then the old lines, a line ====, and the new lines
    /export path                computer__export_artifact

    /markets, /orders …         the trading venue: see `manual_trading.py`

A line that cannot be a call is answered with what is wrong with it, in the person's language, and then
nothing of the message is done. Anything else is answered with what it can do. It is how Berth is tried
without an account, and how its own tests speak to it.
"""

import re
from collections.abc import AsyncGenerator
from difflib import get_close_matches

from durable_objects.bot_owner.models import manual_trading
from durable_objects.bot_owner.models.manual_words import HELP, MistakeError
from durable_objects.bot_owner.models.protocol import CallPart, Part, Question, TextPart

DIVIDER = "===="
VERBS = {
    "/read": "computer__read_file",
    "/write": "computer__write_file",
    "/edit": "computer__edit_file",
    "/export": "computer__export_artifact",
}


# `/etc/hosts` and `/*` are no mistyped commands.
COMMAND = re.compile(r"/[A-Za-z_-]+(?=\s|$)")


def read_lines(text: str) -> list[CallPart] | None:
    """The calls a message asks for, or None where its first line is not a call. Raises MistakeError."""
    calls: list[CallPart] = []
    blocks: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.strip("\n").split("\n"), 1):
        # A line of a text may well begin with a dollar sign: `$x = 1`.
        if _verb(line) and (not blocks or not line.startswith("$") or line.startswith("$ ")):
            blocks.append((number, [line]))
        elif not blocks:
            _no_command(line)
            return None
        else:
            blocks[-1][1].append(line)
    for number, (first, *rest) in blocks:
        verb, argument = _verb(first), _argument(first)
        if verb in manual_trading.VERBS:
            for at, line in enumerate(rest, number + 1):
                _no_command(line, at)
            calls.append(CallPart(*manual_trading.call_of(verb, argument, rest, number)))
        elif verb == "$":
            command = "\n".join([argument, *rest]).rstrip("\n")
            calls.append(CallPart("computer__exec", {"command": command}))
        elif verb == "/write":
            content = "\n".join(rest) + "\n" if rest else ""
            calls.append(CallPart(VERBS[verb], {"path": argument, "content": content}))
        elif verb == "/edit":
            calls.append(CallPart(VERBS[verb], {"path": argument, **_halves(rest)}))
        else:
            calls.append(CallPart(VERBS[verb], {"path": argument}))
    return calls


def _no_command(line: str, number: int = 1) -> None:
    """Raise MistakeError where a line has a command that is not known, or one without what it needs."""
    found = COMMAND.match(line)
    if found is None:
        return
    word = found.group()
    if word in VERBS:
        raise MistakeError("missing", word, line=number, field="path", example=word)
    known = [*VERBS, *manual_trading.VERBS]
    near = get_close_matches(word.lower(), known, n=2)
    raise MistakeError("nearest" if near else "unknown", word, line=number, near=" ".join(near))


def _halves(lines: list[str]) -> dict[str, str]:
    at = lines.index(DIVIDER) if DIVIDER in lines else len(lines)
    return {"oldText": "\n".join(lines[:at]), "newText": "\n".join(lines[at + 1 :])}


def _verb(line: str) -> str:
    if line.startswith("$") and line[1:].strip():
        return "$"
    word, _, rest = line.rstrip().partition(" ")
    if word in manual_trading.VERBS:
        return word
    return word if word in VERBS and rest.strip() else ""


def _argument(line: str) -> str:
    return line[1:].strip() if line.startswith("$") else line.partition(" ")[2].strip()


class ManualModel:
    reads_results = False
    reads_history = False

    async def answer(self, question: Question) -> AsyncGenerator[Part, None]:
        locale = question.locale()
        try:
            asked = [read_lines(turn.text) for turn in question.news]
        except MistakeError as mistake:
            yield TextPart(mistake.told(locale))
            return
        for calls in asked:
            for call in calls or []:
                yield call
        if asked and all(calls is None for calls in asked):
            yield TextPart(HELP.get(locale, HELP["en"]))
