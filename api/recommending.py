"""Recommend: seeds → their needs → ranked solutions → products, in two engine requests."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from api import results, seed_queries
from api.inflated import inflated
from api.inheriting import joined, preferring
from api.naming import SEED_TYPES, best_seed, needs_of, no_seed, seed_namesakes, unknown_fields
from api.narrowing import in_setting
from api.ranking import SeedData
from api.results import Reply
from api.telling import KEPT, told
from api.unknown_seeds import unknown_seeds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from api.engine import Engine
    from api.models import RecommendRequest
    from api.naming import Understood
    from api.release import Release

Body = dict[str, Any]
LIMIT = 20


async def recommend(engine: Engine, ask: RecommendRequest) -> Reply:
    """Ranked solutions with the chain that leads to each. Two engine requests, one where the products are known."""
    given = {name: str(value).strip() for name in SEED_TYPES if (value := getattr(ask, name)) and str(value).strip()}
    if not given:
        raise no_seed(ask)
    limit = ask.limit or LIMIT
    understood, hits, release = await _understood(engine, given)
    answer = _kept(understood, ask.setting, limit)
    if answer is None:
        data = [await _data(engine, name, one, hits[name], ask.setting, release) for name, one in understood.items()]
        answer = told(data, ask.setting, limit)
    found, sources = await _with_products(engine, answer["results"][:limit], release)
    body = {
        "seeds": [
            {"field": name, "given": given[name], "entity": one.card, "matched_by": one.matched_by}
            for name, one in understood.items()
        ],
        "results": found,
        **results.unpaged(answer["total"], limit),
        "coverage": answer["coverage"],
        "products": results.top_products(found),
    }
    alike = [line for name, one in understood.items() for line in seed_namesakes(name, given[name], one)]
    warnings = [*unknown_fields(ask), *alike, *answer["warnings"]]
    return Reply(body | ({"warnings": warnings} if warnings else {}), release, sources)


def _kept(understood: Mapping[str, Understood], setting: str | None, limit: int) -> Mapping[str, Any] | None:
    """The answer that the release keeps for one seed alone, if that is what was asked for."""
    if len(understood) > 1 or setting is not None or limit > KEPT:
        return None
    return next(iter(understood.values())).kept


async def _with_products(
    engine: Engine, ranked: Sequence[Mapping[str, Any]], release: Release
) -> tuple[list[Body], list[str]]:
    """The results with their cards and products, and the sources that they rest on."""
    if not ranked:
        return [], []
    documents = await engine.fetch_shared([f"{one['id']}/products" for one in ranked], release)
    known = [(one, document["products"]) for one, document in zip(ranked, documents, strict=True) if document]
    found = [{**own["card"], **one["line"], "products": own["items"]} for one, own in known]
    naming = [source for one, _ in known for source in one["sources"]]
    return found, [*naming, *(source for _, own in known for source in own["sources"])]


async def _understood(
    engine: Engine, given: Mapping[str, str]
) -> tuple[Mapping[str, Understood], Mapping[str, Sequence[Mapping[str, Any]]], Release]:
    """What each seed was understood to be, and all hits for it: those that speak for it may be among them."""
    answers = await engine.search_all([seed_queries.seed_body(SEED_TYPES[name], text) for name, text in given.items()])
    release = answers[0].release
    hits = {name: answer.body["hits"]["hits"] for name, answer in zip(given, answers, strict=True)}
    found = {name: best for name, text in given.items() if (best := best_seed(hits[name], text))}
    unknown = {name: text for name, text in given.items() if name not in found}
    if unknown:
        raise await unknown_seeds(engine, unknown, release)
    return found, hits, release


async def _data(
    engine: Engine,
    field: str,
    found: Understood,
    hits: Sequence[Mapping[str, Any]],
    setting: str | None,
    release: Release,
) -> SeedData:
    """What a seed asks for in a setting; a narrow condition asks for what those that speak for it do."""
    own = found.needs
    seed = SeedData(field, own["card"], own, own["inherits"])
    speaking = seed.needs.get("heir_of", ())
    if not speaking:
        return replace(seed, needs=in_setting(seed.needs, setting))
    voiced = {needs["card"]["id"]: needs for needs in map(needs_of, hits)}
    missing = [one for one in speaking if one not in voiced]
    if missing:  # more entities share the name than one page holds
        documents, _ = await engine.fetch([f"{one}/needs" for one in missing], release)
        voiced |= {one: inflated(told["needs"]) for one, told in zip(missing, documents, strict=True) if told}
    heard = [preferring(voiced[one], seed.needs) for one in speaking if one in voiced]
    voices = [in_setting(one, setting) for one in heard]
    return replace(seed, needs=joined(voices), voices=voices) if voices else seed
