"""The document of an entity: what queries match, what a search hit shows, and the facts of records and rankings."""

import base64
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import orjson

from indexer.content.rows import Entity, Finding
from indexer.documents import facts
from indexer.documents.search_fields import usual_needs
from indexer.graph.co_occurrence import related_facts
from indexer.graph.model import REPORTED_TITLE, Graph, alias_groups, is_narrower, popularity, solution_settings
from indexer.graph.similarity import LimitationStatistics
from schema.document_ids import ASSISTIVE_BOOST, ENTITY, POPULARITY_BOOST, POPULARITY_PIVOT, TYPE_BOOSTS
from schema.entity_kinds import ASSISTIVE, MAINSTREAM
from schema.exact_keys import name_lines
from schema.json_types import JsonObject
from schema.market_rules import MARKET_RULES, MARKET_TYPES

NOT_CHECKED = {"status": "unverified", "checked": None, "method": None, "evidence": None, "note": None}


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


class Inheritance(NamedTuple):
    """The conditions that a narrower one inherits from.

    It is familiar if another entity has its name as an alias: "dyslexia" is one of Learning Disability.
    """

    sources: Sequence[str] = ()
    is_familiar: bool = False


def entity_document(
    graph: Graph,
    entity: Entity,
    position: int,
    card: EntityCard,
    inheritance: Inheritance,
    limitations: Mapping[str, LimitationStatistics],
) -> JsonObject:
    """Return the document of an entity without what queries match. `position` is that in the list of its type."""
    edge_popularity = popularity(graph, entity.id)
    sources = entity_sources(graph, entity)
    prior = document_prior(entity, edge_popularity)
    is_familiar = is_narrower(entity) and inheritance.is_familiar
    standing = max(prior, TYPE_BOOSTS["disability"] + ASSISTIVE_BOOST if is_familiar else 0.0)
    return {
        "doc": ENTITY,
        "entity": entity.id,
        "popularity": edge_popularity,
        "prior": prior,
        "standing": standing,
        "position": position,
        "hit": hit_payload(graph, entity, card, inheritance.sources, prior, standing),
        "card": card.text,
        "sources": sources,
        **facts.record_facts(graph, entity),
        **facts.edge_arrays(graph, entity.id, inheritance.sources),
        **facts.hierarchy_facts(graph, entity, inheritance.sources),
        **facts.statistics(graph, entity, limitations),
        **related_facts(graph, entity),
        **graph.guidance.facts(entity),
    }


def hit_payload(
    graph: Graph, entity: Entity, card: EntityCard, inherits_from: Sequence[str], prior: float, standing: float
) -> str:
    """Return what a search reads of a hit, as base64 of JSON: one binary doc value is read in a tenth of the time."""
    shown = alias_groups(graph, entity.id).shown
    aliases = [alias.text for alias in shown if alias.kind != REPORTED_TITLE]
    titles = [alias.text for alias in shown if alias.kind == REPORTED_TITLE]
    payload = {
        "card": card.card,
        "aliases": aliases,
        "words": name_lines((entity.name, *aliases, *titles)),
        "sources": entity_sources(graph, entity),
        "prior": round(prior, 2),
        "standing": round(standing, 2),
    }
    if entity.facts.get("family") == MAINSTREAM:
        payload["mainstream"] = True
    if entity.type == "solution" and "product" not in entity.facts.get("kind", "product"):
        payload["is_no_product"] = True  # a service or a strategy, which is no device
    if titles:
        payload["titles"] = titles
    if sides := graph.guidance.shown_sides(entity):
        payload["sides"] = sides
    if entity.type == "solution":
        first = [choice.need for choice in graph.first_choices if choice.solution == entity.id]
        needs = dict.fromkeys((*usual_needs(graph, entity), *first))
        payload["needs"] = [graph.nodes[need].name for need in needs]
    if inherits_from:
        payload["broader"] = [graph.nodes[source].name for source in inherits_from]
    return base64.b64encode(orjson.dumps(payload)).decode()


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


def document_prior(entity: Entity, edge_popularity: int) -> float:
    """Return what a search adds to the score of a match; popularity is one more than the number of edges."""
    return POPULARITY_BOOST * edge_popularity / (edge_popularity + POPULARITY_PIVOT) + static_rank(entity)


def static_rank(entity: Entity) -> float:
    """Return the part of the prior that depends on the type and the product family.

    A narrower condition with a written text is one that people ask for; it comes with solutions, below main conditions.
    """
    if is_narrower(entity):
        return ASSISTIVE_BOOST + TYPE_BOOSTS["solution"] if entity.plain else 0.0
    family_boost = ASSISTIVE_BOOST if entity.facts.get("family", ASSISTIVE) == ASSISTIVE else 0.0
    return family_boost + TYPE_BOOSTS.get(entity.type, 0.0)
