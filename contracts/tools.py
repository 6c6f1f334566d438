"""The tools a model sees: name, description, arguments (JSON schema by pydantic) and effect."""

from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from contracts.arguments import Arguments, Tool
from contracts.limits import (
    CHOICE_CHARACTERS_MAX,
    COMMAND_CHARACTERS_MAX,
    EXEC_TIMEOUT_SECONDS,
    EXEC_TIMEOUT_SECONDS_MAX,
    QUESTION_CHARACTERS_MAX,
    QUESTION_CHOICES_MAX,
    READ_LINES,
    WRITE_BYTES_MAX,
)
from contracts.states import Effect
from contracts.texts import readable
from contracts.venue_tools import VENUE_TOOLS


def _fits(text: str) -> str:
    # A third of the bytes may be as many characters: count only where it can be too much.
    if len(text) * 3 > WRITE_BYTES_MAX and len(text.encode("utf-8", "surrogatepass")) > WRITE_BYTES_MAX:
        raise ValueError(f"more than {WRITE_BYTES_MAX:,} bytes")
    return text


FileText = Annotated[str, Field(max_length=WRITE_BYTES_MAX), AfterValidator(_fits)]


class Exec(Arguments):
    command: str = Field(
        min_length=1, max_length=COMMAND_CHARACTERS_MAX, description="A bash script, run in /workspace."
    )
    timeout_s: int = Field(
        default=EXEC_TIMEOUT_SECONDS,
        ge=1,
        le=EXEC_TIMEOUT_SECONDS_MAX,
        description="Seconds until it is ended.",
    )


class ReadFile(Arguments):
    path: str = Field(min_length=1, max_length=4_096)
    offset: int = Field(default=1, ge=1, description="The first line, counted from 1.")
    limit: int = Field(default=READ_LINES, ge=1, le=READ_LINES)


class WriteFile(Arguments):
    path: str = Field(min_length=1, max_length=4_096)
    content: FileText


class EditFile(Arguments):
    path: str = Field(min_length=1, max_length=4_096)
    oldText: FileText = Field(  # noqa: N815 - the name that models know
        min_length=1, description="Exactly as it stands in the file, and only there: add lines around it."
    )
    newText: FileText  # noqa: N815


class ExportArtifact(Arguments):
    path: str = Field(min_length=1, max_length=4_096)
    name: str | None = Field(default=None, min_length=1, max_length=255)


Choice = Annotated[str, Field(min_length=1, max_length=CHOICE_CHARACTERS_MAX), AfterValidator(readable)]


def _asks_something(question: str) -> str:
    readable(question)
    return question


class AskOwner(Arguments):
    question: Annotated[
        str, Field(min_length=1, max_length=QUESTION_CHARACTERS_MAX), AfterValidator(_asks_something)
    ]
    kind: Literal["text", "choice", "file", "approval"] = Field(
        default="text", description="What is missing: words, one of the choices, a file, or a yes or no."
    )
    choices: list[Choice] = Field(default=[], max_length=QUESTION_CHOICES_MAX)

    @model_validator(mode="after")
    def _choices_where_there_is_a_choice(self) -> Self:
        if (self.kind == "choice") != bool(self.choices):
            raise ValueError("choices belong to the kind 'choice', and it needs them")
        if len(set(self.choices)) < len(self.choices):
            raise ValueError("each choice is given once")
        return self


@cache
def schemas() -> list[dict[str, Any]]:
    """What a model is told of the tools. Made once, when the first model needs it: it takes 20 ms."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.arguments.model_json_schema(),
        }
        for tool in TOOLS.values()
    ]


EXEC = "computer__exec"
ASK_OWNER = "ask__owner"

TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            ASK_OWNER,
            "Asks the person and waits, for days if need be. Only for a decision or data that is really "
            "missing and that you cannot find out yourself. Calls behind it in the same answer are not made.",
            AskOwner,
            Effect.READ,
            outside=False,
        ),
        Tool(
            EXEC,
            "Runs one non-interactive bash script in your computer and returns its output. Only files stay "
            "between calls; whatever is still running when the script ends is ended. The network reaches "
            "package registries only.",
            Exec,
            Effect.COMPUTER_LOCAL,
        ),
        Tool(
            "computer__read_file",
            "Reads a file of your computer: text with numbered lines (says when there is more), the text of "
            "PDF and office documents, pictures as pictures; anything else is described.",
            ReadFile,
            Effect.READ,
        ),
        Tool(
            "computer__write_file",
            "Writes a whole text file in your computer's workspace; parent folders are made. "
            "Use computer__edit_file to change a part of one.",
            WriteFile,
            Effect.COMPUTER_LOCAL,
        ),
        Tool(
            "computer__edit_file",
            "Replaces one text of a file by another; answers with the diff. oldText is literal and must be "
            "in the file exactly once.",
            EditFile,
            Effect.COMPUTER_LOCAL,
        ),
        Tool(
            "computer__export_artifact",
            "Gives a file of your computer to the person: it is attached to the conversation for preview and "
            "download. Use it for every result they should keep.",
            ExportArtifact,
            Effect.COMPUTER_LOCAL,
        ),
        *VENUE_TOOLS,
    )
}

COMPUTER_TOOLS = frozenset(name for name in TOOLS if name.startswith("computer__"))
