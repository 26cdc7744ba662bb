"""A graph becomes index documents. Pure.

Several kinds of document share one index, told apart by `doc` (docs/decisions/0002 says why edges are pages):

* `entity`: what search matches, a ready card and the ready record; `_id` is the entity's id
* `edges`: one page of up to 100 edges of one name, ready to answer; `_id` is `id/edge/page`
* `heirlooms`: what a main condition hands down to narrower ones; `_id` is `id/heirlooms`
* `needs`, `products` and `related`: what recommend and related_conditions read; `_id` is `id/needs` and so on
* `moved`: where a retired id went; `_id` is the retired id
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import orjson

from indexer.context import context
from indexer.heirs import heirlooms, inheritance, is_narrower, kind_of, popularity, speakers
from indexer.other_names import other_names
from indexer.related import Likeness, related_conditions
from indexer.schema import SEPARATOR
from indexer.seeds import seed_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from indexer.graph import Edge, Graph
    from indexer.rows import Entity, Source
    from indexer.vocabulary import Vocabulary

PAGE = 100  # edges per page document; a hub of 25,000 edges has 250 pages
FIRST = 10  # edges of each name inside the record
PRODUCTS = 5  # shown with a recommended solution; the rest is one neighbors call away
HANDED_ON = 3  # solutions of each idea that a narrower condition's record shows; its speaker's record has all
WITH_MARKET = ("product", "vendor")
CODES = ("doid", "icd10cm", "mesh")  # facts of narrower conditions that are ids elsewhere
NOT_CHECKED = {"status": "unverified", "checked": None, "method": None, "evidence": None, "note": None}

Document = dict[str, Any]


def documents(graph: Graph, vocabulary: Vocabulary) -> Iterator[tuple[str, Document]]:
    """Every document of a release, as (`_id`, body), entity by entity."""
    positions = _positions(graph)
    cards = {node: card(entity) for node, entity in graph.nodes.items()}
    likeness = related_conditions(graph)
    speaking = {one for node in graph.nodes for one in speakers(graph, node)}
    for node, entity in graph.nodes.items():
        document = _entity(graph, vocabulary, entity, positions[node], cards)
        yield node, document
        if node in speaking:
            yield f"{node}/heirlooms", {"doc": "heirlooms", "heirlooms": heirlooms(document["record"], HANDED_ON)}
        yield from _edge_pages(graph, node, cards)
        if (needs := seed_document(graph, entity, cards)) is not None:
            seed_keys = [*owners(entity), *forms(entity), *_names(graph, entity)]
            yield f"{node}/needs", {"doc": "needs", "owner": owners(entity), "seed_keys": seed_keys, "needs": needs}
        if entity.type == "solution":
            yield f"{node}/products", {"doc": "products", "products": _products(graph, node, cards)}
        if entity.type == "disability":
            related = _related(likeness.get(node, []), cards, node)
            yield f"{node}/related", {"doc": "related", "owner": owners(entity), "related": related}
    for old, new in graph.redirects.items():
        yield old, {"doc": "moved", "moved_to": new}


def card(entity: Entity) -> Document:
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
    if entity.type in WITH_MARKET:
        shown["market_verification"] = NOT_CHECKED
    return shown


def forms(entity: Entity) -> list[str]:
    """The short forms under which an entity's type finds it: its key and its slug."""
    return list(dict.fromkeys((entity.id.partition(":")[2], entity.slug)))


def owners(entity: Entity) -> list[str]:
    """The full forms of an entity's id: `type:key` and `type:slug`."""
    return [f"{entity.type}:{form}" for form in forms(entity)]


def _names(graph: Graph, entity: Entity) -> list[str]:
    names = other_names(graph, entity.id)
    return [entity.name, *(alias.text for alias in names.shown), *names.hidden]


def _ids(entity: Entity) -> list[str]:
    """What a search takes for an id. A narrower condition's bare slug is a name, and gives way like one."""
    if not is_narrower(entity):
        return [*owners(entity), *forms(entity)]
    return [*owners(entity), *filter(None, [entity.facts.get("doid")])]


def _positions(graph: Graph) -> dict[str, int]:
    """Each entity's place in the list of its type, by name, narrower ones last: lists page by range at any depth."""
    by_type: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in graph.nodes.values():
        by_type[entity.type].append(entity)
    return {
        entity.id: place
        for found in by_type.values()
        for place, entity in enumerate(sorted(found, key=lambda one: (is_narrower(one), one.name.casefold(), one.id)))
    }


def _entity(
    graph: Graph, vocabulary: Vocabulary, entity: Entity, position: int, cards: Mapping[str, Document]
) -> Document:
    names = other_names(graph, entity.id)
    texts = (entity.short, entity.plain, entity.facts.get("category", "")) if not is_narrower(entity) else ()
    links = [f"{name}>{edge.target}" for name, edges in graph.edges.get(entity.id, {}).items() for edge in edges]
    return {
        "doc": "entity",
        "type": entity.type,
        "kind": kind_of(entity) or [],
        "ids": _ids(entity),
        "name": entity.name,
        "aliases": list(names.exact),
        "short_forms": list(names.short),
        "hidden": list(names.hidden),
        "context": [*context(graph, entity), *names.near],
        "family": entity.facts.get("family", []),
        "description": " ".join(filter(None, texts)),
        "links": links,
        "linked": sorted({link.partition(">")[2] for link in links}),
        "popularity": popularity(graph, entity.id),
        "position": position,
        "card": orjson.dumps(cards[entity.id]).decode(),
        "alias_list": [alias.text for alias in names.shown],
        "sources": list(entity.sources),
        "record": _record(graph, vocabulary, entity, cards),
    }


def _record(graph: Graph, vocabulary: Vocabulary, entity: Entity, cards: Mapping[str, Document]) -> Document:
    summaries = {name: text for name in ("short", "plain", "long") if (text := getattr(entity, name))}
    heritage = inheritance(graph, entity.id, cards)
    return {
        **cards[entity.id],
        "summaries": summaries,
        "aliases": [
            {"text": one.text, "kind": one.kind, "source": one.sources[0]}
            for one in other_names(graph, entity.id).shown
        ],
        "attributes": {name: value for name, value in entity.facts.items() if value and name not in CODES},
        **({"inherits": heritage} if heritage else {}),
        "accommodation_ideas": _ideas(graph, entity, cards),
        "edges": [_edge_group(graph, vocabulary, entity, name, cards) for name in graph.edges.get(entity.id, {})],
        "sources": [source_line(graph.sources[source]) for source in _sources(graph, entity)],
        "external_ids": _external_ids(entity),
    }


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
            found.update(dict.fromkeys(edge.sources))
    return list(found)


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


def _edge_group(
    graph: Graph, vocabulary: Vocabulary, entity: Entity, name: str, cards: Mapping[str, Document]
) -> Document:
    edges = graph.of(entity.id, name)
    kind = vocabulary.edges[name]
    return {
        "name": name,
        "label": kind.label,
        "direction": kind.direction,
        "target_types": sorted({cards[edge.target]["type"] for edge in edges}, key=vocabulary.types.index),
        "total": len(edges),
        "items": [edge_item(edge, cards) for edge in edges[:FIRST]],
        "url": f"{cards[entity.id]['url']}/neighbors?edge={name}",
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


def _edge_pages(graph: Graph, node: str, cards: Mapping[str, Document]) -> Iterator[tuple[str, Document]]:
    for name, edges in graph.edges.get(node, {}).items():
        for number, start in enumerate(range(0, len(edges), PAGE)):
            items = [edge_item(edge, cards) for edge in edges[start : start + PAGE]]
            page = {"entity": cards[node], "total": len(edges), "items": items}
            owner = owners(graph.nodes[node])
            yield (
                f"{node}/{name}/{number}",
                {"doc": "edges", "owner": owner, "edge": name, "number": number, "page": page},
            )


def _ideas(graph: Graph, entity: Entity, cards: Mapping[str, Document]) -> list[Document]:
    """A condition's solutions under the headings its source lists them; a heading's own solutions under itself."""
    if entity.type in ("limitation", "workrelatedfunction"):
        return _idea(graph, entity.id, cards, [edge.target for edge in graph.of(entity.id, "recommends")])
    under: defaultdict[str, list[str]] = defaultdict(list)
    for edge in graph.of(entity.id, "recommends"):
        for via in edge.facts.get("via", ()):
            under[via].append(edge.target)
    headings = [edge.target for name in ("has_limitation", "affects") for edge in graph.of(entity.id, name)]
    ordered = [heading for heading in headings if heading in under] + sorted(under.keys() - set(headings))
    return [idea for heading in ordered for idea in _idea(graph, heading, cards, under[heading])]


def _idea(graph: Graph, heading: str, cards: Mapping[str, Document], solutions: Iterable[str]) -> list[Document]:
    rates = graph.listings.rates.get(heading, {})
    ranked = sorted(solutions, key=lambda one: (-rates.get(one, 0.0), cards[one]["name"].casefold()))
    if not ranked:
        return []
    shown = {key: cards[heading][key] for key in ("id", "name", "type")}
    return [{"heading": shown, "solutions": [cards[one] | {"weight": round(rates.get(one, 0.0), 4)} for one in ranked]}]


def _products(graph: Graph, solution: str, cards: Mapping[str, Document]) -> Document:
    """The products to show first: made for accommodation before mainstream, vendor known, one per vendor at first."""
    found = []
    for edge in graph.of(solution, "implemented_by"):
        sellers = graph.of(edge.target, "sold_by")
        found.append((edge, sellers[0].target if sellers else None))
    seen: Counter[str | None] = Counter()
    ranked = []
    for edge, vendor in found:
        ranked.append(((-edge.weight, vendor is None, seen[vendor]), edge.target, vendor))
        seen[vendor] += 1
    ranked.sort(key=lambda one: one[0])
    shown = ranked[:PRODUCTS]
    nodes = [node for _, product, vendor in shown for node in (product, vendor) if node]
    sources = dict.fromkeys(source for node in nodes for source in graph.nodes[node].sources)
    items = [cards[product] | {"vendor": cards[vendor] if vendor else None} for _, product, vendor in shown]
    return {"items": items, "sources": list(sources)}


def _related(likeness: Sequence[Likeness], cards: Mapping[str, Document], node: str) -> Document:
    return {
        "entity": cards[node],
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
