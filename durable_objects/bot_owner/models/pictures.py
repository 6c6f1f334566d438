"""The pictures that a question shows to a model that sees: the newest ones, by the call that showed them."""

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass

from contracts.limits import PICTURES_A_QUESTION
from durable_objects.bot_owner.conversation import AssistantTurn, ToolTurn, Turn, answered
from durable_objects.bot_owner.models.protocol import Question

LEFT_OUT = "(The picture itself is left out here.)"


@dataclass(frozen=True)
class Image:
    media_type: str
    base64: str

    @property
    def address(self) -> str:
        return f"data:{self.media_type};base64,{self.base64}"


Images = dict[str, Image]
"""By the id of the call."""


async def newest(question: Question, history: Iterable[Turn]) -> Images:
    shown = [
        (result.call_id, result.picture)
        for turn in history
        if isinstance(turn, AssistantTurn)
        for result in answered(turn)
        if result.picture
    ]
    found = {}
    for call_id, picture in shown[-PICTURES_A_QUESTION:]:
        if content := await question.picture(picture.key):
            found[call_id] = Image(picture.media_type, b64encode(content).decode())
    return found


def told(result: ToolTurn, images: Images) -> str:
    """The text of a result, with a word for a picture that is not shown with it."""
    left_out = result.picture and result.call_id not in images
    return f"{result.text}\n{LEFT_OUT}" if left_out else result.text
