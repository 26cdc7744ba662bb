"""Reads what the seeds of a request need: their lists, those of parents merged, in the requested setting."""

from collections.abc import Mapping, Sequence

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.graph.catalogue import Catalogue, ReleaseCache
from api.graph.listings import ListOwner, choices_by_setting, first_choices
from api.recommend.ranking import OCCUPATION, SeedData
from api.recommend.seed_lists import DIGITS, MAIN_NEED_FACTOR, needs_of_seed
from api.recommend.seed_needs import NeedRow, SeedNeeds, SolutionRow
from api.recommend.seeds import ResolvedSeed
from api.recommend.setting_filter import filter_by_setting
from schema.edge_documents import edge_page_id

OTHER_NEED_RATE = 0.5  # of what is listed under needs beside the main ones of an inheriting condition
MAX_LEVEL = 7.0  # of O*NET's level scale
DEMAND_DIGITS = 4
MAX_SEEDS = 150  # each has about 250 solutions, 0.3 MB in memory


class SeedReader:
    """Reads the lists of seeds, which are cached for one release; one per service."""

    def __init__(self, engine: SearchEngine, catalogue: Catalogue) -> None:
        self._engine = engine
        self._catalogue = catalogue
        self._needs = ReleaseCache(MAX_SEEDS, self._compute)

    async def read(self, seeds: Mapping[str, ResolvedSeed], setting: str | None, release: Release) -> list[SeedData]:
        """Return the needs of each seed in a setting; a condition that inherits has those of its parents."""
        ids = [id_ for field, seed in seeds.items() if field != OCCUPATION for id_ in seed.list_owners]
        needs = await self._needs.get(ids, release)
        return [
            await self._occupation_data(field, seed, release)
            if field == OCCUPATION
            else seed_data(field, seed, needs, setting)
            for field, seed in seeds.items()
        ]

    async def _compute(self, ids: Sequence[str], release: Release) -> dict[str, SeedNeeds]:
        conditions = [id_ for id_ in ids if id_.startswith("disability:")]
        listings = await self._catalogue.listings(conditions, [id_ for id_ in ids if id_ not in conditions], release)
        return {id_: needs_of_seed(id_, listings) for id_ in ids}

    async def _occupation_data(self, field: str, seed: ResolvedSeed, release: Release) -> SeedData:
        """Return how strongly a job depends on each ability: importance times level, each as a share of its scale."""
        (page,), _ = await self._engine.fetch([edge_page_id(seed.card["id"], "requires", 0)], release)
        demands = {
            edge["target"]: round(edge["weight"] * edge["level"] / MAX_LEVEL, DEMAND_DIGITS)
            for edge in (page["edges"] if page else ())
        }
        needs = SeedNeeds(
            card=seed.card, inherits=(), needs=[], solutions=[], demands=demands, sources=list(seed.hit.sources)
        )
        return SeedData(field, seed.card, needs)


def seed_data(field: str, seed: ResolvedSeed, needs: Mapping[str, SeedNeeds], setting: str | None) -> SeedData:
    """Return the needs of a condition, limitation or function in a setting; `needs` are those of its list owners."""
    if not seed.parents:
        own = needs[seed.card["id"]]
        return SeedData(field, seed.card, filter_by_setting(own, setting), own["inherits"])
    parent_needs = [filter_by_setting(_with_own_facts(needs[parent], seed), setting) for parent in seed.parents]
    inherits = [ListOwner(parent, needs[parent]["card"]["name"], "broader") for parent in seed.parents]
    merged = merge_needs(parent_needs)
    sources = [*seed.hit.sources, *merged["sources"]]
    return SeedData(field, seed.card, {**merged, "sources": sources}, inherits, parent_needs)


def _with_own_facts(parent: SeedNeeds, seed: ResolvedSeed) -> SeedNeeds:
    """Return the needs of a parent with the first choices and main needs of the inheriting condition, if it has any."""
    document, merged = seed.hit.document, parent
    if document.get("first_choices"):
        own_choices = first_choices(document)
        rows: list[SolutionRow] = [{**row, "whole": own_choices.get(row["id"], 0.0)} for row in parent["solutions"]]
        name: str = seed.card["name"]
        merged = {
            **parent,
            "solutions": rows,
            "chosen_for": name,
            "choices_by_setting": choices_by_setting(document),
        }
    if main_needs := frozenset(document.get("main_needs", ())):
        merged = {
            **merged,
            "needs": [_with_own_main(need, main_needs) for need in merged["needs"]],
            "solutions": [_with_own_rates(row, main_needs) for row in merged["solutions"]],
        }
    return merged


def _with_own_rates(row: SolutionRow, main_needs: frozenset[str]) -> SolutionRow:
    """Return a row whose other needs, which the inheriting condition is not known for, count half."""
    under = {need: rate if need in main_needs else rate * OTHER_NEED_RATE for need, rate in row["under"].items()}
    return {**row, "under": under}


def _with_own_main(need: NeedRow, main_needs: frozenset[str]) -> NeedRow:
    """Return a need of a parent, weighted by whether it is a main need of the inheriting condition."""
    is_main = need["entity"]["id"] in main_needs
    weight = need["weight"] / (MAIN_NEED_FACTOR if need["main"] else 1.0) * (MAIN_NEED_FACTOR if is_main else 1.0)
    return {**need, "main": is_main, "weight": round(weight, DIGITS)}


def merge_needs(parents: Sequence[SeedNeeds]) -> SeedNeeds:
    """Return the needs of several parents as one: each need at its greatest weight, each solution at its best rates."""
    needs: dict[str, NeedRow] = {}
    rows: dict[str, SolutionRow] = {}
    for parent in parents:
        for need in parent["needs"]:
            merged_need = needs.get(need["entity"]["id"])
            needs[need["entity"]["id"]] = need if merged_need is None else _merge_need(merged_need, need)
        parent_id = parent["card"]["id"]
        for row in parent["solutions"]:
            merged_row = rows.get(row["id"])
            rows[row["id"]] = (
                {**row, "from": [parent_id]} if merged_row is None else _merge_row(merged_row, row, parent_id)
            )
    sources = [source for parent in parents for source in parent["sources"]]
    return {**parents[0], "needs": list(needs.values()), "solutions": list(rows.values()), "sources": sources}


def _merge_need(merged: NeedRow, need: NeedRow) -> NeedRow:
    heavier = max(merged, need, key=lambda need: need["weight"])
    school = bool(merged.get("school")) and bool(need.get("school"))
    return {**heavier, "main": merged["main"] or need["main"], "school": school}


def _merge_row(merged: SolutionRow, row: SolutionRow, parent: str) -> SolutionRow:
    under = dict(merged["under"])
    for need, rate in row["under"].items():
        under[need] = max(rate, under.get(need, 0.0))
    stated = {need for either in (merged, row) for need in either["under"] if need not in either["usual"]}
    return {
        **merged,
        "under": under,
        "first": {**row["first"], **merged["first"]},
        "whole": max(merged["whole"], row["whole"]),
        "usual": [need for need in under if need not in stated],
        "from": [*merged["from"], parent],
    }
