"""The searchable document of an entity: its ids, its card, its prior (the query-independent score) and its context.

The context are names of neighbors. Those that would match too much are in `joined`, which counts only beside a type
hint ("conditions that cause fatigue").
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import orjson

from indexer.content.rows import Entity, Finding
from indexer.documents import facts
from indexer.graph.model import STATED, Graph, alias_groups, is_narrower, kind_of, popularity, solution_settings
from indexer.graph.similarity import LimitationStatistics
from schema.document_ids import ASSISTIVE_BOOST, ENTITY, POPULARITY_BOOST, POPULARITY_PIVOT, TYPE_BOOSTS
from schema.entity_kinds import ASSISTIVE, NEED_TYPES, WORK
from schema.json_types import JsonObject
from schema.market_rules import MARKET_RULES, MARKET_TYPES
from schema.text import name_key

SEED_TYPES = ("disability", *NEED_TYPES, "occupation")  # what recommend takes
REPORTED_TITLE = "title"  # the kind of an alias that is a reported job title
FEATURE_BITS = 9  # that OpenSearch stores of a rank feature; it drops the others
GROUP_SUFFIX = ".00"  # ends the O*NET-SOC code of an occupation that covers an entire SOC group
NOT_CHECKED = {"status": "unverified", "checked": None, "method": None, "evidence": None, "note": None}
MAX_NEEDS = 6  # the needs under which a solution is listed most; more would make "flexible schedule" match everything
MIN_LISTING_SHARE = 0.5  # of the pages with that need
STATED_EDGES = {
    "disability": STATED,
    "limitation": ("limitation_of",),
    "workrelatedfunction": ("affected_by",),
}
MIN_LIMITED_ABILITIES = 1.0  # sum of the weights over required abilities: standing needs two of four


class EntityCard(NamedTuple):
    """The card of an entity, the same as JSON, and as the members of an edge that leads to it."""

    card: JsonObject
    text: str
    target: JsonObject

    @classmethod
    def of(cls, entity: Entity, finding: Finding | None = None) -> "EntityCard":
        """Return the card of an entity with its market finding, if there is one."""
        card = entity_card(entity, finding)
        target = {f"target_{name}": card[name] for name in ("type", "name", "slug", "summary")}
        target |= {
            member: card[name]
            for name, member in (("settings", "target_settings"), ("market_verification", "target_market"))
            if name in card
        }
        return cls(card, orjson.dumps(card).decode(), {"target": entity.id, **target, "target_sources": entity.sources})


def entity_document(
    graph: Graph,
    entity: Entity,
    position: int,
    card: EntityCard,
    inheritance_sources: Sequence[str],
    limitations: Mapping[str, LimitationStatistics],
) -> JsonObject:
    """Return what search matches and shows of an entity, and its facts. `position` is that in the list of its type."""
    return {
        "doc": ENTITY,
        "entity": entity.id,
        **_searchable_texts(graph, entity),
        **_priors(entity, popularity(graph, entity.id)),
        "position": position,
        "card": card.text,
        "alias_list": [alias.text for alias in alias_groups(graph, entity.id).shown],
        "sources": entity_sources(graph, entity),
        **facts.record_facts(graph, entity),
        **facts.edge_arrays(graph, entity.id, inheritance_sources),
        **facts.hierarchy_facts(graph, entity, inheritance_sources),
        **facts.statistics(graph, entity, limitations),
    }


def _searchable_texts(graph: Graph, entity: Entity) -> JsonObject:
    """Return the ids, names, texts and keywords that queries match."""
    aliases = alias_groups(graph, entity.id)
    return {
        "type": entity.type,
        "kind": kind_of(entity) or [],
        "ids": _searchable_ids(graph, entity),
        "owner": owner_ids(entity),
        "name": entity.name,
        "aliases": list(aliases.exact),
        "short_forms": list(aliases.short),
        "hidden": list(aliases.hidden),
        "context": [*context_names(graph, entity), *aliases.near],
        "joined": neighbor_names(graph, entity),
        "family": entity.facts.get("family", []),
        "settings": solution_settings(entity),
        "groupings": [member.grouping.slug for member in graph.groupings.get(entity.id, ())],
        "description": " ".join(filter(None, _description(entity))),
        "lookup_keys": _lookup_keys(graph, entity),
    }


def _priors(entity: Entity, edge_popularity: int) -> JsonObject:
    return {
        "popularity": edge_popularity,
        "prior": document_prior(entity, edge_popularity),
        "standing": static_rank(entity) or [],
    }


def _lookup_keys(graph: Graph, entity: Entity) -> list[str]:
    """Return every id, name and alias that names an entity exactly, hidden aliases included.

    An alias that means only this job has a second form with the type; several jobs may report the same title.
    """
    if entity.type not in SEED_TYPES:
        return []
    shown = alias_groups(graph, entity.id).shown
    typed = [f"{entity.type}:{alias.text}" for alias in shown if alias.kind != REPORTED_TITLE]
    return [
        *owner_ids(entity),
        *(typed if entity.type == "occupation" else ()),
        *id_forms(entity),
        entity.name,
        *(alias.text for alias in shown),
        *alias_groups(graph, entity.id).hidden,
        *retired_ids(graph, entity.id),
    ]


def _description(entity: Entity) -> tuple[str, ...]:
    """Return the searchable text beside the names; a narrower condition matches only by its names."""
    if is_narrower(entity):
        return ()
    return entity.short, entity.plain, entity.long, entity.facts.get("category", "")


def entity_card(entity: Entity, finding: Finding | None = None) -> JsonObject:
    """Return what a list shows of an entity. `url` is relative to the service."""
    card: JsonObject = {
        "id": entity.id,
        "type": entity.type,
        "slug": entity.slug,
        "name": entity.name,
        "summary": entity.short,
        "url": f"/{entity.type}/{entity.id.partition(':')[2]}",
    }
    if settings := solution_settings(entity):
        card["settings"] = settings
    if entity.type in MARKET_TYPES:
        card["market_verification"] = _market_verification(finding) if finding else NOT_CHECKED
    return card


def _market_verification(finding: Finding) -> JsonObject:
    """Return a finding; its note has the sentence of its rule, and a second one if the finding is stale."""
    return {
        "status": finding.status,
        "checked": finding.checked,
        "method": finding.rule,
        "evidence": finding.evidence,
        "note": " ".join(filter(None, (MARKET_RULES[finding.rule].sentence, finding.stale))),
    }


def entity_sources(graph: Graph, entity: Entity) -> list[str]:
    """Return the sources of an entity, of its aliases (hidden ones are echoed as typed) and of its groupings."""
    groups = [entity.sources, *(alias.sources for alias in graph.aliases.get(entity.id, ()))]
    groups += [member.sources for member in graph.groupings.get(entity.id, ())]
    return list(dict.fromkeys(source for group in groups for source in group))


def id_forms(entity: Entity) -> list[str]:
    """Return every id of an entity within its type: its key, its slug, and its other code."""
    doid = filter(None, [entity.facts.get("doid")])
    return list(dict.fromkeys((entity.id.partition(":")[2], entity.slug, *_soc_group(entity), *doid)))


def owner_ids(entity: Entity) -> list[str]:
    """Return every id of an entity with its type: `type:key`, `type:slug`."""
    return [f"{entity.type}:{form}" for form in id_forms(entity)]


def retired_ids(graph: Graph, node: str) -> list[str]:
    """Return the ids that lead to an entity, with and without type."""
    retired = [old for old, new in graph.redirects.items() if new == node]
    return [form for old in retired for form in (old, old.partition(":")[2])]


def _searchable_ids(graph: Graph, entity: Entity) -> list[str]:
    """Return what search accepts as an id. The bare slug of a narrower condition is its name, and ranks like one."""
    name = name_key(entity.name) if is_narrower(entity) else None
    bare = [form for form in id_forms(entity) if name_key(form) != name]
    return [*owner_ids(entity), *bare, *retired_ids(graph, entity.id)]


def _soc_group(entity: Entity) -> list[str]:
    """Return the SOC code of an occupation that covers the entire group: 15-1252 for 15-1252.00."""
    code, suffix, rest = entity.id.partition(":")[2].partition(GROUP_SUFFIX)
    return [code] if entity.type == "occupation" and suffix and not rest else []


def document_prior(entity: Entity, edge_popularity: int) -> float:
    """Return what a search adds to the score of a match; popularity is one more than the number of edges."""
    dropped_bits = max(0, edge_popularity.bit_length() - FEATURE_BITS)
    stored = edge_popularity >> dropped_bits << dropped_bits
    return POPULARITY_BOOST * stored / (stored + POPULARITY_PIVOT) + static_rank(entity)


def static_rank(entity: Entity) -> float:
    """Return the part of the prior that depends on the type and the product family."""
    if is_narrower(entity):
        return 0.0
    family_boost = ASSISTIVE_BOOST if entity.facts.get("family", ASSISTIVE) == ASSISTIVE else 0.0
    return family_boost + TYPE_BOOSTS.get(entity.type, 0.0)


def context_names(graph: Graph, entity: Entity) -> list[str]:
    """Return the names of an entity's nearest neighbors without repetition, nearest first.

    They make it findable by what it is for: a solution matches the limitations and functions it is listed for ("mouse
    for shaky hands"), a product its solutions, a vendor what it sells ("vendors of braille displays"), a condition its
    groupings ("other health impairment").
    """
    return list(dict.fromkeys(_context_names(graph, entity)))


def _context_names(graph: Graph, entity: Entity) -> Iterator[str]:
    if entity.type == "solution":
        for need in _usual_needs(graph, entity)[:MAX_NEEDS]:
            yield from _names(graph, need)
    elif entity.type in ("disability", "limitation"):
        for member in graph.groupings.get(entity.id, ()):
            yield from (member.grouping.name, *member.grouping.aliases)
    elif entity.type == "product":
        for edge in graph.edges_named(entity.id, "implements"):
            yield from _names(graph, edge.target)
    elif entity.type == "vendor":
        for edge in graph.edges_named(entity.id, "sells"):
            product = graph.nodes[edge.target]
            yield product.facts.get("category", "")
            yield from (graph.nodes[solution.target].name for solution in graph.edges_named(edge.target, "implements"))


def _usual_needs(graph: Graph, solution: Entity) -> list[str]:
    """Return the needs for which a solution is usual at work; for a solution only for school, all of its few needs."""
    needs = [
        edge
        for edge in graph.edges_named(solution.id, "recommended_for")
        if graph.nodes[edge.target].type in NEED_TYPES and edge.basis != "inherited"
    ]
    if WORK not in solution.facts.get("settings", WORK):
        return [edge.target for edge in needs]
    at_work = [edge for edge in needs if not graph.school.is_only_for_school(edge.target, solution.id, graph.listings)]
    return [edge.target for edge in at_work[:MAX_NEEDS] if edge.weight >= MIN_LISTING_SHARE]


def neighbor_names(graph: Graph, entity: Entity) -> list[str]:
    """Return the names of neighbors that count only beside a type hint: alone they would match almost any query.

    For a vendor its products and their solutions ("who sells hearing loops"), for a condition its limitations
    ("conditions that cause fatigue"), for a limitation or function its conditions ("limitations of arthritis"), for an
    occupation what it requires ("jobs that require standing").
    """
    if entity.type == "occupation":
        return sorted(graph.nodes[node].name for node in _requirements(graph, entity.id))
    return sorted({name for node in _neighbors(graph, entity) for name in _names(graph, node)})


def _neighbors(graph: Graph, entity: Entity) -> Iterator[str]:
    if entity.type == "vendor":
        for edge in graph.edges_named(entity.id, "sells"):
            yield edge.target
            yield from (solution.target for solution in graph.edges_named(edge.target, "implements"))
    elif not is_narrower(entity):  # these match only by their names, and thousands inherit the same limitations
        for name in STATED_EDGES.get(entity.type, ()):
            targets = (edge.target for edge in graph.edges_named(entity.id, name) if edge.basis != "inherited")
            yield from (target for target in targets if not is_narrower(graph.nodes[target]))


def _requirements(graph: Graph, occupation: str) -> set[str]:
    """Return the abilities that an occupation requires, and the limitations that limit several of them."""
    abilities = {edge.target for edge in graph.edges_named(occupation, "requires")}
    limited: defaultdict[str, float] = defaultdict(float)
    for ability in abilities:
        for edge in graph.edges_named(ability, "limited_by"):
            limited[edge.target] += edge.weight
    return abilities | {limitation for limitation, weight in limited.items() if weight >= MIN_LIMITED_ABILITIES}


def _names(graph: Graph, node: str) -> Iterator[str]:
    yield graph.nodes[node].name
    yield from (alias.text for alias in alias_groups(graph, node).shown)
