"""A graph of any size that looks like the real one: what each entity is and to what it is joined, by its number. Pure.

Nothing is kept: an entity and its edges follow from the seed, its type and its number, so any part can be made alone.
Most of the graph are blocks of 1,197 entities in the proportions of the shipped graph, joined among themselves. Beside
them stand the abilities, which every block's occupations require, and two hubs with up to 25,000 products each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

from bench.scale.words import CATEGORY, FIRST, mixed, noun, spread, word
from indexer.content.rows import Alias, Content, Entity, Link, Rating, Recommendation, RelatedOccupation, Source
from schema.entity_kinds import MAIN, NARROWER

if TYPE_CHECKING:
    from collections.abc import Iterator

CONDITION, NARROW = "disability", "narrower"
BLOCK = {  # how many of each a block has: a tenth of the shipped graph
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
MOST_ALIASES = max(ALIASES.values())
ANOTHER_NOUN = 4  # of so many other names one ends in another noun than the name
LIMITED, STRENGTHS = 4, (0.25, 0.5, 0.75, 1.0)  # abilities that a limitation limits, and how much
SECOND_LEVEL = 400  # narrower conditions of a block, counted from the first, that stand right under a main one
HUB = 25_000  # edges of a hub, where there are enough products
HUB_SHARE = 0.6  # of all products, where there are not
RATED = 13  # abilities that an occupation requires, of 52: each ability is required by a quarter of all occupations
KINDS = tuple(FIRST)
FAMILIES = ("assistive", "assistive", "ergonomic", "protective", "mainstream")
GROUPS = {"limitation": ("physical", "cognitive", "vision"), "ability": ("cognitive", "physical", "sensory")}
SOURCE = "synthetic"
HUB_NUMBER = 0  # of the vendor and of the solution that are hubs; those of the blocks follow
SHARED = (("vendor", HUB_NUMBER), ("solution", HUB_NUMBER), *(("ability", number) for number in range(ABILITIES)))


@dataclass(frozen=True, slots=True)
class World:
    """So many blocks, made from a seed."""

    blocks: int
    seed: int = 1

    @staticmethod
    def of(entities: int, seed: int = 1) -> World:
        """The world with about so many entities."""
        return World(max(1, round((entities - ABILITIES - 2) / sum(BLOCK.values()))), seed)

    def size(self, kind: str) -> int:
        """How many there are of a kind; `narrower` is one beside `disability`."""
        if kind == "ability":
            return ABILITIES
        return BLOCK[kind] * self.blocks + (kind in ("vendor", "solution"))

    @property
    def entities(self) -> int:
        """How many there are in all."""
        return sum(self.size(kind) for kind in KINDS)

    def numbers(self, kind: str, block: int) -> range:
        """The numbers of a kind in a block."""
        first = block * BLOCK[kind] + (kind in ("vendor", "solution"))
        return range(first, first + BLOCK[kind])

    def rank(self, kind: str, number: int) -> int:
        """Its place among all of its kind by name."""
        return mixed(number, self.size(kind))

    def position(self, kind: str, number: int) -> int:
        """Its place in the list of its type: narrower conditions come last."""
        return self.rank(kind, number) + (self.size(CONDITION) if kind == NARROW else 0)

    def name(self, kind: str, number: int) -> str:
        """A name that no other entity has."""
        rank = self.rank(kind, number)
        return f"{spread(rank, self.size(kind), KINDS.index(kind), len(KINDS))} {noun(kind, rank)}"

    def id(self, kind: str, number: int) -> str:
        """`type:key`."""
        if kind == "occupation":
            major, minor = divmod(number, 10_000)
            return f"occupation:{11 + major}-{minor:04}.00"
        if kind == "ability":
            return f"ability:1.A.{1 + number // 21}.{'abcdefg'[number // 3 % 7]}.{1 + number % 3}"
        return f"{_type_of(kind)}:{_slug(self.name(kind, number))}"

    def entity(self, kind: str, number: int) -> Entity:
        """One node."""
        name, key = self.name(kind, number), self.id(kind, number)
        facts = dict(_facts(kind, number))
        short = f"{name} is number {number + 1} of its kind, and what {word(number * 7919)} and others ask about."
        plain = f"{name} shows in one way on some days and in another on others." if kind in (CONDITION, NARROW) else ""
        return Entity(key, _type_of(kind), _slug(name), name, short, plain, "", (SOURCE,), facts)

    def aliases(self, kind: str, number: int) -> Iterator[Alias]:
        """Its other names: many for conditions, few for others."""
        size, rank = self.size(kind) * MOST_ALIASES, self.rank(kind, number)
        for turn in range(ALIASES.get(kind, 0)):
            place = rank * MOST_ALIASES + turn
            after = noun(kind, rank if place % ANOTHER_NOUN else place).lower()
            text = f"{spread(place, size, KINDS.index(kind), len(KINDS))}ly {after}"
            yield Alias(self.id(kind, number), text, "title" if kind == "occupation" else "synonym", (SOURCE,))

    def ratings(self, number: int) -> Iterator[Rating]:
        """What an occupation requires."""
        apart = ABILITIES // RATED
        yield from (self.rating(number, ability) for ability in range(number % apart, ABILITIES, apart))

    def raters(self, ability: int) -> range:
        """The occupations that require an ability."""
        apart = ABILITIES // RATED
        return range(ability % apart, self.size("occupation"), apart)

    def rating(self, number: int, ability: int) -> Rating:
        """How much an occupation asks for one of the abilities that it requires."""
        importance = 3 + (number * 31 + ability * 17) % 200 / 100
        level = round(importance * 1.2, 2)
        return Rating(self.id("occupation", number), self.id("ability", ability), importance, level, (SOURCE,))

    def of_hub(self, product: int) -> bool:
        """Whether a product is one of the hubs'."""
        size = self.size("product")
        most = min(HUB, int(HUB_SHARE * size))
        return (product + 1) * most // size > product * most // size

    def limits(self, block: int) -> list[Link]:
        """Which abilities the limitations of a block take away."""
        rng = Random(f"{self.seed}/limits/{block}")  # noqa: S311 - data, no secret
        return [
            _editorial("limits", self.id("limitation", number), self.id("ability", ability), rng.choice(STRENGTHS))
            for number in self.numbers("limitation", block)
            for ability in rng.sample(range(ABILITIES), LIMITED)
        ]

    def hub_link(self, kind: str, product: int) -> Link:
        """What joins a product to the hub of this kind."""
        hub, key = self.id(kind, HUB_NUMBER), self.id("product", product)
        return _implements(hub, key) if kind == "solution" else Link("sold_by", key, hub, "source", (SOURCE,))

    def block(self, number: int) -> Content:
        """All entities of a block, and every row that has one of them at an end; hubs and abilities are there too."""
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
        """These entities with these rows of other tables; the others are empty."""
        tables = dict.fromkeys(("aliases", "links", "recommendations", "ratings", "related_occupations"), ())
        return Content(sources=(source(),), entities=entities, **{**tables, **rows}, redirects={}, version=self.version)

    @property
    def version(self) -> str:
        """What stands for the data version."""
        return f"synthetic-{self.seed}-{self.blocks}"


class _Block:
    """The rows that join the entities of one block."""

    def __init__(self, world: World, number: int) -> None:
        self._world = world
        self._number = number
        self._chance = Random(f"{world.seed}/{number}")  # noqa: S311 - data, no secret
        self._ids = {kind: [world.id(kind, one) for one in world.numbers(kind, number)] for kind in BLOCK}
        self._weights = [1 / (place + 1) for place in range(BLOCK["solution"])]  # some are named for nearly everything
        self._needs = {one: self._some_needs() for one in self._ids[CONDITION]}

    def _some_needs(self) -> list[str]:
        limitations = self._chance.sample(self._ids["limitation"], 7)
        return [*limitations, *self._chance.sample(self._ids["workrelatedfunction"], 2)]

    def links(self) -> Iterator[Link]:
        """Everything but recommendations and what occupations need."""
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
            if self._world.of_hub(number):
                yield from (self._world.hub_link(kind, number) for kind in ("solution", "vendor"))
            else:
                yield Link("sold_by", product, vendor, "source", (SOURCE,))

    def recommendations(self) -> Iterator[Recommendation]:
        """Of each condition about 180, under its needs; some solutions under nearly all."""
        for condition, needs in self._needs.items():
            for need in needs:
                for solution in dict.fromkeys(self._chance.choices(self._ids["solution"], self._weights, k=30)):
                    yield Recommendation(condition, need, solution, "", (SOURCE,))

    def related(self) -> Iterator[RelatedOccupation]:
        """Twenty for each occupation."""
        for occupation in self._ids["occupation"]:
            others = [one for one in self._chance.sample(self._ids["occupation"], 21) if one != occupation]
            for rank, other in enumerate(others[:20], start=1):
                tier = "primary-short" if rank <= 5 else "primary-long" if rank <= 10 else "supplemental"
                yield RelatedOccupation(occupation, other, tier, rank, (SOURCE,))


def source() -> Source:
    """Where all of it is said to come from."""
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
