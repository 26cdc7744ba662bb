"""A synthetic graph of any size with the structure of the shipped graph.

An entity and its edges are derived from the seed, its type and its number, so any part can be generated alone. Most of
the graph is blocks of 1,197 entities in the proportions of the shipped graph, with edges inside the block. All blocks
share the abilities, which occupations require, and two hubs with up to 25,000 products each.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from bench.scale.words import CATEGORY, FIRST, mixed, noun, spread, word
from indexer.content.rows import Alias, Content, Entity, Link, Rating, Recommendation, RelatedOccupation, Source
from schema.entity_kinds import MAIN, NARROWER

CONDITION, NARROW = "disability", "narrower"
BLOCK = {  # entities per block: a tenth of the shipped graph
    CONDITION: 10,
    NARROW: 506,
    "limitation": 14,
    "workrelatedfunction": 2,
    "solution": 80,
    "product": 423,
    "vendor": 67,
    "occupation": 95,
}
ABILITIES = 52
ALIASES = {CONDITION: 5, NARROW: 2, "occupation": 4, "solution": 2, "limitation": 3}
MAX_ALIASES = max(ALIASES.values())
ANOTHER_NOUN = 4  # one in this many aliases has another noun than the name
LIMITED, STRENGTHS = 4, (0.25, 0.5, 0.75, 1.0)  # abilities per limitation, and weights
SECOND_LEVEL = 400  # the first narrower conditions of a block, whose parent is a main condition
HUB = 25_000  # maximum edges of a hub
HUB_SHARE = 0.6  # maximum share of all products
RATED = 13  # abilities that an occupation requires, of 52: each ability is required by a quarter of all occupations
KINDS = tuple(FIRST)
FAMILIES = ("assistive", "assistive", "ergonomic", "protective", "mainstream")
GROUPS = {"limitation": ("physical", "cognitive", "vision"), "ability": ("cognitive", "physical", "sensory")}
SOURCE = "synthetic"
HUB_NUMBER = 0  # of the hub vendor and the hub solution; those of the blocks follow
SHARED = (("vendor", HUB_NUMBER), ("solution", HUB_NUMBER), *(("ability", number) for number in range(ABILITIES)))


@dataclass(frozen=True, slots=True)
class World:
    """A graph with `blocks` blocks, generated from a seed."""

    blocks: int
    seed: int = 1

    @staticmethod
    def from_size(entities: int, seed: int = 1) -> "World":
        """Return the world with about this number of entities."""
        return World(max(1, round((entities - ABILITIES - 2) / sum(BLOCK.values()))), seed)

    def size(self, kind: str) -> int:
        """Return the number of entities of a kind; `narrower` is a separate kind."""
        if kind == "ability":
            return ABILITIES
        return BLOCK[kind] * self.blocks + (kind in ("vendor", "solution"))

    @property
    def entities(self) -> int:
        return sum(self.size(kind) for kind in KINDS)

    def numbers(self, kind: str, block: int) -> range:
        first = block * BLOCK[kind] + (kind in ("vendor", "solution"))
        return range(first, first + BLOCK[kind])

    def rank(self, kind: str, number: int) -> int:
        """Return the rank of an entity by name within its kind."""
        return mixed(number, self.size(kind))

    def position(self, kind: str, number: int) -> int:
        """Return the list position within its type: narrower conditions come last."""
        return self.rank(kind, number) + (self.size(CONDITION) if kind == NARROW else 0)

    def name(self, kind: str, number: int) -> str:
        rank = self.rank(kind, number)
        return f"{spread(rank, self.size(kind), KINDS.index(kind), len(KINDS))} {noun(kind, rank)}"

    def id(self, kind: str, number: int) -> str:
        if kind == "occupation":
            major, minor = divmod(number, 10_000)
            return f"occupation:{11 + major}-{minor:04}.00"
        if kind == "ability":
            return f"ability:1.A.{1 + number // 21}.{'abcdefg'[number // 3 % 7]}.{1 + number % 3}"
        return f"{_type_of(kind)}:{_slug(self.name(kind, number))}"

    def entity(self, kind: str, number: int) -> Entity:
        name, key = self.name(kind, number), self.id(kind, number)
        facts = dict(_facts(kind, number))
        short = f"{name} is number {number + 1} of its kind, and what {word(number * 7919)} and others ask about."
        plain = f"{name} shows in one way on some days and in another on others." if kind in (CONDITION, NARROW) else ""
        return Entity(key, _type_of(kind), _slug(name), name, short, plain, "", (SOURCE,), facts)

    def aliases(self, kind: str, number: int) -> Iterator[Alias]:
        """Yield aliases: many for conditions, few for others."""
        size, rank = self.size(kind) * MAX_ALIASES, self.rank(kind, number)
        for turn in range(ALIASES.get(kind, 0)):
            place = rank * MAX_ALIASES + turn
            after = noun(kind, rank if place % ANOTHER_NOUN else place).lower()
            text = f"{spread(place, size, KINDS.index(kind), len(KINDS))}ly {after}"
            yield Alias(self.id(kind, number), text, "title" if kind == "occupation" else "synonym", (SOURCE,))

    def ratings(self, number: int) -> Iterator[Rating]:
        stride = ABILITIES // RATED
        yield from (self.rating(number, ability) for ability in range(number % stride, ABILITIES, stride))

    def raters(self, ability: int) -> range:
        stride = ABILITIES // RATED
        return range(ability % stride, self.size("occupation"), stride)

    def rating(self, number: int, ability: int) -> Rating:
        importance = 3 + (number * 31 + ability * 17) % 200 / 100
        level = round(importance * 1.2, 2)
        return Rating(self.id("occupation", number), self.id("ability", ability), importance, level, (SOURCE,))

    def is_hub_product(self, product: int) -> bool:
        """Return whether a product has links to the hubs."""
        size = self.size("product")
        maximum = min(HUB, int(HUB_SHARE * size))
        return (product + 1) * maximum // size > product * maximum // size

    def limits(self, block: int) -> list[Link]:
        """Return the links from the limitations of a block to abilities."""
        rng = Random(f"{self.seed}/limits/{block}")  # noqa: S311 - not a secret
        return [
            _editorial("limits", self.id("limitation", number), self.id("ability", ability), rng.choice(STRENGTHS))
            for number in self.numbers("limitation", block)
            for ability in rng.sample(range(ABILITIES), LIMITED)
        ]

    def hub_link(self, kind: str, product: int) -> Link:
        hub, key = self.id(kind, HUB_NUMBER), self.id("product", product)
        return _implements(hub, key) if kind == "solution" else Link("sold_by", key, hub, "source", (SOURCE,))

    def block(self, number: int) -> Content:
        """Return the entities of a block, the hubs and the abilities, and every row with an entity of the block."""
        made = _Block(self, number)
        kinds = [(kind, one) for kind in BLOCK for one in self.numbers(kind, number)]
        return self.content(
            tuple(self.entity(*one) for one in (*kinds, *SHARED)),
            aliases=tuple(alias for one in kinds for alias in self.aliases(*one)),
            links=tuple(made.links()),
            recommendations=tuple(made.recommendations()),
            ratings=tuple(rating for one in self.numbers("occupation", number) for rating in self.ratings(one)),
            related_occupations=tuple(made.related()),
        )

    def content(self, entities: tuple[Entity, ...], **rows: tuple[Any, ...]) -> Content:
        """Return a content with these entities and rows; other tables are empty."""
        names = ("aliases", "links", "recommendations", "ratings", "related_occupations")
        tables: dict[str, Any] = dict.fromkeys(names, ())
        return Content(sources=(source(),), entities=entities, **{**tables, **rows}, redirects={}, version=self.version)

    @property
    def version(self) -> str:
        return f"synthetic-{self.seed}-{self.blocks}"


class _Block:
    """The links and relations within one block."""

    def __init__(self, world: World, number: int) -> None:
        self._world = world
        self._number = number
        self._chance = Random(f"{world.seed}/{number}")  # noqa: S311 - not a secret
        self._ids = {kind: [world.id(kind, one) for one in world.numbers(kind, number)] for kind in BLOCK}
        self._weights = [
            1 / (place + 1) for place in range(BLOCK["solution"])
        ]  # a few are recommended for nearly every need
        self._needs = {one: self._some_needs() for one in self._ids[CONDITION]}

    def _some_needs(self) -> list[str]:
        limitations = self._chance.sample(self._ids["limitation"], 7)
        return [*limitations, *self._chance.sample(self._ids["workrelatedfunction"], 2)]

    def links(self) -> Iterator[Link]:
        for condition, needs in self._needs.items():
            for need in needs:
                edge = "has_limitation" if need.startswith("limitation:") else "affects"
                yield Link(edge, condition, need, "source", (SOURCE,))
        yield from self._world.limits(self._number)
        for place, narrow in enumerate(self._ids[NARROW]):
            above = self._ids[CONDITION] if place < SECOND_LEVEL else self._ids[NARROW][:SECOND_LEVEL]
            yield Link("broader", narrow, self._chance.choice(above), "source", (SOURCE,))
        yield from self._product_links()

    def _product_links(self) -> Iterator[Link]:
        for number, product in zip(self._world.numbers("product", self._number), self._ids["product"], strict=True):
            (solution,) = self._chance.choices(self._ids["solution"], self._weights)
            vendor = self._chance.choice(self._ids["vendor"])
            yield _implements(solution, product)
            if self._world.is_hub_product(number):
                yield from (self._world.hub_link(kind, number) for kind in ("solution", "vendor"))
            else:
                yield Link("sold_by", product, vendor, "source", (SOURCE,))

    def recommendations(self) -> Iterator[Recommendation]:
        """Yield about 180 recommendations per condition; a few solutions for nearly every need."""
        for condition, needs in self._needs.items():
            for need in needs:
                for solution in dict.fromkeys(self._chance.choices(self._ids["solution"], self._weights, k=30)):
                    yield Recommendation(condition, need, solution, "", (SOURCE,))

    def related(self) -> Iterator[RelatedOccupation]:
        """Yield twenty related occupations for each occupation."""
        for occupation in self._ids["occupation"]:
            others = [one for one in self._chance.sample(self._ids["occupation"], 21) if one != occupation]
            for rank, other in enumerate(others[:20], start=1):
                tier = "primary-short" if rank <= 5 else "primary-long" if rank <= 10 else "supplemental"
                yield RelatedOccupation(occupation, other, tier, rank, (SOURCE,))


def source() -> Source:
    return Source(SOURCE, "Synthetic graph", "This project", "", "CC0-1.0", "Made up for measuring.", "")


def _type_of(kind: str) -> str:
    return CONDITION if kind == NARROW else kind


def _facts(kind: str, number: int) -> Iterator[tuple[str, str]]:
    if kind in (CONDITION, NARROW):
        yield "kind", NARROWER if kind == NARROW else MAIN
    elif kind in GROUPS:
        yield "group", GROUPS[kind][number % len(GROUPS[kind])]
    elif kind == "solution":
        yield "kind", "product" if number % 3 else "strategy"
        yield "settings", "work" if number % 4 else "work|school"
    elif kind == "product":
        yield "category", noun(CATEGORY, number)
        yield "family", FAMILIES[number % len(FAMILIES)]
    elif kind == "occupation":
        yield "job_zone", str(1 + number % 5)


def _implements(solution: str, product: str) -> Link:
    return Link("implemented_by", solution, product, "derived", (SOURCE,), reason="it is made for that")


def _editorial(edge: str, one: str, other: str, strength: float) -> Link:
    return Link(edge, one, other, "editorial", (SOURCE,), strength, "it needs much of it")


@lru_cache(maxsize=4096)
def _slug(name: str) -> str:
    return name.lower().replace(" ", "-")
