"""How a question was read: which words name a condition, a limitation, a job, a setting, and which say nothing."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from api.models import MAX_SEEDS
from api.search.guides.index import Guide
from api.search.reading.candidates import BODY_PART, NAME, OTHER_NAME, ROLES, SIDE, SPELLING, SYNONYM_RULE
from schema.json_types import JsonObject

SEED_FIELDS = {
    "condition": "disability",
    "limitation": "limitation",
    "work_function": "work_function",
    "occupation": "occupation",
}
SETTING_ROLE, SIDE_ROLE, GUIDE_ROLE = "setting", "side", "guide"
MAX_ALTERNATIVES = 5
# What the seed of a request says of how its text was matched.
MATCHED_BY_SEED = {
    NAME: "name", SIDE: "alias", OTHER_NAME: "alias", SYNONYM_RULE: "synonym", BODY_PART: "alias", SPELLING: "spelling",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """Words of a question and what they were read as. `start` and `end` are offsets in the text.

    `entity` is None for a setting; `side` is the side of the need `entity` that the words name.
    """

    text: str
    start: int
    end: int
    role: str
    matched_by: str
    entity: JsonObject | None = None
    side: str | None = None
    alternatives: Sequence[JsonObject] = ()
    setting: str | None = None
    guide: str | None = None

    def as_json(self) -> JsonObject:
        """Return the part as responses show it."""
        return {
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "role": self.role,
            "entity": self.entity,
            "side": self.side,
            "setting": self.setting,
            "guide": self.guide,
            "matched_by": self.matched_by,
            "alternatives": list(self.alternatives),
        }

    @property
    def meaning(self) -> tuple[str, str, str | None]:
        """Its role, the entity, guide or words that it stands for, and the side: equal for parts that say the same."""
        named = self.entity["id"] if self.entity else self.guide or self.text
        return self.role, str(named), self.side

    @property
    def seed(self) -> tuple[str, str] | None:
        """The field of a request for recommendations that takes this part, with its value."""
        if self.entity is None:
            return None
        if self.role == SIDE_ROLE:
            return SEED_FIELDS[ROLES[self.entity["type"]]], self.text
        field = SEED_FIELDS.get(self.role)
        return (field, self.entity["id"]) if field else None


@dataclass(frozen=True, slots=True)
class Reading:
    """The parts of a question in the order of its words, those dropped with the reason, and words without a use."""

    parts: Sequence[Part] = ()
    dropped: Sequence[tuple[Part, str]] = ()
    unused: Sequence[str] = ()
    setting: str | None = None
    sources: Sequence[str] = ()  # of the entities that the parts show
    guides: Sequence[Guide] = ()  # that words of the question name or describe, one for a crisis first
    similar: Sequence[tuple[JsonObject, Sequence[str]]] = ()  # cards, with sources, of what only shares words with it
    words_read: int | None = None  # of a question that is too long to be read to its end

    def as_json(self) -> JsonObject:
        """Return the reading as responses show it."""
        return {
            "parts": [part.as_json() for part in self.parts],
            "dropped": [{**part.as_json(), "reason": reason} for part, reason in self.dropped],
            "unused": list(self.unused),
        }

    def seeds(self) -> dict[str, list[str]]:
        """Return the values of each field of a request for recommendations that the first parts give."""
        values: defaultdict[str, list[str]] = defaultdict(list)
        seeds = dict.fromkeys(part.seed for part in self.parts)
        for field, value in islice(filter(None, seeds), MAX_SEEDS):
            values[field].append(value)
        return dict(values)

    def recommend_body(self) -> JsonObject | None:
        """Return the body of the request for recommendations; None if no part is a seed."""
        seeds = self.seeds()
        if not seeds:
            return None
        body: JsonObject = {field: values[0] if len(values) == 1 else values for field, values in seeds.items()}
        return body | ({"setting": self.setting} if self.setting else {})
