"""Applies a checked overlay to the content: hides, changes, then adds.

A row that the graph has already gets the sources of both, except ratings and related jobs: their numbers are those of
one source, so the row of the overlay replaces them.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from indexer.content.problems import fold
from indexer.content.rows import Alias, Content, Entity, Link, Rating, RelatedOccupation, Source
from indexer.overlays.hiding import without_entities

Row = TypeVar("Row")


class Change(NamedTuple):
    """Another name or text of an entity; empty fields change nothing."""

    id: str
    name: str
    short: str
    plain: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """What one overlay states. `additions` has its entities, aliases and edges, with its source."""

    name: str
    source: Source
    additions: Content
    changes: tuple[Change, ...] = ()
    hidden: frozenset[str] = frozenset()

    @property
    def edge_count(self) -> int:
        """The number of edges that it adds."""
        added = self.additions
        edges = (added.links, added.recommendations, added.school, added.ratings, added.related_occupations)
        return sum(map(len, edges))

    def __str__(self) -> str:
        added = self.additions
        return (
            f"{len(added.entities)} entities, {len(added.aliases)} other names and {self.edge_count} edges added, "
            f"{len(self.changes)} entities changed, {len(self.hidden)} hidden"
        )


def apply_overlay(content: Content, overlay: Overlay) -> Content:
    """Return the content with an overlay, which was checked against it."""
    below, added, source = without_entities(content, overlay.hidden), overlay.additions, overlay.source.id
    changes = {change.id: change for change in overlay.changes}
    former = {entity.id: entity for entity in below.entities if entity.id in changes}
    changed = {id_: _changed(entity, changes[id_], source) for id_, entity in former.items()}
    return replace(
        below,
        sources=(*below.sources, overlay.source),
        entities=(*(changed.get(entity.id, entity) for entity in below.entities), *added.entities),
        aliases=tuple(_aliases(below.aliases, added.aliases, former, changed)),
        links=_joined(below.links, added.links, lambda row: (row.edge, row.source, row.target), _with_both_sources),
        recommendations=_joined(
            below.recommendations,
            added.recommendations,
            lambda row: (row.disability, row.via, row.solution),
            lambda row, further: row._replace(sources=_both(row.sources, further.sources)),
        ),
        school=_joined(
            below.school,
            added.school,
            lambda row: (row.entity, row.solution, row.page),
            lambda row, further: row._replace(sources=_both(row.sources, further.sources)),
        ),
        ratings=_joined(below.ratings, added.ratings, _ends_of_rating, lambda _, later: later),
        related_occupations=_joined(
            below.related_occupations, added.related_occupations, _ends_of_related, lambda _, later: later
        ),
    )


def _changed(entity: Entity, change: Change, source: str) -> Entity:
    return entity._replace(
        name=change.name or entity.name,
        short=change.short or entity.short,
        plain=change.plain or entity.plain,
        sources=_both(entity.sources, (source,)),
    )


def _aliases(
    below: Iterable[Alias], added: tuple[Alias, ...], former: Mapping[str, Entity], changed: Mapping[str, Entity]
) -> Iterator[Alias]:
    """Return the aliases of both. A changed name stays as an alias, and an alias that is now the name is dropped."""
    names = [
        Alias(entity.id, entity.name, "synonym", entity.sources)
        for entity in former.values()
        if fold(entity.name) != fold(changed[entity.id].name)
    ]
    joined = _joined((*below, *names), added, _entity_and_text, _alias_of_both)
    current = {(entity.id, fold(entity.name)) for entity in changed.values()}
    return (alias for alias in joined if _entity_and_text(alias) not in current)


def _entity_and_text(alias: Alias) -> tuple[str, str]:
    return alias.entity, fold(alias.text)


def _alias_of_both(alias: Alias, further: Alias) -> Alias:
    return further._replace(sources=_both(alias.sources, further.sources))


def _with_both_sources(link: Link, further: Link) -> Link:
    return link._replace(sources=_both(link.sources, further.sources), reason=further.reason or link.reason)


def _ends_of_rating(row: Rating) -> tuple[str, str]:
    return row.occupation, row.ability


def _ends_of_related(row: RelatedOccupation) -> tuple[str, str]:
    return row.occupation, row.related


def _both(sources: tuple[str, ...], further: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*sources, *further)))


def _joined(
    below: tuple[Row, ...], added: tuple[Row, ...], key: Callable[[Row], Hashable], join: Callable[[Row, Row], Row]
) -> tuple[Row, ...]:
    """Return the rows of both; one that both have, by its key, is joined and keeps its place."""
    further = {key(row): row for row in added}
    if not further:
        return below
    joined = tuple(join(row, further.pop(row_key)) if (row_key := key(row)) in further else row for row in below)
    return (*joined, *further.values())
