"""Models of ranked results: search and suggestions, and related conditions."""

from typing import Literal

from pydantic import (
    Field,
)

from api.models.guides import GuideCard
from api.models.reading import Reading, RecommendCall
from api.models.response import (
    Card,
    Count,
    MatchKind,
    Model,
    Page,
    WeightedCard,
)
from schema.entity_kinds import Matching, TypeName


class Match(Model):
    """Why an entity matched: the matching text, its field, and one plain sentence."""

    kind: MatchKind
    text: str
    field: str
    why: str


class Hit(Card):
    """A suggestion: an entity with a name that completes the query."""

    score: float
    match: Match


class SearchHit(Hit):
    """A search result; its score is the sum of its parts, which docs/explanation/how-search-ranks.md lists."""

    score_parts: dict[str, float]


class LessLikely(Model):
    """Hits that match only loosely and are left out of the results, and the list that has them."""

    total: Count
    url: str


class Interpretation(Model):
    """How words of the query were interpreted: as a name, by a synonym rule, as a type, or as a setting."""

    from_: str = Field(alias="from")
    to: str
    entity: Card | None
    kind: Literal["alias", "rule", "scope", "setting"]
    rule: str | None = None


class Suggestion(Model):
    """Another spelling of the query and its number of results."""

    query: str
    highlighted: str
    total: Count


class Correction(Model):
    """No name matched as written; the results are those of the corrected query."""

    from_: str = Field(alias="from")
    to: str


class SuggestionGroup(Model):
    """The suggestions of one type."""

    type: TypeName
    ids: list[str]


class SuggestPage(Page):
    """Names that complete the typed text, in order and by type."""

    query: str
    results: list[Hit]
    groups: list[SuggestionGroup]


class SearchPage(Page):
    """Search results and how the query was interpreted."""

    query: str
    synonyms_used: bool
    spelling_used: bool
    results: list[SearchHit]
    matching: Matching
    less_likely: LessLikely | None
    synonyms: list[Interpretation]
    ignored_words: list[str]
    did_you_mean: list[Suggestion]
    corrected: Correction | None = None
    facets: dict[Literal["type"], dict[str, Count]]
    reading: Reading
    guides: list[GuideCard] = Field(description="Guides that words of the query name; one for a crisis is first.")
    recommend: RecommendCall | None = Field(description="The request that recommends for what the query names.")


class Publication(Model):
    """What states that two conditions often occur together. Dates are null where they are unknown."""

    title: str
    url: str
    as_of: str | None = Field(description="Date of the publication: an ISO date, month or year.")
    read: str | None = Field(description="ISO date on which it was read.")


class RelatedCondition(Card):
    """A condition that often occurs with the requested one, a sibling, or one with similar limitations."""

    score: float
    shared: list[WeightedCard]
    shared_total: Count
    relation: Literal["co_occurring", "sibling", "narrower", "broader"] | None = Field(
        default=None,
        description="co_occurring: they often occur together. sibling: both are under the same broader condition. "
        "narrower, broader: than the requested condition. null: they have similar limitations.",
    )
    publication: Publication | None = Field(default=None, description="What states that they often occur together.")
    why: str


class RelatedPage(Page):
    """Conditions related to this one: those that often occur with it, siblings, then those with similar limitations.

    The last are similar to the broader condition that it inherits from, if there is one (`inherited_from`).
    """

    entity: Card
    inherited_from: Card | None = None
    results: list[RelatedCondition]
