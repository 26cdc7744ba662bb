"""Gaps in the content: entities that lack the relations a reader would follow next."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from indexer.content.rows import Content, Entity
from indexer.graph.model import kind_of
from schema.entity_kinds import MAIN


def counts(content: Content) -> Mapping[str, int]:
    """Return the number of entities of each type, in the order of the tables."""
    return Counter(entity.type for entity in content.entities)


def gaps(content: Content) -> dict[str, tuple[str, ...]]:
    """Return ids by the kind of gap. Strategies need no product, so solutions of kind product are counted apart."""
    by_type: dict[str, list[Entity]] = {}
    for entity in content.entities:
        by_type.setdefault(entity.type, []).append(entity)
    at_school = {row.entity for row in content.school}
    listing = {row.disability for row in content.recommendations} | at_school
    answered = {row.via for row in content.recommendations} | at_school
    made = {link.source for link in content.links if link.edge == "implemented_by"}
    sold = {link.source for link in content.links if link.edge == "sold_by"}
    solutions = by_type.get("solution", [])
    of_kind_product = [solution for solution in solutions if "product" in solution.facts.get("kind", "")]
    main = [condition for condition in by_type.get("disability", []) if kind_of(condition) == MAIN]
    connected = set(_ends(content))
    return {
        "solutions without products": _missing(solutions, made),
        "solutions of kind product without products": _missing(of_kind_product, made),
        "limitations without solutions": _missing(by_type.get("limitation", []), answered),
        "functions without solutions": _missing(by_type.get("workrelatedfunction", []), answered),
        "conditions without solutions of their own": _missing(main, listing),
        "products without vendors": _missing(by_type.get("product", []), sold),
        "entities without relations": _missing(content.entities, connected),
    }


def _missing(entities: Iterable[Entity], present: set[str]) -> tuple[str, ...]:
    return tuple(entity.id for entity in entities if entity.id not in present)


def _ends(content: Content) -> Iterator[str]:
    for link in content.links:
        yield from (link.source, link.target)
    for listed in content.recommendations:
        yield from (listed.disability, listed.via, listed.solution)
    for statement in content.school:
        yield from (statement.entity, statement.solution)
    for rating in content.ratings:
        yield from (rating.occupation, rating.ability)
    for pair in content.related_occupations:
        yield from (pair.occupation, pair.related)
