"""The record of an entity and the pages of its edges, as responses send them.

docs/decisions/0002 says why edges are pages.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.rows import Entity, Source
from indexer.documents.entity import entity_sources, owner_ids, sources_of
from indexer.documents.seeds import list_sources
from indexer.graph.inheritance import Inheritance
from indexer.graph.model import STATED, SUMMARIES, Edge, Graph, alias_groups, onet_ids
from schema.document_ids import EDGE_PAGE_SIZE, EDGES, edge_page_id
from schema.entity_kinds import NEED_TYPES
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary

MAX_EDGES = 10  # of each name in a record
CODES = ("doid", "icd10cm", "mesh")  # facts of narrower conditions that are ids in other databases


def build_record(
    graph: Graph,
    vocabulary: Vocabulary,
    entity: Entity,
    cards: Mapping[str, JsonObject],
    items: Mapping[str, list[JsonObject]],
    inheritance: Inheritance,
) -> JsonObject:
    """Return everything about one entity; `items` are its edges, `inheritance` what it inherits."""
    summaries = {name: text for name in SUMMARIES if (text := getattr(entity, name))}
    aliases = alias_groups(graph, entity.id).shown
    edges = {name: _edge_group(vocabulary, cards[entity.id], name, targets) for name, targets in items.items()}
    for name, inherited in inheritance.targets.items():
        group = _edge_group(vocabulary, cards[entity.id], name, [cards[target] for target in inherited])
        edges[name] = group | {"items": []}  # the service adds them when it reads the record
    ideas = _ideas(graph, entity, cards)
    inherits = list(inheritance.sources) or list_sources(graph, entity, cards)
    shown = _shown(edges.values(), ideas, inherits)
    return {
        **cards[entity.id],
        "summaries": summaries,
        "aliases": [{"text": alias.text, "kind": alias.kind, "source": alias.sources[0]} for alias in aliases],
        "attributes": _attributes(graph, entity),
        **_groupings(graph, entity),
        "accommodation_ideas": ideas,
        "inherits": inherits,
        "edges": [edges[name] for name in vocabulary.edges if name in edges],
        "sources": [source_line(graph.sources[source]) for source in _sources(graph, entity, shown)],
        "external_ids": _external_ids(entity),
    }


def _groupings(graph: Graph, entity: Entity) -> JsonObject:
    """Return the `groupings` of a record, each with the URL of its members; an empty object if it has none."""
    members = [
        {
            "scheme": member.grouping.scheme,
            "name": member.grouping.name,
            "description": member.grouping.short,
            "basis": member.basis,
            "note": member.note or None,
            "sources": list(member.sources),
            "url": f"/{entity.type}?grouping={member.grouping.slug}",
        }
        for member in graph.groupings.get(entity.id, ())
    ]
    return {"groupings": members} if members else {}


def _attributes(graph: Graph, entity: Entity) -> dict[str, str]:
    facts = {name: value for name, value in entity.facts.items() if value and name not in ("settings", *CODES)}
    if intended_for := graph.editorial.intended_for.get(entity.id):
        facts["made_for"] = SEPARATOR.join(intended_for)
    return facts


def source_line(source: Source) -> JsonObject:
    """Return a source as responses show it."""
    return {
        "id": source.id,
        "title": source.title,
        "url": source.url or None,
        "licence": source.licence,
        "licence_url": source.licence_url or None,
        "attribution": source.attribution,
    }


def _sources(graph: Graph, entity: Entity, shown: Iterable[str]) -> list[str]:
    """Return the sources of an entity, then those of its edges, then those of the entities that its record shows."""
    groups: dict[Sequence[str], None] = {}  # few, and shared by many edges
    for edge in chain.from_iterable(graph.edges.get(entity.id, {}).values()):
        groups |= dict.fromkeys((edge.sources, edge.facts.get("school_sources", ())))
    of_edges = (source for group in groups for source in group)
    return list(dict.fromkeys([*entity_sources(graph, entity), *of_edges, *sources_of(graph, shown)]))


def _shown(groups: Iterable[JsonObject], ideas: Iterable[JsonObject], inherits: Iterable[JsonObject]) -> Iterator[str]:
    """Yield the ids of the entities whose cards or names are in a record."""
    yield from (item["id"] for group in groups for item in group["items"])
    for idea in ideas:
        yield from (idea["heading"]["id"], *(solution["id"] for solution in idea["solutions"]))
    yield from (parent["id"] for parent in inherits)


def _external_ids(entity: Entity) -> dict[str, str]:
    codes = {name: ", ".join(entity.facts[name].split(SEPARATOR)) for name in CODES if name in entity.facts}
    return onet_ids(entity) | codes | ({"page": entity.url} if entity.url else {})


def _edge_group(vocabulary: Vocabulary, card: JsonObject, name: str, items: Sequence[JsonObject]) -> JsonObject:
    edge, targets = vocabulary.edges[name], {item["type"] for item in items}
    return {
        "name": name,
        "label": edge.label,
        "direction": edge.direction,
        "target_types": [type_name for type_name in vocabulary.types if type_name in targets],
        "total": len(items),
        "items": items[:MAX_EDGES],
        "url": f"{card['url']}/neighbors?edge={name}",
    }


def _ideas(graph: Graph, entity: Entity, cards: Mapping[str, JsonObject]) -> list[JsonObject]:
    """Return the solutions of a condition under the needs for which its source lists them, or those of a need."""
    edges = graph.edges_named(entity.id, "recommends")
    if entity.type in NEED_TYPES:
        return [_idea(entity.id, {edge.target: edge.weight for edge in edges}, cards)] if edges else []
    by_need: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for edge in edges:
        school_weights = graph.school.weights_by_need(entity.id, edge.target, graph.listings)
        school_needs = [need for need in school_weights if need != entity.id]
        for need in edge.facts.get("via") or school_needs or (entity.id,):
            rate = graph.listings.rates.get(need, {}).get(edge.target, school_weights.get(need, edge.weight))
            by_need[need][edge.target] = round(rate, 4)
    stated = [edge.target for name in STATED for edge in graph.edges_named(entity.id, name)]
    ordered = [need for need in stated if need in by_need] + sorted(by_need.keys() - set(stated))
    return [_idea(need, by_need[need], cards) for need in ordered]


def _idea(need: str, weights: Mapping[str, float], cards: Mapping[str, JsonObject]) -> JsonObject:
    ranked = sorted(weights, key=lambda solution: (-weights[solution], cards[solution]["name"].casefold()))
    heading = {key: cards[need][key] for key in ("id", "name", "type")}
    return {"heading": heading, "solutions": [cards[solution] | {"weight": weights[solution]} for solution in ranked]}


def edge_item(edge: Edge, cards: Mapping[str, JsonObject]) -> JsonObject:
    """Return an edge as responses list it: the card of its target, then the facts of the edge."""
    return {
        **cards[edge.target],
        "weight": edge.weight,
        "basis": edge.basis,
        "sources": list(edge.sources),
        **edge.facts,
    }


def edge_pages(
    graph: Graph, entity: Entity, card: JsonObject, items: Mapping[str, Sequence[JsonObject]]
) -> Iterator[tuple[str, JsonObject]]:
    """Yield the pages of the edges of an entity, given by name, as (`_id`, body)."""
    owner = owner_ids(entity)
    for name, edges in items.items():
        for number, start in enumerate(range(0, len(edges), EDGE_PAGE_SIZE)):
            page = edges[start : start + EDGE_PAGE_SIZE]
            targets = [item["id"] for item in page]
            body = {
                "doc": EDGES,
                "owner": owner,
                "edge": name,
                "of": entity.id,
                "number": number,
                "targets": targets,
                "sources": sources_of(graph, [entity.id, *targets]),
                "page": {"entity": card, "total": len(edges), "items": page},
            }
            yield edge_page_id(entity.id, name, number), body
