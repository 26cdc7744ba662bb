"""What an answer says of one entity: the ready record. Pure."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from indexer.graph import STATED
from indexer.other_names import other_names
from indexer.placing import groupings_of
from indexer.schema import SEPARATOR
from indexer.seeds import HEADINGS, inherits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.graph import Graph
    from indexer.heirs import Legacy
    from indexer.rows import Entity, Source
    from indexer.vocabulary import Vocabulary

FIRST = 10  # edges of each name inside the record
CODES = ("doid", "icd10cm", "mesh")  # facts of narrower conditions that are ids elsewhere

Document = dict[str, Any]


def record_of(
    graph: Graph,
    vocabulary: Vocabulary,
    entity: Entity,
    cards: Mapping[str, Document],
    items: Mapping[str, list[Document]],
    legacy: Legacy,
) -> Document:
    """Everything about one entity, as answers give it; `items` are its edges, `legacy` what others hand down to it."""
    summaries = {name: text for name in ("short", "plain", "long") if (text := getattr(entity, name))}
    aliases = other_names(graph, entity.id).shown
    edges = {name: _edge_group(vocabulary, cards[entity.id], name, found) for name, found in items.items()}
    for name, targets in legacy.targets.items():
        own = _edge_group(vocabulary, cards[entity.id], name, [cards[target] for target in targets])
        edges[name] = own | {"items": []}  # joined to it when it is read
    return {
        **cards[entity.id],
        "summaries": summaries,
        "aliases": [{"text": one.text, "kind": one.kind, "source": one.sources[0]} for one in aliases],
        "attributes": _attributes(graph, entity),
        **groupings_of(graph, entity),
        "accommodation_ideas": _ideas(graph, entity, cards),
        "inherits": list(legacy.owners) or inherits(graph, entity, cards),
        "edges": [edges[name] for name in vocabulary.edges if name in edges],
        "sources": [source_line(graph.sources[source]) for source in _sources(graph, entity)],
        "external_ids": _external_ids(entity),
    }


def _attributes(graph: Graph, entity: Entity) -> dict[str, str]:
    found = {name: value for name, value in entity.facts.items() if value and name not in ("settings", *CODES)}
    if made_for := graph.guidance.made_for.get(entity.id):
        found["made_for"] = "|".join(made_for)
    return found


def source_line(source: Source) -> Document:
    """A source as answers show it."""
    return {
        "id": source.id,
        "title": source.title,
        "url": source.url or None,
        "licence": source.licence,
        "attribution": source.attribution,
    }


def _sources(graph: Graph, entity: Entity) -> list[str]:
    """The sources an entity and its edges rest on, its own first."""
    grounds: dict[Sequence[str], None] = {entity.sources: None}  # few, and shared by many edges
    for edges in graph.edges.get(entity.id, {}).values():
        for edge in edges:
            grounds[edge.sources] = None
            if at_school := edge.facts.get("school_sources"):
                grounds[at_school] = None
    return list(dict.fromkeys(source for several in grounds for source in several))


def _external_ids(entity: Entity) -> dict[str, str]:
    key = entity.id.partition(":")[2]
    found = {}
    if entity.type == "occupation":
        found["onet_soc"] = key
    elif entity.type == "ability":
        found["onet_element"] = key
    found |= {name: ", ".join(entity.facts[name].split(SEPARATOR)) for name in CODES if name in entity.facts}
    if entity.url:
        found["page"] = entity.url
    return found


def _edge_group(vocabulary: Vocabulary, card: Document, name: str, items: Sequence[Document]) -> Document:
    kind = vocabulary.edges[name]
    return {
        "name": name,
        "label": kind.label,
        "direction": kind.direction,
        "target_types": sorted({item["type"] for item in items}, key=vocabulary.types.index),
        "total": len(items),
        "items": items[:FIRST],
        "url": f"{card['url']}/neighbors?edge={name}",
    }


def _ideas(graph: Graph, entity: Entity, cards: Mapping[str, Document]) -> list[Document]:
    """A condition's solutions under the headings its source lists them; a heading's own solutions under itself."""
    edges = graph.of(entity.id, "recommends")
    if entity.type in HEADINGS:
        return _idea(entity.id, {edge.target: edge.weight for edge in edges}, cards)
    under: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for edge in edges:
        at_school = graph.school.under(entity.id, edge.target, graph.listings)
        own = [need for need in at_school if need != entity.id]
        for heading in edge.facts.get("via") or own or (entity.id,):
            rate = graph.listings.rates.get(heading, {}).get(edge.target, at_school.get(heading, edge.weight))
            under[heading][edge.target] = round(rate, 4)
    headings = [edge.target for name in STATED for edge in graph.of(entity.id, name)]
    ordered = [heading for heading in headings if heading in under] + sorted(under.keys() - set(headings))
    return [idea for heading in ordered for idea in _idea(heading, under[heading], cards)]


def _idea(heading: str, solutions: Mapping[str, float], cards: Mapping[str, Document]) -> list[Document]:
    ranked = sorted(solutions, key=lambda one: (-solutions[one], cards[one]["name"].casefold()))
    if not ranked:
        return []
    shown = {key: cards[heading][key] for key in ("id", "name", "type")}
    return [{"heading": shown, "solutions": [cards[one] | {"weight": solutions[one]} for one in ranked]}]
