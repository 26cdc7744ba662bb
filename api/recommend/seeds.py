"""Resolves the seeds of a request, each by id, key, slug, name or alias.

Without a seed, or with an unknown one, the request is a 422; unknown fields are warnings.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.engine.release import Hit, Release
from api.engine.search_engine import SearchEngine
from api.errors import InvalidError
from api.graph.query_bodies import POPULARITY, named_body, nearest_body
from api.graph.resolve import best_card
from api.models import NO_SEED, SEEDS, RecommendRequest
from api.parameters import MAX_ID_LENGTH
from api.result import list_nearest, not_found_problem, problem, unknown_parameter_warning
from api.search.query import ParsedQuery
from api.search.query_builder import ALIAS_FORM, NAME_FORM
from schema.document_ids import ENTITY, NAME_END, NAME_START
from schema.entity_kinds import type_noun
from schema.json_types import JsonObject
from schema.text import fold, name_key, with_article

SEED_TYPES = {field: "workrelatedfunction" if field == "work_function" else field for field in SEEDS}
SEED_FIELDS = {type_name: field for field, type_name in SEED_TYPES.items()}
BY_ID, BY_NAME = "id", "seed"  # how a seed matched, besides forms of its names
# More than popularity can add: an exact name ranks before its forms ("doctor" is also expanded to "physician"), and
# among the jobs that share a title the one that is usually meant comes first.
FULL_ID_BOOST, NAME_BOOST = 2.0, 1.0
MAX_SEEDS = 10  # entities of one type that share a name
SEED_FIELDS_READ = ("inherits_from", "first_choices")
MATCH_ORDER = ("id", "slug", "name", "alias")


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
    """The entity that a seed names by id, key, slug, name or alias, or by another form of a name.

    Each hit says how it matched.
    """
    text, id_ = query.raw, query.id_text
    whole_name = {"query": f"{NAME_START} {text} {NAME_END}", "analyzer": "whole_with_rules"}

    def forms(field: str) -> list[JsonObject]:
        return [{"match_phrase": {f"{field}.whole": phrase}} for phrase in (text, whole_name)]

    full_id = f"{type_name}:{id_}"
    clauses: dict[str, list[JsonObject]] = {
        BY_ID: [{"term": {"owner": full_id}}, {"term": {"owner": id_}}],
        BY_NAME: [{"term": {"lookup_keys": text}}],
        NAME_FORM: forms("name"),
        ALIAS_FORM: [*forms("aliases"), *forms("hidden")],
    }
    either = [{"bool": {"should": should, "_name": name}} for name, should in clauses.items()]
    exact = {"bool": {"should": either, "minimum_should_match": 1}}
    boosts = [
        {"constant_score": {"filter": {"term": {"lookup_keys": key}}, "boost": boost}}
        for key, boost in ((full_id, FULL_ID_BOOST), (text, NAME_BOOST))
    ]
    matching = {
        "filter": [{"term": {"doc": ENTITY}}, {"term": {"type": type_name}}, exact],
        "should": [{"rank_feature": POPULARITY}, *boosts],
    }
    fields = {"_source": [*SEED_FIELDS_READ], "docvalue_fields": ["card", "sources"]}
    return {"size": MAX_SEEDS, **fields, "query": {"bool": matching}}


@dataclass(frozen=True, slots=True)
class ResolvedSeed:
    """The entity that a seed names: how it matched (one of MATCH_ORDER), and the other entities that it names."""

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
    candidates = [(*_matched_by(hit.clauses, card, query), card, hit) for hit in hits for card in [hit.card]]
    if not candidates:
        return None
    candidates.sort(
        key=lambda candidate: (candidate[1], MATCH_ORDER.index(candidate[0]), "inherits_from" in candidate[3].document)
    )
    matched_by, is_form, card, hit = candidates[0]
    others = [candidate for candidate in candidates[1:] if matched_by != "id" and candidate[1] == is_form]
    return ResolvedSeed(matched_by, card, hit, [other for _, _, other, _ in others])


def _matched_by(clauses: Collection[str], card: Mapping[str, Any], query: ParsedQuery) -> tuple[str, bool]:
    """Return one of MATCH_ORDER, and whether the query is only a form of a name ("memory losses")."""
    if BY_ID in clauses:
        is_slug = query.folded_id != fold(card["id"]) and query.folded_id.endswith(card["slug"])
        return ("slug" if is_slug else "id"), False
    if BY_NAME in clauses:
        return ("name" if name_key(card["name"]) == query.key else "alias"), False
    return ("name" if NAME_FORM in clauses else "alias"), True


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
        card = best_card(by_name)
        if card and (right := SEED_FIELDS[card["type"]]) != field:
            right_type, wrong_type = with_article(type_noun(right)), with_article(type_noun(field))
            message = f"{name!r} is {right_type} ({card['name']}), not {wrong_type}; send it as {right!r}"
            kind, candidates = "seed_of_another_kind", [card]
        problems.append(not_found_problem(("body", field), message, kind, query.raw, candidates))
    return InvalidError(problems).with_sources([source for response in responses for source in response.sources])
