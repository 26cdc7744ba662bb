"""What the content leaves open: the places where a person who follows the graph gets no further. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from indexer.heirs import kind_of
from indexer.shapes import MAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from indexer.rows import Content, Entity


def counts(content: Content) -> Mapping[str, int]:
    """How many entities of each type there are, in the order of the tables."""
    return Counter(entity.type for entity in content.entities)


def gaps(content: Content) -> dict[str, tuple[str, ...]]:
    """Ids by the kind of gap, in the order of the tables. Strategies need no product, so goods are counted apart."""
    by_type: dict[str, list[Entity]] = {}
    for entity in content.entities:
        by_type.setdefault(entity.type, []).append(entity)
    at_school = {row.entity for row in content.school}
    listing = {row.disability for row in content.recommendations} | at_school
    answered = {row.via for row in content.recommendations} | at_school
    made = {link.source for link in content.links if link.edge == "implemented_by"}
    sold = {link.source for link in content.links if link.edge == "sold_by"}
    solutions = by_type.get("solution", [])
    goods = [solution for solution in solutions if "product" in solution.facts.get("kind", "")]
    main = [condition for condition in by_type.get("disability", []) if kind_of(condition) == MAIN]
    joined = set(_ends(content))
    return {
        "solutions without products": _missing(solutions, made),
        "solutions of kind product without products": _missing(goods, made),
        "limitations without solutions": _missing(by_type.get("limitation", []), answered),
        "functions without solutions": _missing(by_type.get("workrelatedfunction", []), answered),
        "conditions without solutions of their own": _missing(main, listing),
        "products without vendors": _missing(by_type.get("product", []), sold),
        "dead ends: entities that nothing is joined to": _missing(content.entities, joined),
    }


def _missing(entities: Iterable[Entity], present: set[str]) -> tuple[str, ...]:
    return tuple(entity.id for entity in entities if entity.id not in present)


def _ends(content: Content) -> Iterator[str]:
    """Every id that some relation names."""
    for link in content.links:
        yield from (link.source, link.target)
    for listed in content.recommendations:
        yield from (listed.disability, listed.via, listed.solution)
    for told in content.school:
        yield from (told.entity, told.solution)
    for rating in content.ratings:
        yield from (rating.occupation, rating.ability)
    for pair in content.related_occupations:
        yield from (pair.occupation, pair.related)
