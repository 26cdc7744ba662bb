"""Recommends solutions: resolves the seeds, reads their lists, ranks, and adds the products of the best."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.graph.catalogue import Catalogue
from api.graph.guidance import GUIDANCE_NOTE
from api.recommend.explanations import coverage, describe_solution, recommendation_warnings
from api.recommend.ranking import RankedSolution, rank
from api.recommend.safety import SafeData
from api.recommend.seed_data import SeedReader
from api.recommend.seeds import RecommendQuery, ResolvedSeed, no_seed_error, resolve_seeds, unknown_field_warnings
from api.result import ServiceResult, ambiguity_warnings, single_page
from schema.json_types import JsonObject

DEFAULT_LIMIT = 20  # solutions
MAX_TOP_PRODUCTS = 20


async def recommend(
    engine: SearchEngine, catalogue: Catalogue, reader: SeedReader, query: RecommendQuery
) -> ServiceResult:
    """Return ranked solutions with the reasons for each.

    One request to OpenSearch resolves the seeds, another reads what a job requires. What is not cached takes more.
    """
    request = query.request
    if not query.seeds:
        raise no_seed_error(request)
    limit = request.limit or DEFAULT_LIMIT
    seeds, release = await resolve_seeds(engine, query.seeds)
    data = await reader.read(seeds, request.setting, release)
    safe = await SafeData.of(catalogue, seeds, data, release)
    ranking = rank(safe.data, safe.other_side)
    results, sources = await _with_products(catalogue, ranking.solutions[:limit], release)
    if any(seed.is_acute for seed in seeds.values()):  # what to do first is no product
        results = [{**result, "products": []} for result in results]
    await safe.add_cautions(catalogue, results, release)
    cautions = await safe.cautions(catalogue, release)
    sources += [*safe.sources, *(source for seed in data for source in seed.needs["sources"])]
    body = {
        "seeds": [
            {"field": field, "given": seed.given, "entity": seed.card, "matched_by": seed.matched_by}
            for field, seed in seeds.items()
        ],
        "results": results,
        **single_page(len(ranking.solutions), limit),
        "left_out": safe.left_out,
        "cautions": cautions,
        "guidance_note": GUIDANCE_NOTE,
        "coverage": coverage(ranking),
        "products": top_products(results),
    }
    warnings = _warnings(query, seeds) + recommendation_warnings(safe.data, ranking, request.setting)
    return ServiceResult(body | ({"warnings": warnings} if warnings else {}), release, sources)


def _warnings(query: RecommendQuery, seeds: Mapping[str, ResolvedSeed]) -> list[JsonObject]:
    """Return warnings about unknown fields, and about texts that name several entities."""
    warnings = unknown_field_warnings(query.request)
    for field, seed in seeds.items():
        warnings += ambiguity_warnings(
            field, seed.given, seed.card, seed.alternatives, ". Send an id to choose another."
        )
    return warnings


async def _with_products(
    catalogue: Catalogue, ranked: Sequence[RankedSolution], release: Release
) -> tuple[list[JsonObject], list[str]]:
    """Return the results with their cards and products, and the ids of their sources."""
    ids = [solution.id for solution in ranked]
    solutions, products = await catalogue.solutions(ids, release), await catalogue.products(ids, release)
    results: list[JsonObject] = []
    sources: list[str] = []
    for position, solution in enumerate(ranked, start=1):
        facts, shown = solutions[solution.id], products[solution.id]
        results.append({**facts.card, **describe_solution(position, solution), "products": shown.cards})
        sources += [*facts.sources, *shown.sources]
        sources += [source for _, row in solution.serves for source in row.get("sources", ())]
    return results, sources


def top_products(results: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the products of all results without repetition: the first of each result before any second."""
    seen: dict[str, JsonObject] = {}
    for same_position in zip_longest(*(result["products"] for result in results)):
        for product in filter(None, same_position):
            seen.setdefault(product["id"], product)
    return list(seen.values())[:MAX_TOP_PRODUCTS]
