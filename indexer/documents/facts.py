"""What the document of an entity stores beside its searchable words: its facts, its neighbors and statistics.

The service composes records, recommendations and related conditions from these fields and the pages of edges.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.rows import Entity, FirstChoice, Source
from indexer.graph.hierarchy import RelatedEntity
from indexer.graph.model import STATED, SUMMARIES, Graph, alias_groups, is_narrower, onet_ids
from indexer.graph.similarity import LimitationStatistics
from schema.edge_documents import MAX_ARRAY_LENGTH
from schema.entity_kinds import NEED_TYPES
from schema.json_types import JsonObject

CODES = ("doid", "icd10cm", "mesh")  # facts of narrower conditions that are ids in other databases


def record_facts(graph: Graph, entity: Entity) -> JsonObject:
    """Return what a record shows of the entity itself: summaries, aliases, attributes, groupings, external ids."""
    return {
        "summaries": {name: text for name in SUMMARIES if (text := getattr(entity, name))},
        "alias_details": [
            {"text": alias.text, "kind": alias.kind, "source": alias.sources[0]}
            for alias in alias_groups(graph, entity.id).shown
        ],
        "attributes": _attributes(graph, entity),
        "grouping_details": [
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
        ],
        "external_ids": _external_ids(entity),
        "edge_sources": _edge_sources(graph, entity.id),
    }


def _attributes(graph: Graph, entity: Entity) -> list[JsonObject]:
    facts = {name: value for name, value in entity.facts.items() if value and name not in ("settings", *CODES)}
    if intended_for := graph.editorial.intended_for.get(entity.id):
        facts["made_for"] = SEPARATOR.join(intended_for)
    return [{"name": name, "value": value} for name, value in facts.items()]


def _external_ids(entity: Entity) -> dict[str, str]:
    codes = {name: ", ".join(entity.facts[name].split(SEPARATOR)) for name in CODES if name in entity.facts}
    return onet_ids(entity) | codes | ({"page": entity.url} if entity.url else {})


def _edge_sources(graph: Graph, node: str) -> list[str]:
    groups: dict[Sequence[str], None] = {}  # few, and shared by many edges
    for edge in chain.from_iterable(graph.edges.get(node, {}).values()):
        groups |= dict.fromkeys((edge.sources, edge.facts.get("school_sources", ())))
    return list(dict.fromkeys(source for group in groups for source in group))


def edge_arrays(graph: Graph, node: str, inheritance_sources: Sequence[str]) -> JsonObject:
    """Return the targets of each edge name in the order of the edges, of all stated edges, and of the inherited ones.

    An inheriting condition has the limitations and functions of its inheritance sources. A longer array than
    MAX_ARRAY_LENGTH is left out: membership is then a query on the other end.
    """
    by_name = graph.edges.get(node, {})
    arrays = {name: [edge.target for edge in edges] for name, edges in by_name.items()}
    inherited = [edge.target for edges in by_name.values() for edge in edges if edge.basis == "inherited"]
    for name in STATED if inheritance_sources else ():
        targets = _merged_targets(graph, name, inheritance_sources)
        inherited += targets
        if targets:
            arrays[name] = targets
    linked = sorted({edge.target for edges in by_name.values() for edge in edges})
    arrays |= {"linked": linked, "inherited": inherited}
    return {name: targets for name, targets in arrays.items() if 0 < len(targets) <= MAX_ARRAY_LENGTH}


def _merged_targets(graph: Graph, name: str, sources: Iterable[str]) -> list[str]:
    """Return the targets of these entities without repetition, by greatest weight, then by name."""
    weights: dict[str, float] = {}
    for edge in chain.from_iterable(graph.edges_named(source, name) for source in sources):
        weights[edge.target] = max(edge.weight, weights.get(edge.target, 0.0))
    return sorted(weights, key=lambda target: (-weights[target], graph.nodes[target].name.casefold(), target))


def hierarchy_facts(graph: Graph, entity: Entity, inheritance_sources: Sequence[str]) -> JsonObject:
    """Return what an entity inherits from, or whose lists it uses because it has none, and its ancestors."""
    related = [RelatedEntity(source, "broader") for source in inheritance_sources] or list_owners(graph, entity)
    inherits = [
        {"id": owner.node, "name": graph.nodes[owner.node].name, "relation": owner.relation}
        | ({"similarity": owner.similarity} if owner.relation == "similar" else {})
        for owner in related
    ]
    facts: JsonObject = {"inherits": inherits} if inherits else {}
    if sources := dict.fromkeys(source for owner in related for source in graph.nodes[owner.node].sources):
        facts["inherits_sources"] = list(sources)
    if inheritance_sources:
        facts["inherits_from"] = list(inheritance_sources)
    if ancestors := [ancestor for level in graph.hierarchy.ancestors(entity.id) for ancestor in level]:
        facts["ancestors"] = ancestors
    return facts


def list_owners(graph: Graph, entity: Entity) -> list[RelatedEntity]:
    """Return the entities whose lists an entity uses; empty if it has lists or inherits from main conditions."""
    listings, hierarchy = graph.listings, graph.hierarchy
    if entity.type in NEED_TYPES and entity.id not in listings.rates:
        return hierarchy.entities_to_inherit_from(entity.id, listings.rates)
    if entity.type == "disability" and graph.has_no_statements(entity.id):
        return hierarchy.entities_to_inherit_from(entity.id, listings.by_disability)
    return []


def statistics(graph: Graph, entity: Entity, limitations: Mapping[str, LimitationStatistics]) -> JsonObject:
    """Return the counts and editorial choices from which the service ranks; most types have none."""
    facts: JsonObject = {}
    if entity.type in NEED_TYPES:
        facts["specificity"] = graph.listings.specificity(entity.id)
        facts["listing_conditions"] = graph.listings.disabilities_with.get(entity.id, 0)
    if entity.type == "solution":
        facts["rarity"] = graph.listings.rarity(entity.id)
        facts["school_rarity"] = graph.school.rarity(entity.id)
        facts["made_for"] = list(graph.editorial.intended_for.get(entity.id, ()))
        facts["is_modification"] = entity.id in graph.school.modifications
    if (limitation := limitations.get(entity.id)) is not None:
        facts["rarity"] = limitation.rarity
        facts["similar_limitations"] = [similar._asdict() for similar in limitation.similar]
    if main_needs := graph.editorial.main_needs.get(entity.id):
        facts["main_needs"] = sorted(main_needs)
    if choices := _first_choices(graph, entity):
        facts["first_choices"] = [
            {"solution": choice.solution, "strength": choice.strength}
            | ({"settings": list(choice.settings)} if choice.settings else {})
            for choice in choices
        ]
    return facts


def _first_choices(graph: Graph, entity: Entity) -> Sequence[FirstChoice]:
    """Return the first choices for an entity; a narrower condition without any has those of its nearest ancestors."""
    stated = graph.editorial.first_choices_by_seed
    if entity.id in stated or not is_narrower(entity):
        return stated.get(entity.id, ())
    for level in graph.hierarchy.ancestors(entity.id):
        found = [choice for id_ in level if is_narrower(graph.nodes[id_]) for choice in stated.get(id_, ())]
        if found:
            return list({(choice.solution, choice.settings): choice for choice in found}.values())
    return ()


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
