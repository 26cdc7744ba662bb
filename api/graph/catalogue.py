"""Reads conditions, needs, solutions and their products, and caches them in bounded memory for one release.

They never change within a release, and many responses depend on the same ones. Each is read from the index on first
use, and all are dropped when the release changes.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Generic, TypeVar

from api.engine.release import Release
from api.engine.search_engine import SearchEngine
from api.graph.edges import edges_by_entity, pages_body
from api.graph.listings import STATED, Condition, Listings, Need, Solution
from api.graph.paths import Intermediate
from api.graph.products import Products, SourcedCard, select_products
from api.graph.query_bodies import MAX_HITS, MAX_INTERMEDIATE_PAGES, intermediate_pages_body
from schema.document_ids import ENTITY
from schema.json_types import JsonObject

MAX_CONDITIONS = 250  # each has about 200 edges, 0.3 MB in memory
MAX_NEEDS = 2_000
MAX_SOLUTIONS = 10_000
MAX_CARDS = 10_000
INTERMEDIATES = "all"  # the only key of their cache: all are read at once
NEED_MEMBERS = (
    *("target", "target_name", "weight", "basis", "sources", "pages", "first_choice"),
    *("school_weight", "school_basis", "school_sources"),
)
CONDITION_FIELDS = ("inherits", "ancestors", "main_needs", "first_choices")
NEED_FIELDS = (
    *("specificity", "listing_conditions", "rarity", "similar_limitations"),
    *("inherits", "first_choices"),
)
SOLUTION_FIELDS = (
    *("rarity", "school_rarity", "settings", "made_for", "is_modification"),
    *("sides", "worsens", "opposed_sides", "not_for", "cautions"),
)

T = TypeVar("T")


def entities_body(ids: Sequence[str], fields: Sequence[str] = ()) -> JsonObject:
    """The cards, the sources and these fields of entities by full id."""
    return {
        "size": MAX_HITS,
        "_source": list(fields) or False,
        "docvalue_fields": ["card", "sources"],
        "query": {"bool": {"filter": [{"term": {"doc": ENTITY}}, {"ids": {"values": list(ids)}}]}},
    }


class ReleaseCache(Generic[T]):
    """Values of one release by id, at most `size` of them: a full cache is emptied."""

    def __init__(self, size: int, read: Callable[[Sequence[str], Release], Awaitable[Mapping[str, T]]]) -> None:
        self._size = size
        self._read = read
        self._index = ""
        self._values: dict[str, T] = {}

    async def get(self, ids: Iterable[str], release: Release) -> dict[str, T]:
        """Return the values of these ids, without those that do not exist."""
        wanted = list(dict.fromkeys(ids))
        cached = self._values if self._index == release.index else {}
        found = {id_: cached[id_] for id_ in wanted if id_ in cached}
        if missing := [id_ for id_ in wanted if id_ not in found]:
            values = await self._read(missing, release)
            if self._index != release.index or len(self._values) + len(values) > self._size:
                self._index, self._values = release.index, {}
            if len(values) <= self._size:
                self._values.update(values)
            found |= values
        return found


class Catalogue:
    """The entities of the live release that many responses share; one per service."""

    def __init__(self, engine: SearchEngine) -> None:
        self._engine = engine
        self._conditions = ReleaseCache(MAX_CONDITIONS, self._read_conditions)
        self._needs = ReleaseCache(MAX_NEEDS, self._read_needs)
        self._solutions = ReleaseCache(MAX_SOLUTIONS, self._read_solutions)
        self._products = ReleaseCache(MAX_SOLUTIONS, self._read_products)
        self._cards = ReleaseCache(MAX_CARDS, self._read_cards)
        self._intermediates = ReleaseCache(1, self._read_intermediates)
        self.conditions = self._conditions.get
        self.needs = self._needs.get
        self.solutions = self._solutions.get
        self.products = self._products.get
        self.cards = self._cards.get

    async def listings(
        self, conditions: Iterable[str], needs: Iterable[str], release: Release, *, with_solutions: bool = True
    ) -> Listings:
        """Return conditions and needs with all entities on whose lists they depend."""
        found = await self.conditions(conditions, release)
        owners = [owner.id for condition in found.values() for owner in condition.inherits]
        if owners:
            found |= await self.conditions(owners, release)
        stated = {
            need: None
            for condition in found.values()
            for need in chain(condition.stated_needs, *condition.listed.values())
        }
        found_needs = await self.needs([*needs, *stated], release)
        need_owners = [owner.id for need in found_needs.values() if not need.rates for owner in need.inherits]
        if need_owners:
            found_needs |= await self.needs(need_owners, release)
        if not with_solutions:
            return Listings(found, found_needs, {})
        solutions: dict[str, None] = {}
        for condition in found.values():
            solutions |= dict.fromkeys((*condition.listed, *condition.school))
        for need in found_needs.values():
            solutions |= dict.fromkeys((*need.rates, *need.school))
        return Listings(found, found_needs, await self.solutions(solutions, release))

    async def intermediates(self, release: Release) -> Mapping[str, Intermediate]:
        """Return the limitations, functions and abilities, by id; none if they have too many edges for the memory."""
        return (await self._intermediates.get([INTERMEDIATES], release))[INTERMEDIATES]

    async def _read_conditions(self, ids: Sequence[str], release: Release) -> dict[str, Condition]:
        edges = (*STATED, "recommends")
        bodies = [entities_body(ids, CONDITION_FIELDS), pages_body(ids, edges)]
        entities, pages = await self._engine.search_all(bodies, of=release)
        edges_of = edges_by_entity(pages)
        return {(id_ := hit.card["id"]): Condition.parse(hit, edges_of.get(id_, {})) for hit in entities.hits}

    async def _read_needs(self, ids: Sequence[str], release: Release) -> dict[str, Need]:
        bodies = [entities_body(ids, NEED_FIELDS), pages_body(ids, ("recommends", "limits"), NEED_MEMBERS)]
        entities, pages = await self._engine.search_all(bodies, of=release)
        edges_of = edges_by_entity(pages)
        return {(id_ := hit.card["id"]): Need.parse(hit, edges_of.get(id_, {})) for hit in entities.hits}

    async def _read_solutions(self, ids: Sequence[str], release: Release) -> dict[str, Solution]:
        response = await self._engine.search(entities_body(ids, SOLUTION_FIELDS), of=release)
        return {hit.card["id"]: Solution.parse(hit) for hit in response.hits}

    async def _read_products(self, ids: Sequence[str], release: Release) -> dict[str, Products]:
        response = await self._engine.search(pages_body(ids, ("implemented_by",)), of=release)
        selected = {
            solution: select_products(by_name["implemented_by"])
            for solution, by_name in edges_by_entity(response).items()
        }
        vendors = await self._cards.get(
            (edge["vendor"] for edges in selected.values() for edge in edges if "vendor" in edge), release
        )
        return {solution: Products.of(selected.get(solution, ()), vendors) for solution in ids}

    async def _read_cards(self, ids: Sequence[str], release: Release) -> dict[str, SourcedCard]:
        response = await self._engine.search(entities_body(ids), of=release)
        return {hit.card["id"]: SourcedCard(hit.card, hit.sources) for hit in response.hits}

    async def _read_intermediates(self, keys: Sequence[str], release: Release) -> dict[str, Mapping[str, Intermediate]]:
        body = intermediate_pages_body()
        count = await self._engine.search({**body, "size": 0}, of=release)
        is_small = count.total <= MAX_INTERMEDIATE_PAGES  # else reading some of them takes seconds, for nothing
        edges = edges_by_entity(await self._engine.search(body, of=release)) if is_small else {}
        return {key: {node: Intermediate.parse(by_name) for node, by_name in edges.items()} for key in keys}
