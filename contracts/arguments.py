"""What a tool is: its name, what a model is told of it, its arguments, and what it can change."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from contracts.states import Effect


class Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


@dataclass(frozen=True)
class Tool:
    name: str
    description: str
    arguments: type[Arguments]
    effect: Effect
    outside: bool = True
    """Whether its results can hold text that nobody vouches for."""
