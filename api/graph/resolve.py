"""Resolves texts to entities of any type, by id, key, slug, name or alias: one request to OpenSearch for all texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from api.engine.release import EngineResponse, Hit, Release
from api.engine.search_engine import SearchEngine
from api.errors import InvalidError, NotFoundError
from api.graph import query_bodies
from api.parameters import MAX_ID_LENGTH, trim_id
from api.result import list_nearest, not_found_problem
from api.search.names import parse_name
from api.search.query import ParsedQuery
from api.search.ranking import RankedHit, rank_hit
from api.search.ranking_table import POINTS
from schema.entity_kinds import CONDITION, ENTITY_TYPES, type_noun
from schema.json_types import JsonObject
from schema.text import fold

# The matches of search that are whole names, and their values of `matched_by`.
MATCHED_BY = {
    "id": "id",
    "name": "name",
    "alias": "alias",
    "product_name": "name",
    "title": "alias",
    "name_form": "name",
    "alias_form": "alias",
    "synonym": "synonym",
    "side": "alias",  # only seeds are searched by side
}
# Matches that say as much: by a displayed name, by another name to the letter, or by another form of a name.
EQUAL_MATCHES = (
    frozenset(("name", "product_name")),
    frozenset(("alias", "title", "side")),
    frozenset(("name_form", "alias_form", "synonym")),
)


@dataclass(frozen=True, slots=True)
class EntityReference:
    """A text that names an entity: the type that it begins with, if any, and the rest as a query."""

    text: str
    type: str
    query: ParsedQuery

    @classmethod
    def parse(cls, text: str, required_type: str = "") -> "EntityReference":
        """Split `type:` from the rest. With a required type, that of another one is part of the rest."""
        id_ = trim_id(text)
        prefix, colon, rest = id_.partition(":")
        type_ = prefix.lower()
        if colon and type_ in ENTITY_TYPES and required_type in ("", type_):
            return cls(text, type_, ParsedQuery.parse(rest.strip()))
        return cls(text, required_type, ParsedQuery.parse(id_))

    def with_release(self, release: Release) -> "EntityReference":
        """Return the reference with the synonym rules and the sides of needs of a release that match its query."""
        return replace(self, query=self.query.with_release(release))

    def named_body(self) -> JsonObject:
        """The entities with this name."""
        return query_bodies.named_body(self.query, *filter(None, [self.type]))

    @property
    def folded(self) -> str:
        """The text with its type, in lower case and without accents."""
        return f"{self.type}:{self.query.folded_id}" if self.type else self.query.folded_id

    def is_id_of(self, card: Mapping[str, Any]) -> bool:
        """Return whether the text is `type:key` or `type:slug` of this entity."""
        return bool(self.type) and self.folded in (fold(card["id"]), f"{card['type']}:{card['slug']}")

    def is_slug_of(self, card: Mapping[str, Any]) -> bool:
        """Return whether the text is the slug of this entity."""
        return bool(self.query.folded_id == card["slug"])

    def is_name_of(self, card: Mapping[str, Any]) -> bool:
        """Return whether the text is the slug or the name of this entity, not an alias."""
        return self.is_slug_of(card) or self.query.key == parse_name(card["name"]).key


@dataclass(frozen=True, slots=True)
class ResolvedEntity:
    """The entity that a text names, with the targets of its edges by name, and what the text names equally well."""

    text: str
    card: JsonObject
    matched_by: str
    document: Mapping[str, Any]
    sources: Sequence[str]
    alternatives: Sequence[JsonObject]
    is_unique: bool = True  # but for narrower conditions beside a main one: "ms"


async def resolve_entities(
    engine: SearchEngine, references: Mapping[str, EntityReference]
) -> tuple[dict[str, ResolvedEntity], Release]:
    """Return the entity that each reference names, by parameter.

    Raise InvalidError for texts that name no entity; that error costs one more request.
    """
    release = await engine.known_release()
    references = {parameter: reference.with_release(release) for parameter, reference in references.items()}
    responses = await engine.search_all([reference.named_body() for reference in references.values()])
    release = responses[0].release
    resolved = {
        parameter: entity
        for (parameter, reference), response in zip(references.items(), responses, strict=True)
        if (entity := _resolve(reference, response))
    }
    unresolved = {parameter: reference for parameter, reference in references.items() if parameter not in resolved}
    if unresolved:
        raise await _not_found_error(engine, unresolved, release)
    return resolved, release


async def resolve_id(
    engine: SearchEngine, reference: EntityReference, unknown: NotFoundError | None = None
) -> ResolvedEntity:
    """Return the only entity that a text names, with the narrower ones that have the same name.

    Raise InvalidError for a text that names several, and for one that names none, unless another error is given.
    """
    reference = reference.with_release(await engine.known_release())
    response = await engine.search(reference.named_body())
    entity = require_unique(reference, response)
    if entity is None:
        raise unknown or await _not_found_error(engine, {"id": reference}, response.release)
    return entity


def require_unique(reference: EntityReference, response: EngineResponse) -> ResolvedEntity | None:
    """Return the only entity that a text names, None if it names none. Raise InvalidError if it names several."""
    entity = _resolve(reference, response)
    if entity is not None and not entity.is_unique:
        candidates = [entity.card, *entity.alternatives]
        listed = list_nearest(card["id"] for card in candidates)
        message = f"{reference.query.raw[:MAX_ID_LENGTH]!r} names several entities; nearest: {listed}"
        raise InvalidError([not_found_problem(("path", "id"), message, "ambiguous_id", reference.text, candidates)])
    return entity


def named_in_order(query: ParsedQuery, hits: Iterable[Hit]) -> list[tuple[RankedHit, Hit]]:
    """Return the hits that a text names, the best first: by how they match, conditions with lists of their own, score.

    Every route and tool resolves names in this order. Of a condition and a limitation with one name, the condition is
    first, as in searches.
    """
    query = query.ignoring_case()  # who names an entity means it: "condition=bed"
    pairs = [(rank_hit(query, hit), hit) for hit in hits]
    best: dict[str, float] = {}  # of all that have a name, which is often that of a condition and of a limitation
    for hit_, _ in pairs:
        best[hit_.card["name"]] = max(hit_.score, best.get(hit_.card["name"], 0.0))

    def order(pair: tuple[RankedHit, Hit]) -> tuple[float, bool, float, bool, float]:
        ranked, hit = pair
        is_narrower, is_other = "inherits_from" in hit.document, ranked.card["type"] != CONDITION
        return -POINTS[ranked.match.kind], is_narrower, -best[ranked.card["name"]], is_other, -ranked.score

    return sorted(pairs, key=order)


def other_readings(pairs: Sequence[tuple[RankedHit, Hit]]) -> list[tuple[RankedHit, Hit]]:
    """Return the hits that a text names as well as the first one."""
    kind = pairs[0][0].match.kind
    equal = next((kinds for kinds in EQUAL_MATCHES if kind in kinds), ())
    return [pair for pair in pairs[1:] if pair[0].match.kind in equal]


def best_card(query: ParsedQuery, response: EngineResponse) -> JsonObject | None:
    """Return the card of the best of the hits that a text names."""
    named = named_in_order(query, response.hits)
    return named[0][0].card if named else None


def _resolve(reference: EntityReference, response: EngineResponse) -> ResolvedEntity | None:
    """Return the hit that the text names best, with the hits that it names equally well.

    A full id names one entity only, and an entity's slug or name takes precedence over another entity's alias.
    """

    def order(pair: tuple[RankedHit, Hit]) -> tuple[bool, bool]:
        card = pair[0].card
        return not reference.is_id_of(card), not reference.is_name_of(card)

    pairs = sorted(named_in_order(reference.query, response.hits), key=order)
    if not pairs:
        return None
    best, hit = pairs[0]
    is_id = reference.is_id_of(best.card)
    others = [] if is_id else other_readings(pairs)
    is_main = "inherits_from" not in hit.document
    is_unique = all(
        is_main and "inherits_from" in other.document for one, other in others if one.match.kind == best.match.kind
    )
    matched_by = _matched_by(reference, best.card, "id" if is_id else best.match.kind)
    cards = [one.card for one, _ in others]
    return ResolvedEntity(reference.text, best.card, matched_by, hit.document, hit.sources, cards, is_unique)


def _matched_by(reference: EntityReference, card: Mapping[str, Any], kind: str) -> str:
    if reference.is_slug_of(card) and reference.folded not in (fold(card["id"]), fold(card["name"])):
        return "slug"
    return MATCHED_BY[kind]


def _location(parameter: str) -> tuple[str | int, ...]:
    """Return where a text was sent; a parameter that may be repeated has its number behind a full stop."""
    name, _, number = parameter.partition(".")
    return ("query", name, int(number)) if number else ("query", name)


async def _not_found_error(
    engine: SearchEngine, unresolved: Mapping[str, EntityReference], release: Release
) -> InvalidError:
    bodies = [query_bodies.nearest_body(reference.query, reference.type) for reference in unresolved.values()]
    responses = await engine.search_all(bodies, release)
    problems = []
    for (parameter, reference), response in zip(unresolved.items(), responses, strict=True):
        nearest = response.cards
        noun = type_noun(reference.type or "entity")
        listed = list_nearest(card["id"] for card in nearest)
        message = f"unknown {noun} {reference.query.raw[:MAX_ID_LENGTH]!r}; nearest: {listed}"
        problems.append(not_found_problem(_location(parameter), message, "unknown_entity", reference.text, nearest))
    return InvalidError(problems).with_sources([source for response in responses for source in response.sources])
