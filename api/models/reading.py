"""Models of how a question was read."""

from typing import Any, Literal

from pydantic import Field

from api.models.response import Card, Model
from schema.entity_kinds import SettingName

Role = Literal[
    "condition", "limitation", "work_function", "occupation", "setting", "solution", "product", "guide", "side"
]
ReadAs = Literal["name", "other name", "synonym rule", "side", "body part", "spelling"]


class ReadingPart(Model):
    """Words of a question, where they stand in it, and what they were read as."""

    text: str
    start: int
    end: int
    role: Role
    entity: Card | None = Field(description="Null for a setting and a guide.")
    side: str | None = Field(description="The side of a need that the words name, such as heat.")
    setting: SettingName | None = Field(description="The setting that the words name.")
    guide: str | None = Field(description="The id of the guide that the words name.")
    matched_by: ReadAs
    alternatives: list[Card] = Field(description="What else the words can mean.")


class DroppedPart(ReadingPart):
    """A condition that the question says does not apply, or no longer does."""

    reason: str


class Reading(Model):
    """What a question was read as: its parts in order, what was dropped, and the words that were not used."""

    parts: list[ReadingPart]
    dropped: list[DroppedPart]
    unused: list[str]


class RecommendCall(Model):
    """The request for recommendations that a question leads to."""

    method: Literal["POST"]
    path: Literal["/recommend"]
    body: dict[str, Any]
