"""Recommends solutions: resolves the request, reads the lists of its seeds, ranks, and adds products."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.graph.catalogue import Catalogue
from api.graph.guidance import GUIDANCE_NOTE
from api.recommend.explanations import coverage, describe_solution, recommendation_warnings
from api.recommend.job_needs import read_job_needs
from api.recommend.ranking import OCCUPATION, RankedSolution, Ranking, rank
from api.recommend.request_seeds import ReadQuestion, ResolvedRequest, resolve_request
from api.recommend.safety import SafeData
from api.recommend.seed_data import SeedReader
from api.recommend.seed_errors import unknown_field_warnings
from api.recommend.seeds import RecommendQuery, ResolvedSeed, SeedText, resolve_seeds
from api.result import ServiceResult, ambiguity_warnings, request_warning, single_page
from api.search.guides.index import SOURCES as GUIDE_SOURCES
from api.search.query import ParsedQuery
from schema.json_types import JsonObject

DEFAULT_LIMIT = 20  # solutions
MAX_LIMIT = 500  # of every other list, too; a larger limit is valid, because its bounds are not specified
MAX_TOP_PRODUCTS = 20
FEW_IN_SETTING = 5  # with fewer, those for other settings follow
FIRST_OF_NEED = 4  # solutions for each need of a job alone
WAY_IN = "A job alone says little about a person. These are needs that it makes hard; choose what applies."


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranked request: the solutions in their order, ids of those outside the setting, and groups by need of a job."""

    safe: SafeData
    ranking: Ranking
    solutions: Sequence[RankedSolution]
    outside: frozenset[str] = frozenset()
    groups: Sequence[JsonObject] = ()
    warnings: Sequence[JsonObject] = field(default=())


class Recommender:
    """Recommends for requests. It has no state but the caches of what it reads."""

    def __init__(self, engine: SearchEngine, catalogue: Catalogue, read_question: ReadQuestion) -> None:
        self._engine = engine
        self._catalogue = catalogue
        self._reader = SeedReader(engine, catalogue)
        self._read_question = read_question

    async def recommend(self, query: RecommendQuery) -> ServiceResult:
        """Return ranked solutions with the reasons for each.

        One request to OpenSearch resolves the seeds, another reads what a job requires. A question and what is not
        cached take more.
        """
        resolved = await resolve_request(self._engine, self._read_question, query)
        if not resolved.seeds:  # guides, solutions or words of a setting alone
            safe = await SafeData.of(self._catalogue, (), (), resolved.release, {})
            return await self._result(query, resolved, Ranked(safe, Ranking((), 0, ()), ()))
        only_jobs = all(seed.field == OCCUPATION for seed in resolved.seeds)
        ranked = await (self._rank_for_job(resolved) if only_jobs else self._rank(resolved))
        return await self._result(query, resolved, ranked)

    async def _rank(self, resolved: ResolvedRequest) -> Ranked:
        safe, ranking = await self._ranking(resolved.seeds, resolved, resolved.setting)
        few = len(ranking.solutions) < FEW_IN_SETTING
        warnings = recommendation_warnings(safe.data, ranking, resolved.setting)
        if not resolved.setting or not few:
            return Ranked(safe, ranking, ranking.solutions, warnings=warnings)
        everywhere, others = await self._ranking(resolved.seeds, resolved, None)
        inside = {one.id for one in ranking.solutions}
        outside = [one for one in others.solutions if one.id not in inside]
        if not outside:
            return Ranked(safe, ranking, ranking.solutions, warnings=warnings)
        count = len(inside) or "None"
        verb = "is" if len(inside) == 1 else "are"
        message = f"{count} of these {verb} for the setting ‘{resolved.setting}’; those for others follow."
        shown = [*ranking.solutions, *outside]
        warnings = [request_warning("setting", message)]
        return Ranked(everywhere, others, shown, frozenset(one.id for one in outside), warnings=warnings)

    async def _ranking(
        self, seeds: Sequence[ResolvedSeed], resolved: ResolvedRequest, setting: str | None
    ) -> tuple[SafeData, Ranking]:
        data = await self._reader.read(seeds, setting, resolved.release)
        safe = await SafeData.of(self._catalogue, seeds, data, resolved.release, resolved.excluded)
        return safe, rank(safe.data, safe.other_side)

    async def _rank_for_job(self, resolved: ResolvedRequest) -> Ranked:
        """Return the first solutions for each of the needs that a job makes hard."""
        demands: dict[str, float] = {}
        for data in await self._reader.read(resolved.seeds, None, resolved.release):
            demands |= data.needs["demands"]
        needs = await read_job_needs(self._engine, self._catalogue, demands, resolved.release)
        texts = [SeedText("limitation", ParsedQuery.parse(need.id)) for need in needs]
        seeds, _, _ = await resolve_seeds(self._engine, texts) if texts else ([], [], None)
        safe, ranking = await self._ranking([*seeds, *resolved.seeds], resolved, resolved.setting)
        jobs = [data for data in safe.data if data.field == OCCUPATION]
        by_id = {data.card["id"]: data for data in safe.data}
        used: set[str] = set()
        firsts: list[Sequence[RankedSolution]] = []
        groups = []
        for need in needs:
            first = rank([by_id[need.id], *jobs], safe.other_side).solutions
            new = [one for one in first if one.id not in used][:FIRST_OF_NEED]
            used |= {one.id for one in new}
            firsts.append(new)
            groups.append({"entity": by_id[need.id].card, "job": need.ability, "results": [one.id for one in new]})
        # The first of each need before any second, so that each has some on a short page.
        shown = [one for same_place in zip_longest(*firsts) for one in same_place if one]
        if shown:
            warnings = [request_warning(OCCUPATION, WAY_IN)]
        else:
            warnings = recommendation_warnings(safe.data, ranking, resolved.setting)
        return Ranked(safe, ranking, shown, groups=groups, warnings=warnings)

    async def _result(self, query: RecommendQuery, resolved: ResolvedRequest, ranked: Ranked) -> ServiceResult:
        catalogue, release, safe = self._catalogue, resolved.release, ranked.safe
        limit = min(query.request.limit or DEFAULT_LIMIT, MAX_LIMIT)
        shown = _by_group(ranked.solutions[:limit], ranked.groups)
        results, sources = await _with_products(catalogue, shown, ranked.outside, release)
        if any(seed.is_acute for seed in resolved.seeds):  # what to do first is no product
            results = [{**result, "products": []} for result in results]
        await safe.add_cautions(catalogue, results, release)
        cautions = await safe.cautions(catalogue, release)
        sources += [*safe.sources, *(source for seed in safe.data for source in seed.needs["sources"])]
        sources += [*(source for seed in resolved.seeds for source in seed.hit.sources)]
        sources += resolved.reading.sources if resolved.reading else ()
        sources += GUIDE_SOURCES if resolved.reading and resolved.reading.guides else ()
        body = {
            "reading": resolved.reading.as_json() if resolved.reading else None,
            "guides": [guide.brief() for guide in resolved.reading.guides] if resolved.reading else [],
            "seeds": [
                {"field": seed.field, "given": seed.given, "entity": seed.card, "matched_by": seed.matched_by}
                for seed in resolved.seeds
            ],
            "results": results,
            **single_page(len(ranked.solutions), limit),
            "left_out": safe.left_out,
            "cautions": cautions,
            "guidance_note": GUIDANCE_NOTE,
            "coverage": coverage(ranked.ranking, shown),
            "groups": _shown_groups(ranked.groups, {one.id for one in shown}),
            "products": top_products(results),
        }
        warnings = [*_warnings(query, resolved), *ranked.warnings]
        return ServiceResult(body | ({"warnings": warnings} if warnings else {}), release, sources)


def _warnings(query: RecommendQuery, resolved: ResolvedRequest) -> list[JsonObject]:
    """Return warnings about unknown fields, a large limit, texts that name several entities, and what has no effect."""
    warnings = unknown_field_warnings(query.request)
    if (query.request.limit or 0) > MAX_LIMIT:
        message = f"limit is more than {MAX_LIMIT:,}; at most {MAX_LIMIT:,} results are returned"
        warnings.append(request_warning("limit", message, str(MAX_LIMIT)))
    for seed in resolved.seeds:
        warnings += ambiguity_warnings(
            seed.field, seed.given, seed.card, seed.alternatives, ". Send an id to choose another."
        )
    return [*warnings, *resolved.warnings]


def _shown_groups(groups: Sequence[JsonObject], shown: Container[str]) -> list[JsonObject]:
    """Return the groups by need of a job with the solutions that the page shows, without empty ones."""
    with_shown = [{**group, "results": [id_ for id_ in group["results"] if id_ in shown]} for group in groups]
    return [group for group in with_shown if group["results"]]


def _by_group(solutions: Sequence[RankedSolution], groups: Sequence[JsonObject]) -> Sequence[RankedSolution]:
    """Return the solutions of a page in the order of the groups by need of a job, if there are any."""
    if not groups:
        return solutions
    by_id = {one.id: one for one in solutions}
    return [by_id[id_] for group in groups for id_ in group["results"] if id_ in by_id]


async def _with_products(
    catalogue: Catalogue, ranked: Sequence[RankedSolution], outside: frozenset[str], release: Release
) -> tuple[list[JsonObject], list[str]]:
    """Return the results with their cards and products, and the ids of their sources."""
    ids = [solution.id for solution in ranked]
    solutions, products = await catalogue.solutions(ids, release), await catalogue.products(ids, release)
    results: list[JsonObject] = []
    sources: list[str] = []
    for position, solution in enumerate(ranked, start=1):
        facts, shown = solutions[solution.id], products[solution.id]
        described = describe_solution(position, solution, outside_setting=solution.id in outside)
        results.append({**facts.card, **described, "products": shown.cards})
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
