"""Resolves the seeds of a request, each by id, key, slug, name or alias.

Without a seed, or with an unknown one, the request is a 422; unknown fields are warnings.
"""

from collections.abc import Collection, Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from api.engine.release import EngineResponse, Hit, Release
from api.engine.search_engine import SearchEngine
from api.errors import InvalidError
from api.graph.query_bodies import named_body, nearest_body
from api.graph.resolve import MATCHED_BY, best_card
from api.models import NO_SEED, SEEDS, RecommendRequest
from api.parameters import MAX_ID_LENGTH
from api.result import list_nearest, not_found_problem, problem, unknown_parameter_warning
from api.search import query_builder
from api.search.query import ParsedQuery
from api.search.ranking import POINTS, rank_hit
from schema.entity_kinds import ACUTE, NEED_TYPES, type_noun
from schema.json_types import JsonObject
from schema.text import fold, with_article

SEED_TYPES = {field: "workrelatedfunction" if field == "work_function" else field for field in SEEDS}
SEED_FIELDS = {type_name: field for field, type_name in SEED_TYPES.items()}
FORMS = frozenset(("name_form", "alias_form", "synonym"))  # matches that are not to the letter
MAX_SEEDS = 10  # entities of one type that share a name
MAX_SPLITS = 6  # of a text into two names, from the longest first part
SEED_FIELDS_READ = ("inherits_from", "first_choices", "main_needs", "ancestors", "attributes", "troubles", "cautions")


@dataclass(frozen=True, slots=True)
class RecommendQuery:
    """A request for recommendations, and the query of each seed by field."""

    request: RecommendRequest
    seeds: Mapping[str, ParsedQuery]

    @classmethod
    def parse(cls, request: RecommendRequest) -> "RecommendQuery":
        """Parse the seeds that are not blank."""
        texts = ((field, str(value).strip()) for field in SEED_TYPES if (value := getattr(request, field)))
        return cls(request, {field: ParsedQuery.parse(text) for field, text in texts if text})


def seed_body(type_name: str, query: ParsedQuery) -> JsonObject:
    """The entities of a type that a seed names by id, key, slug, code, name or alias, or by a form of a name."""
    fields = {"_source": [*SEED_FIELDS_READ], "docvalue_fields": ["hit", "card", "sources"]}
    return query_builder.named_body(query, [type_name], fields, MAX_SEEDS, by_side=type_name in NEED_TYPES)


@dataclass(frozen=True, slots=True)
class ResolvedSeed:
    """The entity that the text `given` names: how it matched, what else it names, and the side that it names."""

    matched_by: str
    card: JsonObject
    hit: Hit
    alternatives: Sequence[Mapping[str, Any]] = ()
    side: str | None = None
    given: str = ""

    @property
    def parents(self) -> Sequence[str]:
        """The conditions whose lists a condition inherits."""
        parents: Sequence[str] = self.hit.document.get("inherits_from", ())
        return parents

    @property
    def is_acute(self) -> bool:
        """Whether this is a condition that comes suddenly and needs medical help at once."""
        attributes = self.hit.document.get("attributes", ())
        return {"name": "course", "value": ACUTE} in attributes

    @property
    def list_owners(self) -> Sequence[str]:
        """The ids of the entities whose lists are read: its parents, else its own."""
        return self.parents or [self.card["id"]]


async def resolve_seeds(
    engine: SearchEngine, queries: Mapping[str, ParsedQuery]
) -> tuple[dict[str, ResolvedSeed], Release]:
    """Return the seed that each query names, by field; raise InvalidError for queries that name none."""
    release = await engine.known_release()
    queries = {field: query.with_rules(release.synonyms) for field, query in queries.items()}
    responses = await engine.search_all([seed_body(SEED_TYPES[field], query) for field, query in queries.items()])
    release = responses[0].release
    resolved: dict[str, ResolvedSeed] = {}
    for (field, query), response in zip(queries.items(), responses, strict=True):
        if seed := resolve_seed(response.hits, query):
            resolved[field] = seed
    unknown = {field: query for field, query in queries.items() if field not in resolved}
    if unknown:
        resolved |= await _resolve_unknown(engine, unknown, queries.keys(), release)
    return {field: resolved[field] for field in SEED_TYPES if field in resolved}, release


async def _resolve_unknown(
    engine: SearchEngine, unknown: Mapping[str, ParsedQuery], given: AbstractSet[str], release: Release
) -> dict[str, ResolvedSeed]:
    """Return the seeds that texts name in two parts; raise InvalidError for texts that do not. One request."""
    parts = {field: SeedParts.of(query, given - {field}, release) for field, query in unknown.items()}
    bodies = [body for one in parts.values() for body in one.bodies()]
    errors = error_bodies(unknown)
    responses = await engine.search_all([*bodies, *errors], release)
    found = iter(responses[: len(bodies)])
    resolved: dict[str, ResolvedSeed] = {}
    unnamed = dict(unknown)
    for field, one in parts.items():
        if seeds := one.resolve([next(found) for _ in one.keys]):
            resolved |= seeds
            del unnamed[field]
    if unnamed:
        raise unknown_seeds_error(unknown, responses[len(bodies) :], unnamed)
    return resolved


@dataclass(frozen=True, slots=True)
class SeedParts:
    """A text that may name two seeds of different fields ("cancer fatigue"), the longest first part first.

    `keys` are the parts, each with a field that it may be a seed of.
    """

    splits: Sequence[tuple[str, str]]
    parsed: Mapping[str, ParsedQuery]
    keys: Sequence[tuple[str, str]]

    @staticmethod
    def of(query: ParsedQuery, taken: Collection[str], release: Release) -> "SeedParts":
        """Split a text between its words; `taken` are the fields of other seeds."""
        starts = [start for start, _ in query.offsets[1:]]
        splits = [(query.text[:start].strip(), query.text[start:]) for start in reversed(starts)][:MAX_SPLITS]
        texts = dict.fromkeys(text for split in splits for text in split)
        parsed = {text: ParsedQuery.parse(text).with_rules(release.synonyms) for text in texts}
        return SeedParts(
            splits, parsed, [(text, field) for text in texts for field in SEED_TYPES if field not in taken]
        )

    def bodies(self) -> list[JsonObject]:
        """Return a search for each key."""
        return [seed_body(SEED_TYPES[field], self.parsed[text]) for text, field in self.keys]

    def resolve(self, responses: Sequence[EngineResponse]) -> dict[str, ResolvedSeed]:
        """Return the two seeds by field; none if no two parts name any."""
        named = {
            key: seed
            for key, response in zip(self.keys, responses, strict=True)
            if (seed := resolve_seed(response.hits, self.parsed[key[0]]))
        }
        for first, second in self.splits:
            for one, other in permutations(SEED_TYPES, 2):
                if (first, one) in named and (second, other) in named:
                    return {one: named[first, one], other: named[second, other]}
        return {}


def resolve_seed(hits: Sequence[Hit], query: ParsedQuery) -> ResolvedSeed | None:
    """Return the best hit that the query names, and the others that it names; None if there is none.

    Among equals, a condition with lists of its own comes first.
    """
    pairs = [(rank_hit(query, hit), hit) for hit in hits]
    if not pairs:
        return None
    pairs.sort(key=lambda pair: (-POINTS[pair[0].match.kind], "inherits_from" in pair[1].document, -pair[0].score))
    best, hit = pairs[0]
    kind = best.match.kind
    others = [one.card for one, _ in pairs[1:] if kind != "id" and (one.match.kind in FORMS) == (kind in FORMS)]
    is_slug = (
        kind in {"id", "name"}
        and query.folded_id not in (fold(best.card["id"]), fold(best.card["name"]))
        and query.folded_id.endswith(best.card["slug"])
    )
    sides: Mapping[str, Mapping[str, Any]] = hit.payload.get("sides", {})
    side = next((name for name, one in sides.items() if query.form in one["words"]), None)
    return ResolvedSeed("slug" if is_slug else MATCHED_BY[kind], best.card, hit, others, side, query.raw)


def unknown_field_warnings(request: RecommendRequest) -> list[JsonObject]:
    """Return a warning for each unknown field of the body, with the nearest known one."""
    valid = [*SEED_TYPES, "setting", "limit"]
    return [unknown_parameter_warning("field", name, valid) for name in request.model_extra or {}]


def no_seed_error(request: RecommendRequest) -> InvalidError:
    """Return the 422 for a request without a seed, with the fields that it may have misspelled."""
    near = [warning["nearest"] for warning in unknown_field_warnings(request) if warning["nearest"]]
    hint = f"; did you mean {', '.join(near)}?" if near else ""
    sent = request.model_dump(exclude_unset=True)
    return InvalidError(
        [problem(["body"], NO_SEED + hint, "no_seed", sent, {"fields": list(SEED_TYPES), "nearest": near})]
    )


def error_bodies(queries: Mapping[str, ParsedQuery]) -> list[JsonObject]:
    """Return the searches for what a text that names no seed may mean: the nearest names, and other types."""
    nearest = [nearest_body(query, SEED_TYPES[field]) for field, query in queries.items()]
    return [*nearest, *(named_body(query, *SEED_FIELDS) for query in queries.values())]


def unknown_seeds_error(
    queries: Mapping[str, ParsedQuery], responses: Sequence[EngineResponse], fields: Container[str] = SEED_TYPES
) -> InvalidError:
    """Return the 422 for queries that name no seed, by field: another type has the name, or which names are nearest.

    `responses` are those to the `error_bodies` of all queries; only these `fields` are problems.
    """
    nearest, of_any_type = responses[: len(queries)], responses[len(queries) :]
    problems = []
    for (field, query), near, by_name in zip(queries.items(), nearest, of_any_type, strict=True):
        if field not in fields:
            continue
        name, candidates = query.raw[:MAX_ID_LENGTH], near.cards
        message = f"unknown {type_noun(field)} {name!r}; nearest: {list_nearest(card['name'] for card in candidates)}"
        kind = "unknown_seed"
        card = best_card(query, by_name)
        if card and (right := SEED_FIELDS[card["type"]]) != field:
            right_type, wrong_type = with_article(type_noun(right)), with_article(type_noun(field))
            message = f"{name!r} is {right_type} ({card['name']}), not {wrong_type}; send it as {right!r}"
            kind, candidates = "seed_of_another_kind", [card]
        problems.append(not_found_problem(("body", field), message, kind, query.raw, candidates))
    return InvalidError(problems).with_sources([source for response in responses for source in response.sources])
