"""Builds what recommend reads of a condition from a graph in memory, as if no source listed anything for it.

The graph has the remaining listings, so every rate and every rarity is counted without the hidden rows.
"""

from collections.abc import Mapping
from typing import cast

from api.graph.listings import Condition, Edges, Listings, ListOwner, Need, Solution
from api.recommend.seed_lists import needs_without_lists
from api.recommend.seed_needs import SeedNeeds
from indexer.documents.edge_pages import nested_edge
from indexer.documents.entity import EntityCard, entity_sources
from indexer.documents.facts import list_owners
from indexer.graph.model import STATED, Graph, solution_settings


def holdout_needs(graph: Graph, condition: str, cards: Mapping[str, EntityCard]) -> SeedNeeds:
    """Return the needs of a condition with what is usual for them: no first choices of its own, nothing for school."""
    seed = _condition(graph, condition, cards)
    needs = {need: _need(graph, need, cards) for need in seed.stated_needs}
    owners = [owner.id for need in needs.values() for owner in need.inherits]
    needs |= {owner: _need(graph, owner, cards) for owner in owners if owner not in needs}
    solutions = {solution for need in needs.values() for solution in need.rates}
    listings = Listings({condition: seed}, needs, {node: _solution(graph, node, cards) for node in solutions})
    return needs_without_lists(seed, listings)


def _condition(graph: Graph, node: str, cards: Mapping[str, EntityCard]) -> Condition:
    edges = {
        name: [nested_edge(graph, edge, cards[edge.target], order, 0) for order, edge in enumerate(stated)]
        for name in STATED
        if (stated := graph.edges_named(node, name))
    }
    return Condition(
        card=cards[node].card,
        sources=entity_sources(graph, graph.nodes[node]),
        inherits=(),
        ancestors=(),
        main_needs=graph.editorial.main_needs.get(node, frozenset()),
        own_choices={},
        edges=cast("Edges", edges),
    )


def _need(graph: Graph, node: str, cards: Mapping[str, EntityCard]) -> Need:
    entity, choices = graph.nodes[node], graph.editorial.first_choices_by_need
    rates = graph.listings.rates.get(node, {})
    return Need(
        card=cards[node].card,
        sources=entity_sources(graph, entity),
        specificity=graph.listings.specificity(node),
        conditions=graph.listings.disabilities_with.get(node, 0),
        rarity=0.0,  # of the need among conditions; recommend does not read it
        similar=(),
        inherits=[
            ListOwner(owner.node, graph.nodes[owner.node].name, owner.relation, owner.similarity)
            for owner in list_owners(graph, entity)
        ],
        own_choices={},
        rates=rates,
        first_choices={solution: choices[node, solution] for solution in rates if (node, solution) in choices},
        school={},
        limits={
            edge.target: (edge.weight, graph.nodes[edge.target].name) for edge in graph.edges_named(node, "limits")
        },
    )


def _solution(graph: Graph, node: str, cards: Mapping[str, EntityCard]) -> Solution:
    entity = graph.nodes[node]
    return Solution(
        card=cards[node].card,
        sources=entity_sources(graph, entity),
        rarity=graph.listings.rarity(node),
        school_rarity=graph.school.rarity(node),
        settings=solution_settings(entity),
        made_for=graph.editorial.intended_for.get(node, ()),
        is_modification=node in graph.school.modifications,
    )
