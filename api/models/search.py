"""Models of search and suggest responses."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from api.models.response import Card, Count, MatchKind, Model, Page
from schema.entity_kinds import TypeName


class Match(Model):
    """Why an entity matched: the matching text, its field, and one plain sentence."""

    kind: MatchKind
    text: str
    field: str
    why: str


class Hit(Card):
    """A search result."""

    score: float
    match: Match


class Interpretation(Model):
    """How words of the query were interpreted: as a name of an entity, by a synonym rule, or as an entity type."""

    from_: str = Field(alias="from")
    to: str
    entity: Card | None
    kind: Literal["alias", "rule", "scope"]
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
    results: list[Hit]
    synonyms: list[Interpretation]
    did_you_mean: list[Suggestion]
    corrected: Correction | None = None
    facets: dict[Literal["type"], dict[str, Count]]
