"""Recommend: seeds → their needs → ranked solutions → products, in two engine requests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from api import results, seed_queries
from api.explaining import coverage, recommendation, seed_warnings
from api.inflated import inflated
from api.inheriting import joined, preferring
from api.naming import SEED_TYPES, best_seed, needs_of, no_seed, seed_namesakes, unknown_fields
from api.narrowing import in_setting
from api.ranking import SeedData, rank
from api.results import Reply
from api.unknown_seeds import unknown_seeds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.engine import Engine
    from api.models import RecommendRequest
    from api.naming import Understood
    from api.ranking import Ranked
    from api.release import Release

Body = dict[str, Any]
LIMIT = 20


async def recommend(engine: Engine, ask: RecommendRequest) -> Reply:
    """Ranked solutions with the chain that leads to each. Two engine requests, one where the products are known."""
    given = {name: str(value).strip() for name in SEED_TYPES if (value := getattr(ask, name)) and str(value).strip()}
    if not given:
        raise no_seed(ask)
    limit = ask.limit or LIMIT
    understood, data, release = await _seeds(engine, given, ask.setting)
    ranking = rank(data)
    shown, sources = await _with_products(engine, ranking.found[:limit], release)
    found = [recommendation(place, one, own) for place, (one, own) in enumerate(shown, start=1)]
    body = {
        "seeds": [
            {"field": name, "given": given[name], "entity": one.needs["card"], "matched_by": one.matched_by}
            for name, one in understood.items()
        ],
        "results": found,
        **results.unpaged(len(ranking.found), limit),
        "coverage": coverage(ranking),
        "products": results.top_products(found),
    }
    alike = [line for name, one in understood.items() for line in seed_namesakes(name, given[name], one)]
    warnings = [*unknown_fields(ask), *alike, *seed_warnings(data, ranking, ask.setting)]
    return Reply(body | ({"warnings": warnings} if warnings else {}), release, sources)


async def _with_products(
    engine: Engine, ranked: Sequence[Ranked], release: Release
) -> tuple[list[tuple[Ranked, Mapping[str, Any]]], list[str]]:
    """Each solution with its card and the products to show with it, and the sources that those rest on."""
    if not ranked:
        return [], []
    documents = await engine.fetch_shared([f"{one.id}/products" for one in ranked], release)
    found = [(one, document["products"]) for one, document in zip(ranked, documents, strict=True) if document]
    naming = [source for one, _ in found for _, row in one.serves for source in row.get("sources", ())]
    return found, [*naming, *(source for _, own in found for source in own["sources"])]


async def _seeds(
    engine: Engine, given: Mapping[str, str], setting: str | None
) -> tuple[Mapping[str, Understood], list[SeedData], Release]:
    answers = await engine.search_all([seed_queries.seed_body(SEED_TYPES[name], text) for name, text in given.items()])
    release = answers[0].release
    hits = {name: answer.body["hits"]["hits"] for name, answer in zip(given, answers, strict=True)}
    found = {name: best for name, text in given.items() if (best := best_seed(hits[name], text))}
    unknown = {name: text for name, text in given.items() if name not in found}
    if unknown:
        raise await unknown_seeds(engine, unknown, release)
    seeds = {name: SeedData(name, one.needs["card"], one.needs, one.needs["inherits"]) for name, one in found.items()}
    data = [await _data(engine, seed, hits[name], setting, release) for name, seed in seeds.items()]
    return found, data, release


async def _data(
    engine: Engine, seed: SeedData, hits: Sequence[Mapping[str, Any]], setting: str | None, release: Release
) -> SeedData:
    """What a seed asks for in a setting; a narrow condition asks for what those that speak for it do."""
    speaking = seed.needs.get("heir_of", ())
    if not speaking:
        return replace(seed, needs=in_setting(seed.needs, setting))
    found = {needs["card"]["id"]: needs for needs in map(needs_of, hits)}
    missing = [one for one in speaking if one not in found]
    if missing:  # more entities share the name than one page holds
        documents, _ = await engine.fetch([f"{one}/needs" for one in missing], release)
        found |= {one: inflated(told["needs"]) for one, told in zip(missing, documents, strict=True) if told}
    heard = [preferring(found[one], seed.needs) for one in speaking if one in found]
    voices = [in_setting(one, setting) for one in heard]
    return replace(seed, needs=joined(voices), voices=voices) if voices else seed
