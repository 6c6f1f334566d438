"""What the demo says to the bot: typed lines for a bot without a model, plain words for one with.
A bot that plays a recorded conversation hears the same words.

The data are real and so is the question. Whatever varies is data here; `play.py` tells it and `facts.py`
judges what came of it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

DATA = Path(__file__).resolve().parent / "data"
TABLE = DATA / "penguins.csv"
SCRIPT = DATA / "analyse.py"
CHART = "penguins.svg"
PACKAGE = "pygal==3.1.3"
# Reserved for documentation (RFC 2606): it belongs to nobody, and no rule of Berth allows it.
DENIED_HOST = "example.com"
INSTALL = f"pip install --no-cache-dir --progress-bar off {PACKAGE}"
FETCH = f"curl -sS --fail-with-body https://{DENIED_HOST}/"
DRAW = f"python3 {SCRIPT.name} uploads/{TABLE.name} {CHART}"


@dataclass(frozen=True)
class Act:
    """One message to the bot, and how it must end."""

    title: str
    text: str
    uploads: tuple[Path, ...] = ()
    ends: Literal["answered", "ok", "denied", "exported"] = "ok"


def typed() -> tuple[Act, ...]:
    """The story for the `manual` bot, whose messages are its tool calls."""
    return (
        Act("A file is handed to the bot; its computer sleeps on", "", uploads=(TABLE,), ends="answered"),
        Act(
            "A package is installed in the computer, through the egress Worker",
            f"$ {INSTALL}",
        ),
        Act(
            "Any other host is out of reach, and the answer says why",
            f"$ {FETCH}",
            ends="denied",
        ),
        Act("A script is written", f"/write {SCRIPT.name}\n{SCRIPT.read_text()}"),
        Act("It runs on the file", f"$ {DRAW}"),
        Act("The chart comes back into the conversation", f"/export {CHART}", ends="exported"),
    )


def spoken() -> tuple[Act, ...]:
    """The same story for a bot that thinks with a model."""
    return (
        Act(
            "A model is asked to look at a file",
            f"The attached {TABLE.name} has the sizes of penguins near Palmer Station, Antarctica. "
            f"Please do this in your computer, one step after the other:\n"
            f"1. Install {PACKAGE} with pip.\n"
            f"2. Fetch https://{DENIED_HOST}/ with curl. It will be refused, and that is fine: go on.\n"
            f"3. Write a Python script that reads /workspace/uploads/{TABLE.name}, prints the mean flipper\n"
            f"   length and body mass of each species, and draws body mass by flipper length as a scatter\n"
            f"   chart with pygal (pygal.XY with stroke=False, a series for each species) into\n"
            f"   /workspace/{CHART}.\n"
            f"4. Run it, and correct it if it fails.\n"
            f"5. Export {CHART}, and tell me in two sentences what it shows.",
            uploads=(TABLE,),
            ends="exported",
        ),
    )


def recorded() -> tuple[dict[str, Any], ...]:
    """The answers of a model to the spoken story, for the bot that plays a recorded conversation.

    Its calls are made like any others; what it says of their results was known when it was recorded.
    """
    script = {"path": SCRIPT.name, "content": SCRIPT.read_text()}
    return (
        _answer("I install what I need.", ("computer__exec", {"command": INSTALL})),
        _answer("Then the address that will not answer.", ("computer__exec", {"command": FETCH})),
        _answer(
            "It was refused, as you said. Now the script, and its run.",
            ("computer__write_file", script),
            ("computer__exec", {"command": DRAW}),
        ),
        _answer("The chart is drawn; here it is.", ("computer__export_artifact", {"path": CHART})),
        _answer("I have exported the chart."),
        # Berth asks every run that has used tools for a look at what it claims.
        _answer("Let me look at the file itself.", ("computer__exec", {"command": f"ls -l {CHART}"})),
        _answer(
            "Longer flippers go with heavier birds, in every species. Gentoos are the largest of the three."
        ),
    )


def _answer(text: str, *calls: tuple[str, dict[str, str]]) -> dict[str, Any]:
    return {"text": text, "calls": [{"tool": tool, "arguments": arguments} for tool, arguments in calls]}
