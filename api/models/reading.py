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

    text: str = Field(description="The words as typed.")
    start: int = Field(description="Where they begin in the text.")
    end: int = Field(description="Where they end.")
    role: Role = Field(description="What kind of thing they name.")
    entity: Card | None = Field(description="What they name; null for a setting and a guide.")
    side: str | None = Field(description="The side of the need that they name, such as heat.")
    setting: SettingName | None = Field(description="The setting that they name.")
    guide: str | None = Field(description="The id of the guide that they name.")
    matched_by: ReadAs = Field(description="How they name it.")
    alternatives: list[Card] = Field(description="What else they can mean.")


class DroppedPart(ReadingPart):
    """A condition that the question says does not apply, or no longer does."""

    reason: str = Field(description="Why it was dropped.")


class Reading(Model):
    """What a question was read as: its parts in order, what was dropped, and the words that were not used."""

    parts: list[ReadingPart] = Field(description="What the words name, in their order.")
    dropped: list[DroppedPart] = Field(
        description="Conditions, abilities, body parts and aids that the question says do not apply."
    )
    unused: list[str] = Field(description="Words that carried nothing.")


class RecommendCall(Model):
    """The request for recommendations that a question leads to."""

    method: Literal["POST"] = Field(description="The method.")
    path: Literal["/recommend"] = Field(description="The path.")
    body: dict[str, Any] = Field(description="What to send.")
