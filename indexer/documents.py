"""A graph becomes index documents. Pure.

Several kinds of document share one index, told apart by `doc` (docs/decisions/0002 says why edges are pages):

* `entity`: what search matches, with a ready card; `_id` is the entity's id
* `record`: the ready record of an entity, apart from all the words that it is found by; `_id` is `id/record`
* `edges`: one page of up to 100 edges of one name, ready to answer; `_id` is `id/edge/page`
* `heirlooms`: what a condition hands down to those that it speaks for; `_id` is `id/heirlooms`
* `needs`, `products` and `related`: what recommend and related_conditions read; `_id` is `id/needs` and so on.
  The related conditions of one that inherits are those of the first that speaks for it; the build puts the answer for
  a seed alone beside its needs
* `moved`: where a retired id went; `_id` is the retired id
* `ledger` and `changes`, written by the build itself: what a later release is compared by, and what is other than in
  the release before
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import orjson

from indexer.context import context, joined
from indexer.deflated import deflated
from indexer.heirs import (
    all_speakers,
    heirlooms,
    heirs,
    in_order,
    is_narrower,
    kind_of,
    legacy,
    popularity,
)
from indexer.market.rules import RULES
from indexer.other_names import other_names
from indexer.placing import settings_of
from indexer.prior import prior, standing
from indexer.products import recommended_products
from indexer.reach import reach
from indexer.records import record_of
from indexer.related import Likeness, related_conditions
from indexer.seeds import seed_document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from indexer.graph import Edge, Graph
    from indexer.rows import Entity, Finding
    from indexer.vocabulary import Vocabulary

PAGE = 100  # edges per page document; a hub of 25,000 edges has 250 pages
WITH_MARKET = ("product", "vendor")
TITLE = "title"  # the kind of another name that is a reported job title
WHOLE_GROUP = ".00"  # ends the O*NET-SOC code of an occupation that is a whole SOC group
NOT_CHECKED = {"status": "unverified", "checked": None, "method": None, "evidence": None, "note": None}

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Making:
    """What must be known of a whole graph to make the documents of any of its entities."""

    graph: Graph
    vocabulary: Vocabulary
    positions: Mapping[str, int]
    cards: Mapping[str, Document]
    likeness: Mapping[str, Sequence[Likeness]]
    speaking: Mapping[str, tuple[str, ...]]
    spoken_for: Mapping[str, Sequence[str]]
    legacies: Mapping[tuple[str, ...], Any]

    @staticmethod
    def of(graph: Graph, vocabulary: Vocabulary) -> Making:
        """Work it out."""
        speaking = all_speakers(graph)
        return Making(
            graph,
            vocabulary,
            positions=_positions(graph),
            cards={node: card(entity, graph.findings.get(node)) for node, entity in graph.nodes.items()},
            likeness=related_conditions(graph),
            speaking=speaking,
            spoken_for=heirs(speaking),
            legacies={several: legacy(graph, several) for several in {*speaking.values(), ()}},
        )

    def of_entity(self, entity: Entity) -> Iterator[tuple[str, Document]]:
        """The documents of one entity, as (`_id`, body)."""
        graph, cards, node = self.graph, self.cards, entity.id
        speaks, heard = self.speaking.get(node, ()), self.spoken_for.get(node, ())
        items = {name: [edge_item(edge, cards) for edge in edges] for name, edges in graph.edges.get(node, {}).items()}
        record = record_of(graph, self.vocabulary, entity, cards, items, self.legacies[speaks])
        around = {"reach": reach(graph, self.vocabulary, node, speaks)}
        yield node, _entity(graph, entity, self.positions[node], cards) | around
        own = {"owner": _whole_ids(entity), "sources": list(entity.sources)}
        yield f"{node}/record", {"doc": "record", **own, "record": record}
        if node in self.spoken_for:
            yield f"{node}/heirlooms", heirlooms(record)
        yield from _edge_pages(graph, node, cards, items)
        if (needs := seed_document(graph, entity, cards, speaks)) is not None:
            yield f"{node}/needs", _needs(graph, entity, needs, heard)
        if entity.type == "solution":
            yield f"{node}/products", {"doc": "products", "products": recommended_products(graph, node, cards)}
        if entity.type == "disability" and node not in self.speaking:
            related = _related(graph, self.likeness.get(node, []), cards, node)
            led = [heir for heir in heard if self.speaking[heir][0] == node]
            keys = [key for heir in led for key in owners(graph.nodes[heir])]
            yield f"{node}/related", {"doc": "related", "owner": owners(entity), "heir_keys": keys, "related": related}


def documents(graph: Graph, vocabulary: Vocabulary) -> Iterator[tuple[str, Document]]:
    """Every document of a graph, as (`_id`, body), entity by entity."""
    making = Making.of(graph, vocabulary)
    for entity in graph.nodes.values():
        yield from making.of_entity(entity)
    yield from moved(graph)


def moved(graph: Graph) -> Iterator[tuple[str, Document]]:
    """Where retired ids went."""
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


def _ids(entity: Entity) -> list[str]:
    """What a search takes for an id. A narrower condition's bare slug is a name, and gives way like one."""
    if not is_narrower(entity):
        return [*owners(entity), *forms(entity), *_group(entity)]
    cut = [] if _letters(entity.slug) == _letters(entity.name) else [entity.slug]  # no name where it was shortened
    return [*owners(entity), *cut, *filter(None, [entity.facts.get("doid")])]


def _whole_ids(entity: Entity) -> list[str]:
    """The same with the type before each."""
    return list(dict.fromkeys(f"{entity.type}:{one.removeprefix(f'{entity.type}:')}" for one in _ids(entity)))


def _group(entity: Entity) -> list[str]:
    """The SOC code that an occupation is the whole of: 15-1252 for 15-1252.00."""
    code, whole, rest = entity.id.partition(":")[2].partition(WHOLE_GROUP)
    return [code] if entity.type == "occupation" and whole and not rest else []


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, normalize("NFKD", text).casefold()))


def _called(graph: Graph, node: str) -> list[str]:
    """The other names by which an entity can be asked for, those that are never shown among them."""
    names = other_names(graph, node)
    return [*(alias.text for alias in names.shown), *names.hidden]


def _needs(graph: Graph, entity: Entity, needs: Document, heirs: Iterable[str]) -> Document:
    """What recommend reads, with the names by which it is found: the entity's own, and those of its heirs."""
    aliases = _called(graph, entity.id)
    named = {heir: [graph.nodes[heir].name, *_called(graph, heir)] for heir in heirs}
    return {
        "doc": "needs",
        "owner": owners(entity),
        "seed_type": entity.type,
        "seed_keys": [
            *owners(entity),
            *_meant(graph, entity),
            *forms(entity),
            entity.name,
            *aliases,
            *_retired(graph, entity.id),
        ],
        "popularity": popularity(graph, entity.id),
        "seed_name": entity.name,
        "seed_aliases": aliases,
        "heir_keys": [key for heir in heirs for key in (*owners(graph.nodes[heir]), *forms(graph.nodes[heir]))]
        + [name for names in named.values() for name in names],
        "heir_names": [name for names in named.values() for name in names],
        "needs": deflated(needs),
    }


def _meant(graph: Graph, entity: Entity) -> list[str]:
    """Names that mean a job and no other, beside the titles that several report: with the type before them."""
    if entity.type != "occupation":
        return []
    return [f"{entity.type}:{one.text}" for one in other_names(graph, entity.id).shown if one.kind != TITLE]


def _retired(graph: Graph, node: str) -> list[str]:
    """The ids that an entity had before, or that those had whose heir it is, in both their forms."""
    old = [old for old, new in graph.redirects.items() if new == node]
    return [form for one in old for form in (one, one.partition(":")[2])]


def _positions(graph: Graph) -> dict[str, int]:
    """Each entity's place in the list of its type, by name, narrower ones last: lists page by range at any depth."""
    by_type: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in graph.nodes.values():
        by_type[entity.type].append(entity)
    return {entity.id: place for found in by_type.values() for place, entity in enumerate(in_order(found))}


def _entity(graph: Graph, entity: Entity, position: int, cards: Mapping[str, Document]) -> Document:
    names = other_names(graph, entity.id)
    linked = {edge.target for edges in graph.edges.get(entity.id, {}).values() for edge in edges}
    known = popularity(graph, entity.id)
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
        "joined": joined(graph, entity),
        "family": entity.facts.get("family", []),
        "settings": settings_of(entity),
        "groupings": [member.grouping.slug for member in graph.groupings.get(entity.id, ())],
        "description": " ".join(filter(None, _told(entity))),
        "linked": sorted(linked),
        "popularity": known,
        "prior": prior(entity, known),
        "standing": standing(entity) or [],
        "position": position,
        "card": orjson.dumps(cards[entity.id]).decode(),
        "alias_list": [alias.text for alias in names.shown],
        "sources": list(entity.sources),
    }


def _told(entity: Entity) -> tuple[str, ...]:
    """What search reads beside names; a narrower condition is found by its names alone."""
    if is_narrower(entity):
        return ()
    return entity.short, entity.plain, entity.long, entity.facts.get("category", "")


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


def _related(graph: Graph, likeness: Sequence[Likeness], cards: Mapping[str, Document], node: str) -> Document:
    return {
        "entity": cards[node],
        "kinds": [cards[kind]["name"] for kind in graph.kin.kinds(node, graph.listings.by_disability)],
        "items": [
            cards[one.disability]
            | {
                "score": round(one.score, 4),
                "shared": [cards[limitation] | {"weight": round(part, 4)} for limitation, part in one.shared],
                "shared_total": len(one.shared),
                "relation": graph.kin.relation(node, one.disability),
            }
            for one in likeness
        ],
    }


def count_documents(graph: Graph) -> int:
    """How many documents `documents` will yield, for a progress bar that tells the truth."""
    extra = {"disability": 4, "limitation": 3, "workrelatedfunction": 3, "solution": 3, "occupation": 3}
    entities = sum(extra.get(entity.type, 2) for entity in graph.nodes.values())
    pages = sum(-(-len(edges) // PAGE) for by_name in graph.edges.values() for edges in by_name.values())
    speaking = all_speakers(graph)  # an heir has no related conditions of its own
    heirlooms_too = len(heirs(speaking)) - len(speaking)
    return entities + pages + heirlooms_too + len(graph.redirects)
