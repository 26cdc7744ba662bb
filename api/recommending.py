"""Recommend: seeds → their needs → ranked solutions → products, in two engine requests when seeds are well named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from api import queries, results
from api.errors import InvalidError
from api.naming import LONGEST_ID, MATCHED_BY, SEED_TYPES, matched_by, no_seed, unknown_fields
from api.narrowing import in_setting
from api.ranking import SeedData, rank
from api.results import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.engine import Engine, Release
    from api.models import RecommendRequest

Body = dict[str, Any]
LIMIT = 20


async def recommend(engine: Engine, ask: RecommendRequest) -> Reply:
    """Ranked solutions with the chain that leads to each. Two engine requests."""
    given = {name: str(value).strip() for name in SEED_TYPES if (value := getattr(ask, name)) and str(value).strip()}
    if not given:
        raise no_seed(ask)
    limit = ask.limit or LIMIT
    seeds, data, release = await _seeds(engine, given)
    data = [replace(seed, needs=in_setting(seed.needs, ask.setting)) for seed in data]
    ranking = rank(data)
    ranked = ranking.found
    shown = ranked[:limit]
    products, sources = await _products(engine, [one.card["id"] for one in shown])
    names = {seed["field"]: seed["entity"]["name"] for seed in seeds}
    found = [
        results.recommendation(place, one, own, names)
        for place, (one, own) in enumerate(zip(shown, products, strict=True), start=1)
    ]
    needs = {need["entity"]["id"]: need["entity"] for seed in data for need in seed.needs["needs"]}
    covered = [
        {"entity": need, "solutions": sum(any(one[0]["id"] == key for one in row.answers) for row in ranked)}
        for key, need in needs.items()
    ]
    body = {
        "seeds": seeds,
        "results": found,
        **results.unpaged(len(ranked), limit),
        "coverage": covered,
        "products": results.top_products(found),
    }
    warnings = [*unknown_fields(ask), *results.seed_warnings(seeds, ranking, ask.setting)]
    return Reply(body | ({"warnings": warnings} if warnings else {}), release, sources)


async def _products(engine: Engine, solutions: Sequence[str]) -> tuple[list[list[Body]], list[str]]:
    """The products to show with each solution, and the sources they rest on."""
    if not solutions:
        return [], []
    documents, _ = await engine.fetch([f"{solution}/products" for solution in solutions])
    found = [document["products"] if document else {"items": [], "sources": []} for document in documents]
    return [one["items"] for one in found], [source for one in found for source in one["sources"]]


async def _seeds(engine: Engine, given: Mapping[str, str]) -> tuple[list[Body], list[SeedData], Release]:
    bodies = [queries.seed_body(SEED_TYPES[name], text) for name, text in given.items()]
    answers = await engine.search_all(bodies)
    seeds, data, problems = [], [], []
    for (name, text), answer in zip(given.items(), answers, strict=True):
        found = [(matched_by(hit["_source"], text), hit["_source"]) for hit in answer.body["hits"]["hits"]]
        found = found or await _seed_by_words(engine, name, text)
        if not found:
            problems.append(await _unknown_seed(engine, name, text))
            continue
        matched, source = min(found, key=lambda one: MATCHED_BY.index(one[0]))
        seeds.append({"field": name, "given": text, "entity": source["needs"]["card"], "matched_by": matched})
        data.append(SeedData(name, source["needs"]))
    if problems:
        raise InvalidError(problems)
    return seeds, data, answers[0].release


async def _seed_by_words(engine: Engine, name: str, text: str) -> list[tuple[str, Mapping[str, Any]]]:
    """A seed whose whole name was meant but for plural or stem ("memory losses"), as search would find it."""
    ask = queries.Search(text[: queries.LONGEST], (SEED_TYPES[name],), 1, facets=False)
    answer = await engine.search(queries.search_body(ask))
    hits = answer.body["hits"]["hits"]
    if not hits or queries.WHOLE.isdisjoint(queries.tiers_of(hits[0])):
        return []
    (document,), _ = await engine.fetch([f"{hits[0]['_id']}/needs"])
    tier = "name" if queries.NAME_FORM in queries.tiers_of(hits[0]) else "alias"
    return [(tier, document)] if document else []


async def _unknown_seed(engine: Engine, name: str, text: str) -> Body:
    nearest = results.cards(await engine.search(queries.nearest_body(SEED_TYPES[name], text)))
    names = [card["name"] for card in nearest]
    hint = f"; nearest: {', '.join(names)}" if names else ""
    return {
        "loc": ["body", name],
        "msg": f"no {SEED_TYPES[name]} is called {text[:LONGEST_ID]!r}{hint}",
        "type": "unknown_seed",
        "input": text,
        "ctx": {"nearest": [{key: card[key] for key in ("id", "slug", "name")} for card in nearest]},
    }
