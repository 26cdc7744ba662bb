"""A graph becomes index documents. Pure.

Several kinds of document share one index, told apart by `doc` (docs/decisions/0002 says why edges are pages):

* `entity`: what search matches, a ready card and the ready record; `_id` is the entity's id
* `edges`: one page of up to 100 edges of one name, ready to answer; `_id` is `id/edge/page`
* `needs`, `products` and `related`: what recommend and related_conditions read; `_id` is `id/needs` and so on
* `moved`: where a retired id went; `_id` is the retired id
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import orjson

from indexer.context import context, sold
from indexer.graph import STATED
from indexer.market.rules import RULES
from indexer.placing import groupings_of, settings_of
from indexer.products import recommended_products
from indexer.reach import reach
from indexer.related import Likeness, related_conditions
from indexer.seeds import HEADINGS, inherits, seed_document, speaker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from indexer.graph import Edge, Graph
    from indexer.rows import Entity, Finding, Source
    from indexer.vocabulary import Vocabulary

PAGE = 100  # edges per page document; a hub of 25,000 edges has 250 pages
FIRST = 10  # edges of each name inside the record
WITH_MARKET = ("product", "vendor")
NOT_CHECKED = {"status": "unverified", "checked": None, "method": None, "evidence": None, "note": None}

Document = dict[str, Any]


def documents(graph: Graph, vocabulary: Vocabulary) -> Iterator[tuple[str, Document]]:
    """Every document of a release, as (`_id`, body), entity by entity."""
    positions = _positions(graph)
    cards = {node: card(entity, graph.findings.get(node)) for node, entity in graph.nodes.items()}
    likeness = related_conditions(graph)
    heirs = _heirs(graph)
    for node, entity in graph.nodes.items():
        items = {name: [edge_item(edge, cards) for edge in edges] for name, edges in graph.edges.get(node, {}).items()}
        yield node, _entity(graph, vocabulary, entity, positions[node], cards, items)
        yield from _edge_pages(graph, node, cards, items)
        if (needs := seed_document(graph, entity, cards)) is not None:
            yield f"{node}/needs", _needs(graph, entity, needs, heirs.get(node, ()))
        if entity.type == "solution":
            yield f"{node}/products", {"doc": "products", "products": recommended_products(graph, node, cards)}
        if entity.type == "disability":
            related = _related(graph, likeness.get(node, []), cards, node)
            keys = [key for heir in heirs.get(node, ()) for key in owners(graph.nodes[heir])]
            yield f"{node}/related", {"doc": "related", "owner": owners(entity), "heir_keys": keys, "related": related}
    for old, new in graph.redirects.items():
        yield old, {"doc": "moved", "moved_to": new}


def card(entity: Entity, finding: Finding | None = None) -> Document:
    """What a list shows of an entity. `url` is relative to the service."""
    key = entity.id.partition(":")[2]
    shown: Document = {
        "id": entity.id,
        "type": entity.type,
        "slug": entity.slug,
        "name": entity.name,
        "summary": entity.short,
        "url": f"/{entity.type}/{key}",
    }
    if settings := settings_of(entity):
        shown["settings"] = settings
    if entity.type in WITH_MARKET:
        shown["market_verification"] = _market(finding) if finding else NOT_CHECKED
    return shown


def _market(finding: Finding) -> Document:
    """What was found on the market; the note says what the rule means, and whether that is long ago."""
    return {
        "status": finding.status,
        "checked": finding.checked,
        "method": finding.rule,
        "evidence": finding.evidence,
        "note": " ".join(filter(None, (RULES[finding.rule].says, finding.stale))),
    }


def forms(entity: Entity) -> list[str]:
    """The short forms under which an entity's type finds it: its key and its slug."""
    return list(dict.fromkeys((entity.id.partition(":")[2], entity.slug)))


def owners(entity: Entity) -> list[str]:
    """The full forms of an entity's id: `type:key` and `type:slug`."""
    return [f"{entity.type}:{form}" for form in forms(entity)]


def _aliases(graph: Graph, node: str) -> list[str]:
    return [alias.text for alias in graph.aliases.get(node, ())]


def _heirs(graph: Graph) -> dict[str, list[str]]:
    """The narrow conditions for which each condition speaks."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for node, entity in graph.nodes.items():
        if entity.type == "disability" and (broader := speaker(graph, node)):
            found[broader].append(node)
    return found


def _needs(graph: Graph, entity: Entity, needs: Document, heirs: Iterable[str]) -> Document:
    """What recommend reads, with the names by which it is found: the entity's own, and those of its heirs."""
    aliases = _aliases(graph, entity.id)
    named = {heir: [graph.nodes[heir].name, *_aliases(graph, heir)] for heir in heirs}
    return {
        "doc": "needs",
        "owner": owners(entity),
        "seed_keys": [*owners(entity), *forms(entity), entity.name, *aliases, *_retired(graph, entity.id)],
        "seed_name": entity.name,
        "seed_aliases": aliases,
        "heir_keys": [key for heir in heirs for key in (*owners(graph.nodes[heir]), *forms(graph.nodes[heir]))]
        + [name for names in named.values() for name in names],
        "heir_names": [name for names in named.values() for name in names],
        "needs": needs,
    }


def _retired(graph: Graph, node: str) -> list[str]:
    """The ids that an entity had before, or that those had whose heir it is, in both their forms."""
    old = [old for old, new in graph.redirects.items() if new == node]
    return [form for one in old for form in (one, one.partition(":")[2])]


def _positions(graph: Graph) -> dict[str, int]:
    """Each entity's place in the list of its type, by name: lists page by range at any depth."""
    by_type: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in graph.nodes.values():
        by_type[entity.type].append(entity)
    return {
        entity.id: place
        for found in by_type.values()
        for place, entity in enumerate(sorted(found, key=lambda one: (one.name.casefold(), one.id)))
    }


def _entity(
    graph: Graph,
    vocabulary: Vocabulary,
    entity: Entity,
    position: int,
    cards: Mapping[str, Document],
    items: Mapping[str, list[Document]],
) -> Document:
    aliases = _aliases(graph, entity.id)
    linked = {edge.target for edges in graph.edges.get(entity.id, {}).values() for edge in edges}
    return {
        "doc": "entity",
        "type": entity.type,
        "ids": [*owners(entity), *forms(entity)],
        "name": entity.name,
        "aliases": aliases,
        "context": context(graph, entity),
        "sells": sold(graph, entity),
        "family": entity.facts.get("family", []),
        "settings": settings_of(entity),
        "groupings": [member.grouping.slug for member in graph.groupings.get(entity.id, ())],
        "description": " ".join(filter(None, _told(entity))),
        "linked": sorted(linked),
        "reach": reach(graph, vocabulary, entity.id),
        "popularity": graph.degree(entity.id) + 1,
        "position": position,
        "card": orjson.dumps(cards[entity.id]).decode(),
        "alias_list": aliases,
        "sources": list(entity.sources),
        "record": _record(graph, vocabulary, entity, cards, items),
    }


def _told(entity: Entity) -> tuple[str, ...]:
    return entity.short, entity.plain, entity.long, entity.facts.get("category", "")


def _record(
    graph: Graph,
    vocabulary: Vocabulary,
    entity: Entity,
    cards: Mapping[str, Document],
    items: Mapping[str, list[Document]],
) -> Document:
    summaries = {name: text for name in ("short", "plain", "long") if (text := getattr(entity, name))}
    aliases = graph.aliases.get(entity.id, ())
    return {
        **cards[entity.id],
        "summaries": summaries,
        "aliases": [{"text": one.text, "kind": one.kind, "source": one.sources[0]} for one in aliases],
        "attributes": _attributes(graph, entity),
        **groupings_of(graph, entity),
        "accommodation_ideas": _ideas(graph, entity, cards),
        "inherits": inherits(graph, entity, cards),
        "edges": [_edge_group(vocabulary, cards[entity.id], name, found) for name, found in items.items()],
        "sources": [source_line(graph.sources[source]) for source in _sources(graph, entity)],
        "external_ids": _external_ids(entity),
    }


def _attributes(graph: Graph, entity: Entity) -> dict[str, str]:
    found = {name: value for name, value in entity.facts.items() if value and name != "settings"}
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
    found = dict.fromkeys(entity.sources)
    for edges in graph.edges.get(entity.id, {}).values():
        for edge in edges:
            found.update(dict.fromkeys((*edge.sources, *edge.facts.get("school_sources", ()))))
    return list(found)


def _external_ids(entity: Entity) -> dict[str, str]:
    key = entity.id.partition(":")[2]
    found = {}
    if entity.type == "occupation":
        found["onet_soc"] = key
    elif entity.type == "ability":
        found["onet_element"] = key
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


def edge_item(edge: Edge, cards: Mapping[str, Document]) -> Document:
    """An edge as its reader sees it: the card at its other end, then the edge's own facts."""
    return {
        **cards[edge.target],
        "weight": edge.weight,
        "basis": edge.basis,
        "sources": list(edge.sources),
        **edge.facts,
    }


def _edge_pages(
    graph: Graph, node: str, cards: Mapping[str, Document], items: Mapping[str, list[Document]]
) -> Iterator[tuple[str, Document]]:
    owned = owners(graph.nodes[node])
    for name, found in items.items():
        for number, start in enumerate(range(0, len(found), PAGE)):
            page = found[start : start + PAGE]
            yield (
                f"{node}/{name}/{number}",
                {
                    "doc": "edges",
                    "owner": owned,
                    "edge": name,
                    "of": node,
                    "number": number,
                    "targets": [item["id"] for item in page],
                    "page": {"entity": cards[node], "total": len(found), "items": page},
                },
            )


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


def _related(graph: Graph, likeness: Sequence[Likeness], cards: Mapping[str, Document], node: str) -> Document:
    return {
        "entity": cards[node],
        "heir_of": speaker(graph, node),
        "kinds": [cards[kind]["name"] for kind in graph.kin.kinds(node, graph.listings.by_disability)],
        "items": [
            cards[one.disability]
            | {
                "score": round(one.score, 4),
                "shared": [cards[limitation] | {"weight": round(part, 4)} for limitation, part in one.shared],
                "shared_total": len(one.shared),
            }
            for one in likeness
        ],
    }


def count_documents(graph: Graph) -> int:
    """How many documents `documents` will yield, for a progress bar that tells the truth."""
    extra = {"disability": 3, "limitation": 2, "workrelatedfunction": 2, "solution": 2, "occupation": 2}
    entities = sum(extra.get(entity.type, 1) for entity in graph.nodes.values())
    pages = sum(-(-len(edges) // PAGE) for by_name in graph.edges.values() for edges in by_name.values())
    return entities + pages + len(graph.redirects)
