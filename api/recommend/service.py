"""Recommends solutions in two requests to OpenSearch: seeds, their needs, ranked solutions, their products.

The build runs `rank_and_explain` for each single seed and stores the result beside the seed's needs:
docs/decisions/0023.
"""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.recommend.explanations import coverage, describe_solution, recommendation_warnings
from api.recommend.ranking import OCCUPATION, SeedData, rank
from api.recommend.seeds import (
    SEED_FIELDS,
    RecommendQuery,
    no_seed_error,
    read_seed_data,
    resolve_seeds,
    unknown_field_warnings,
)
from api.recommend.setting_filter import filter_by_setting
from api.result import ServiceResult, ambiguity_warnings, single_page
from schema.document_ids import PRODUCTS, part_id
from schema.json_types import JsonObject
from schema.needs_document import NeedsDocument, PrecomputedDocument

DEFAULT_LIMIT = 20  # solutions; as many are precomputed
MAX_TOP_PRODUCTS = 20


async def recommend(engine: SearchEngine, query: RecommendQuery) -> ServiceResult:
    """Return ranked solutions with the reasons for each.

    Two requests to OpenSearch; one if the products of all solutions are cached.
    """
    request = query.request
    if not query.seeds:
        raise no_seed_error(request)
    limit = request.limit or DEFAULT_LIMIT
    seeds, release = await resolve_seeds(engine, query.seeds)
    result: Mapping[str, Any] | None = None
    if len(seeds) == 1 and request.setting is None and limit <= DEFAULT_LIMIT:
        result = next(iter(seeds.values())).precomputed
    if result is None:
        data = [await read_seed_data(engine, field, seed, request.setting, release) for field, seed in seeds.items()]
        result = rank_and_explain(data, request.setting, limit)
    results, sources = await _with_products(engine, result["results"][:limit], release)
    sources += result.get("sources", ())  # of the seeds and their needs; results of version 0.1.0 lack them
    body = {
        "seeds": [
            {"field": field, "given": query.seeds[field].raw, "entity": seed.card, "matched_by": seed.matched_by}
            for field, seed in seeds.items()
        ],
        "results": results,
        **single_page(result["total"], limit),
        "coverage": result["coverage"],
        "products": top_products(results),
    }
    warnings = unknown_field_warnings(request)
    for field, seed in seeds.items():
        warnings += ambiguity_warnings(
            field, query.seeds[field].raw, seed.card, seed.alternatives, ". Send an id to choose another."
        )
    warnings += result["warnings"]
    return ServiceResult(body | ({"warnings": warnings} if warnings else {}), release, sources)


async def _with_products(
    engine: SearchEngine, ranked: Sequence[Mapping[str, Any]], release: Release
) -> tuple[list[JsonObject], list[str]]:
    """Return the results with their cards and products, and the ids of their sources."""
    if not ranked:
        return [], []
    documents = await engine.fetch_shared([part_id(solution["id"], PRODUCTS) for solution in ranked], release)
    pairs = [(solution, document["products"]) for solution, document in zip(ranked, documents, strict=True) if document]
    results = [{**products["card"], **solution["line"], "products": products["items"]} for solution, products in pairs]
    solution_sources = [source for solution, _ in pairs for source in solution["sources"]]
    return results, [*solution_sources, *(source for _, products in pairs for source in products["sources"])]


def top_products(results: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the products of all results without repetition: the first of each result before any second."""
    seen: dict[str, JsonObject] = {}
    for same_position in zip_longest(*(result["products"] for result in results)):
        for product in filter(None, same_position):
            seen.setdefault(product["id"], product)
    return list(seen.values())[:MAX_TOP_PRODUCTS]


def rank_and_explain(data: Sequence[SeedData], setting: str | None, limit: int) -> JsonObject:
    """Return the best solutions of these seeds, each with its sources, and the total, coverage and warnings.

    `results` are `{"id", "line", "sources"}`, best first; a smaller limit returns the first of them. `sources` are
    those of the seeds and their needs.
    """
    ranking = rank(data)
    return {
        "results": [
            {
                "id": solution.id,
                "line": describe_solution(position, solution),
                "sources": [source for _, row in solution.serves for source in row.get("sources", ())],
            }
            for position, solution in enumerate(ranking.solutions[:limit], start=1)
        ],
        "total": len(ranking.solutions),
        "coverage": coverage(ranking),
        "warnings": recommendation_warnings(data, ranking, setting),
        "sources": list(dict.fromkeys(source for seed in data for source in seed.needs.get("sources", ()))),
    }


def precomputed_result(needs: NeedsDocument) -> PrecomputedDocument | None:
    """Return what the build stores for the owner of a `needs` document; None if it depends on other documents."""
    card = needs["card"]
    field = SEED_FIELDS[card["type"]]
    if field == OCCUPATION or needs.get("inheritance_sources"):
        return None
    data = SeedData(field, card, filter_by_setting(needs, None), needs["inherits"])
    return {"card": card, "precomputed": rank_and_explain([data], None, DEFAULT_LIMIT)}
