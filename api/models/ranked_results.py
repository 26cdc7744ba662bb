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

    kind: MatchKind = Field(
        description=(
            "What matched: the id or code, the name, another name, a name by a synonym rule, a corrected "
            "spelling, the summary or related entities, or the beginning of words."
        )
    )
    text: str = Field(description="The id, name, other name or summary that matched.")
    field: str = Field(
        description=(
            "Where it stands: `id`, `name`, `aliases`, `description`, or `related` where other entities, "
            "such as needs, take part in the match."
        )
    )
    why: str = Field(description="The same in one sentence.")


class Hit(Card):
    """A suggestion: an entity with a name that completes the query."""

    score: float = Field(description="Compares hits of this answer only.")
    match: Match = Field(description="Why it is there.")


class SearchHit(Hit):
    """A search result; its score is the sum of its parts, listed in docs/reference/search-ranking.md."""

    score_parts: dict[str, float] = Field(
        description=(
            "The points that add up to `score`: first the best match, then what is added, by the names in"
            " the ranking tables."
        )
    )


class LessLikely(Model):
    """Hits that match only loosely and are left out of the results, and the list that has them."""

    total: Count = Field(description="How many there are.")
    url: str = Field(description="The path of the list that has them: the same query with `matching=loose`.")


class Interpretation(Model):
    """How words of the query were interpreted: as a name, by a synonym rule, as a type, or as a setting."""

    from_: str = Field(
        alias="from",
        description="The words: another name as the graph has it, the term of a rule, a type hint, or a setting.",
    )
    to: str = Field(
        description="What they were read as: the entity's name, the other terms of the rule, the types, or the setting."
    )
    entity: Card | None = Field(description="The entity whose other name they are.")
    kind: Literal["alias", "rule", "scope", "setting"] = Field(
        description="An alias, a synonym rule, a type hint, or words that name a setting."
    )
    rule: str | None = Field(default=None, description="The rule.")


class Suggestion(Model):
    """Another spelling of the query and its number of results."""

    query: str = Field(description="The corrected query.")
    highlighted: str = Field(description="The same, changed words in `<em>`.")
    total: Count = Field(description="How many results it has, of all types.")


class Correction(Model):
    """No name matched as written; the results are those of the corrected query."""

    from_: str = Field(alias="from", description="As written.")
    to: str = Field(description="As corrected.")


class SuggestionGroup(Model):
    """The suggestions of one type."""

    type: TypeName = Field(description="The type.")
    ids: list[str] = Field(description="Ids of its results, best first.")


class SuggestPage(Page):
    """Names that complete the typed text, in order and by type."""

    query: str = Field(description="What was typed.")
    results: list[Hit] = Field(description="The entities, best first.")
    groups: list[SuggestionGroup] = Field(description="The same by type, the type of the best result first.")


class SearchPage(Page):
    """Search results and how the query was interpreted."""

    query: str = Field(description="The query.")
    synonyms_used: bool = Field(
        description="Whether synonym rules took part: they were not switched off, and the query has up to 14 words."
    )
    spelling_used: bool = Field(description="Whether spelling corrections were requested.")
    results: list[SearchHit] = Field(description="The hits, by score.")
    matching: Matching = Field(description="Whether hits that match only loosely are among the results.")
    less_likely: LessLikely | None = Field(description="The hits that are left out; null if there are none.")
    synonyms: list[Interpretation] = Field(description="How the words were read.")
    ignored_words: list[str] = Field(
        description="Words that were left out, because too few entities have them beside the others."
    )
    did_you_mean: list[Suggestion] = Field(description="Other ways to write the query.")
    corrected: Correction | None = Field(
        default=None, description="Set when the results are those of a corrected query."
    )
    facets: dict[Literal["type"], dict[str, Count]] = Field(
        description="`type`: results of each type, whatever the scope."
    )
    reading: Reading = Field(description="What the words were read as.")
    guides: list[GuideCard] = Field(
        description="Guides that words of the query name or describe; one for a crisis is first."
    )
    recommend: RecommendCall | None = Field(description="The request that recommends for what the query names.")


class Publication(Model):
    """What states that two conditions often occur together. Dates are null where they are unknown."""

    title: str = Field(description="Its title.")
    url: str = Field(description="Its address.")
    as_of: str | None = Field(description="Its date: an ISO date, month or year; null if unknown.")
    read: str | None = Field(description="ISO date on which it was read; null if unknown.")


class RelatedCondition(Card):
    """A condition that often occurs with the requested one, a sibling, or one with similar limitations."""

    score: float = Field(description="Near 1 for many limitations that are all the same, 0 for none in common.")
    shared: list[WeightedCard] = Field(
        description="The limitations both have, or that cover one of each, with their part of the score."
    )
    shared_total: Count = Field(description="How many they share.")
    relation: Literal["co_occurring", "sibling", "narrower", "broader"] | None = Field(
        default=None,
        description=(
            "Whether both often occur together, are under the same broader condition, or one is a kind of"
            " the other; null if they have similar limitations only."
        ),
    )
    publication: Publication | None = Field(default=None, description="What states that they often occur together.")
    why: str = Field(description="The same in one sentence.")


class RelatedPage(Page):
    """Conditions related to this one: those that often occur with it, siblings, then those with similar limitations.

    The last are similar to the broader condition that it inherits from, if there is one (`inherited_from`).
    """

    entity: Card = Field(description="The requested condition.")
    inherited_from: Card | None = Field(
        default=None, description="The broader condition that it inherits from, if it has no stated limitations."
    )
    results: list[RelatedCondition] = Field(
        description="The others, in the order of `relation`: `co_occurring`, `sibling`, then the others by `score`."
    )
