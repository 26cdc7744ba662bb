"""For one frequent word in a large release, ranks and counts in two queries: counting disables early termination.

Ranking alone lets the engine skip blocks of documents that cannot reach the first page (block-max WAND). This needs
rank features, an index sorted by them, and no exclusions: `exact` rewrites exclusions into positive filters, and looks
for names that are this one word among those that begin with it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from api.engine.entity_clauses import POPULARITY, name_prefix_clause
from api.engine.release import EngineResponse, Release
from api.search import demotion
from api.search.query import ParsedQuery, SearchRequest
from schema.document_ids import MAX_PREFIX_LENGTH, WITH_RULES
from schema.entity_kinds import ENTITY_TYPES, MAIN, MAINSTREAM, PRODUCT_FAMILIES
from schema.json_types import JsonObject

LARGE = 50_000  # entities; in smaller releases a second search takes longer than it saves
POINTS: list[JsonObject] = [POPULARITY, {"rank_feature": {"field": "standing", "linear": {}}}]
APART = ("sort", "aggs")  # equals come as the index is sorted: to ask for that is to look at all of them


def fits(release: Release | None) -> bool:
    """Return whether a release is large enough."""
    return release is not None and sum(release.counts["types"].values()) >= LARGE


def worth(request: SearchRequest, release: Release | None) -> bool:
    """Return whether to split this search."""
    return fits(release) and request.query.is_single_word


def ruled(request: SearchRequest, release: Release | None) -> bool:
    """Return whether a synonym rule of the release fires for the query."""
    return release is not None and bool(request.with_rules(release).query.rules)


def bodies(body: Mapping[str, Any], word: ParsedQuery, *, ruled: bool) -> tuple[JsonObject, JsonObject]:
    """Return the query that ranks the hits of a word and the one that counts them; `ruled`: a rule fires."""
    found = body["query"]["function_score"]["query"]["bool"]
    ranked: JsonObject = {name: part for name, part in body.items() if name not in APART}
    ranked |= {
        "track_total_hits": False,
        "query": {"bool": {**found, "must": exact(found["must"], word, ruled=ruled), "should": POINTS}},
    }
    filtered = [found["must"], *found.get("filter", ())]
    counted: JsonObject = {name: body[name] for name in ("track_total_hits", "aggs", "post_filter") if name in body}
    return ranked, counted | {"size": 0, "query": {"bool": {"filter": filtered}}}


def joined(ranked: EngineResponse, counted: EngineResponse) -> EngineResponse:
    """The answers to both as the answer to one search."""
    return replace(ranked, count=counted.count, buckets=counted.buckets)


ENDING = 3  # letters at most by which a word and its plural differ: "ladies", "lady"
WHOLE = {"name.singular": "name", "aliases.singular": "aliases"}


def _left(*excluded: str) -> JsonObject:
    """Match entities that are not demoted: all other types, main conditions, and products that are not mainstream."""
    families = [name for name in PRODUCT_FAMILIES if name != MAINSTREAM]
    types = [name for name in ENTITY_TYPES if name not in ("disability", "product", *excluded)]
    either = (("kind", [MAIN]), ("family", families), ("type", types))
    # One clause per value: with several values in one clause, the engine may check each entity again.
    return {"bool": {"should": [{"term": {field: name}} for field, names in either for name in names]}}


# What the tiers of frequent words exclude, and the positive filter that replaces it.
LEFT = ((list(demotion.DEMOTED_BY_NAME), _left()), ([*demotion.DEMOTED_BY_NAME, demotion.VENDOR], _left("vendor")))


def exact(body: JsonObject, word: ParsedQuery, *, ruled: bool) -> JsonObject:
    """Rewrite the query of one word; `ruled`: a synonym rule fires."""
    key = word.key[:MAX_PREFIX_LENGTH]
    made: JsonObject = _exact(body, key[: max(1, len(key) - ENDING)], ruled=ruled)
    return made


def _exact(part: Any, head: str, *, ruled: bool) -> Any:  # noqa: ANN401 - any part of a query
    if isinstance(part, list):
        return [_exact(one, head, ruled=ruled) for one in part]
    if not isinstance(part, dict):
        return part
    if "match_phrase" in part and (names := _whole_names(part["match_phrase"], ruled=ruled)):
        return {"bool": {"filter": [part, name_prefix_clause(names, head)]}}
    made = {name: _exact(one, head, ruled=ruled) for name, one in part.items()}
    return _without_exclusions(made) if "must_not" in made else made


def _whole_names(phrase: JsonObject, *, ruled: bool) -> str | None:
    """Return the field if a phrase matches whole names as typed."""
    ((field, value),) = phrase.items()
    read = ruled and isinstance(value, dict) and value.get("analyzer", "").endswith(WITH_RULES)
    return None if read else WHOLE.get(field)


def _without_exclusions(clauses: JsonObject) -> JsonObject:
    """Replace an exclusion in a `bool` with its positive filter."""
    left = next((others for excluded, others in LEFT if excluded == clauses["must_not"]), None)
    if left is None:
        return clauses
    kept = {name: one for name, one in clauses.items() if name != "must_not"}
    given = clauses.get("filter", [])
    return kept | {"filter": [*(given if isinstance(given, list) else [given]), left]}
