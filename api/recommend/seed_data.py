"""Reads what the seeds of a request need: their lists, those of parents merged, in the requested setting."""

from collections.abc import Mapping, Sequence

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.graph.catalogue import Catalogue, ReleaseCache
from api.graph.listings import ListOwner, Solution
from api.recommend.inherited_lists import merge_needs, own_choices, prefer_own_choices, with_own_facts
from api.recommend.ranking import OCCUPATION, SeedData
from api.recommend.seed_lists import needs_of_seed
from api.recommend.seed_needs import SeedNeeds
from api.recommend.seeds import ResolvedSeed
from api.recommend.setting_filter import filter_by_setting
from schema.edge_documents import edge_page_id

MAX_LEVEL = 7.0  # of O*NET's level scale
DEMAND_DIGITS = 4
MAX_SEEDS = 150  # each has about 250 solutions, 0.3 MB in memory


class SeedReader:
    """Reads the lists of seeds, which are cached for one release; one per service."""

    def __init__(self, engine: SearchEngine, catalogue: Catalogue) -> None:
        self._engine = engine
        self._catalogue = catalogue
        self._needs = ReleaseCache(MAX_SEEDS, self._compute)

    async def read(self, seeds: Sequence[ResolvedSeed], setting: str | None, release: Release) -> list[SeedData]:
        """Return the needs of each seed in a setting; a condition that inherits has those of its parents."""
        ids = [id_ for seed in seeds if seed.field != OCCUPATION for id_ in seed.list_owners]
        needs = await self._needs.get(ids, release)
        solutions = await self._catalogue.solutions([id_ for seed in seeds for id_ in own_choices(seed)], release)
        return [
            await self._occupation_data(seed, release)
            if seed.field == OCCUPATION
            else seed_data(seed, needs, solutions, setting)
            for seed in seeds
        ]

    async def _compute(self, ids: Sequence[str], release: Release) -> dict[str, SeedNeeds]:
        conditions = [id_ for id_ in ids if id_.startswith("disability:")]
        listings = await self._catalogue.listings(conditions, [id_ for id_ in ids if id_ not in conditions], release)
        return {id_: needs_of_seed(id_, listings) for id_ in ids}

    async def _occupation_data(self, seed: ResolvedSeed, release: Release) -> SeedData:
        """Return how strongly a job depends on each ability: importance times level, each as a share of its scale."""
        (page,), _ = await self._engine.fetch([edge_page_id(seed.card["id"], "requires", 0)], release)
        demands = {
            edge["target"]: round(edge["weight"] * edge["level"] / MAX_LEVEL, DEMAND_DIGITS)
            for edge in (page["edges"] if page else ())
        }
        needs = SeedNeeds(
            card=seed.card, inherits=(), needs=[], solutions=[], demands=demands, sources=list(seed.hit.sources)
        )
        return SeedData(seed.field, seed.card, needs)


def seed_data(
    seed: ResolvedSeed,
    needs: Mapping[str, SeedNeeds],
    solutions: Mapping[str, Solution],
    setting: str | None,
) -> SeedData:
    """Return the needs of a condition, limitation or function in a setting.

    `needs` are those of its list owners, `solutions` the first choices for a condition that inherits.
    """
    if not seed.parents:
        own = needs[seed.card["id"]]
        return SeedData(seed.field, seed.card, filter_by_setting(own, setting), own["inherits"])
    adapted = [with_own_facts(needs[parent], seed, solutions) for parent in seed.parents]
    parent_needs = [prefer_own_choices(filter_by_setting(parent, setting), setting) for parent in adapted]
    inherits = [ListOwner(parent, needs[parent]["card"]["name"], "broader") for parent in seed.parents]
    merged = merge_needs(parent_needs)
    sources = [*seed.hit.sources, *merged["sources"]]
    return SeedData(seed.field, seed.card, {**merged, "sources": sources}, inherits, parent_needs)
