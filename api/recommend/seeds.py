"""Resolves the seeds of a request, each by id, key, slug, name or alias.

Without a seed, or with an unknown one, the request is a 422; unknown fields are warnings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.engine.release import Hit, Release
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
from schema.entity_kinds import type_noun
from schema.json_types import JsonObject
from schema.text import fold, with_article

SEED_TYPES = {field: "workrelatedfunction" if field == "work_function" else field for field in SEEDS}
SEED_FIELDS = {type_name: field for field, type_name in SEED_TYPES.items()}
FORMS = frozenset(("name_form", "alias_form", "synonym"))  # matches that are not to the letter
MAX_SEEDS = 10  # entities of one type that share a name
SEED_FIELDS_READ = ("inherits_from", "first_choices")


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
    return query_builder.named_body(query, [type_name], fields, MAX_SEEDS)


@dataclass(frozen=True, slots=True)
class ResolvedSeed:
    """The entity that a seed names: how it matched, and the other entities that it names."""

    matched_by: str
    card: JsonObject
    hit: Hit
    alternatives: Sequence[Mapping[str, Any]] = ()

    @property
    def parents(self) -> Sequence[str]:
        """The conditions whose lists a condition inherits."""
        parents: Sequence[str] = self.hit.document.get("inherits_from", ())
        return parents

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
        raise await unknown_seeds_error(engine, unknown, release)
    return resolved, release


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
    return ResolvedSeed("slug" if is_slug else MATCHED_BY[kind], best.card, hit, others)


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


async def unknown_seeds_error(
    engine: SearchEngine, queries: Mapping[str, ParsedQuery], release: Release
) -> InvalidError:
    """Return the 422 for queries that name no seed, by field: another type has the name, or which names are nearest."""
    bodies = [nearest_body(query, SEED_TYPES[field]) for field, query in queries.items()]
    bodies += [named_body(query, *SEED_FIELDS) for query in queries.values()]
    responses = await engine.search_all(bodies, release)
    nearest, of_any_type = responses[: len(queries)], responses[len(queries) :]
    problems = []
    for (field, query), near, by_name in zip(queries.items(), nearest, of_any_type, strict=True):
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
