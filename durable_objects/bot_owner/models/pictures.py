"""The pictures that a question shows to a model that sees: the newest ones, by the call that showed them."""

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass

from contracts.limits import PICTURES_A_QUESTION, PICTURES_BYTES_A_QUESTION
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
    """The newest pictures of a conversation, as many as may be sent and no more bytes."""
    shown = [
        (result.call_id, result.picture)
        for turn in history
        if isinstance(turn, AssistantTurn)
        for result in answered(turn)
        if result.picture
    ]
    found: Images = {}
    left = PICTURES_BYTES_A_QUESTION
    for call_id, picture in reversed(shown[_first(len(shown)) :]):
        content = await question.picture(picture.key)
        if content and (left := left - len(content)) < 0:
            break
        if content:
            found[call_id] = Image(picture.media_type, b64encode(content).decode())
    return found


def _first(count: int) -> int:
    """Which of so many pictures is the first to be sent. It moves on by half of them at once: what was sent
    before stays the beginning of what is sent next, as providers' caches want it.
    """
    over = max(0, count - PICTURES_A_QUESTION)
    step = PICTURES_A_QUESTION // 2
    return -(-over // step) * step


def told(result: ToolTurn, images: Images) -> str:
    """The text of a result, with a word for a picture that is not shown with it."""
    left_out = result.picture and result.call_id not in images
    return f"{result.text}\n{LEFT_OUT}" if left_out else result.text
