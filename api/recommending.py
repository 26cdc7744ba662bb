"""Recommend: seeds → their needs → ranked solutions → products, in two engine requests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from api import queries, results, seed_queries
from api.errors import InvalidError
from api.explaining import coverage, recommendation, seed_warnings
from api.inflated import inflated
from api.inheriting import joined
from api.naming import LONGEST_ID, SEED_TYPES, best_seed, needs_of, no_seed, unknown_fields
from api.narrowing import in_setting
from api.ranking import SeedData, rank
from api.results import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.engine import Engine, Release
    from api.models import RecommendRequest
    from api.ranking import Ranked

Body = dict[str, Any]
LIMIT = 20


async def recommend(engine: Engine, ask: RecommendRequest) -> Reply:
    """Ranked solutions with the chain that leads to each. Two engine requests, one where the products are known."""
    given = {name: str(value).strip() for name in SEED_TYPES if (value := getattr(ask, name)) and str(value).strip()}
    if not given:
        raise no_seed(ask)
    limit = ask.limit or LIMIT
    seeds, data, release = await _seeds(engine, given, ask.setting)
    ranking = rank(data)
    shown, sources = await _with_products(engine, ranking.found[:limit], release)
    found = [recommendation(place, one, own) for place, (one, own) in enumerate(shown, start=1)]
    body = {
        "seeds": seeds,
        "results": found,
        **results.unpaged(len(ranking.found), limit),
        "coverage": coverage(ranking),
        "products": results.top_products(found),
    }
    warnings = [*unknown_fields(ask), *seed_warnings(data, ranking, ask.setting)]
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
) -> tuple[list[Body], list[SeedData], Release]:
    answers = await engine.search_all([seed_queries.seed_body(SEED_TYPES[name], text) for name, text in given.items()])
    hits = {name: answer.body["hits"]["hits"] for name, answer in zip(given, answers, strict=True)}
    found = {name: best for name, text in given.items() if (best := best_seed(hits[name], text))}
    unknown = {name: text for name, text in given.items() if name not in found}
    if unknown:
        raise InvalidError(await _unknown_seeds(engine, unknown))
    seeds = [
        {"field": name, "given": given[name], "entity": needs["card"], "matched_by": matched}
        for name, (matched, needs) in found.items()
    ]
    data = [
        await _data(engine, SeedData(name, needs["card"], needs, needs["inherits"]), hits[name], setting)
        for name, (_, needs) in found.items()
    ]
    return seeds, data, answers[0].release


async def _data(engine: Engine, seed: SeedData, hits: Sequence[Mapping[str, Any]], setting: str | None) -> SeedData:
    """What a seed asks for in a setting; a narrow condition asks for what those that speak for it do."""
    speaking = seed.needs.get("heir_of", ())
    if not speaking:
        return replace(seed, needs=in_setting(seed.needs, setting))
    found = {needs["card"]["id"]: needs for needs in map(needs_of, hits)}
    missing = [one for one in speaking if one not in found]
    if missing:  # more entities share the name than one page holds
        documents, _ = await engine.fetch([f"{one}/needs" for one in missing])
        found |= {one: inflated(told["needs"]) for one, told in zip(missing, documents, strict=True) if told}
    voices = [in_setting(found[one], setting) for one in speaking if one in found]
    return replace(seed, needs=joined(voices), voices=voices) if voices else seed


async def _unknown_seeds(engine: Engine, unknown: Mapping[str, str]) -> list[Body]:
    """For each name that nothing has, what is wrong and which names are nearest."""
    answers = await engine.search_all([queries.nearest_body(SEED_TYPES[name], text) for name, text in unknown.items()])
    return [
        _unknown_seed(name, text, results.cards(answer))
        for (name, text), answer in zip(unknown.items(), answers, strict=True)
    ]


def _unknown_seed(name: str, text: str, nearest: Sequence[Body]) -> Body:
    names = [card["name"] for card in nearest]
    hint = f"; nearest: {', '.join(names)}" if names else ""
    return {
        "loc": ["body", name],
        "msg": f"no {SEED_TYPES[name]} is called {text[:LONGEST_ID]!r}{hint}",
        "type": "unknown_seed",
        "input": text,
        "ctx": {"nearest": [{key: card[key] for key in ("id", "slug", "name")} for card in nearest]},
    }
