"""Query-independent score of an entity, by its type, product family and popularity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.graph.model import is_narrower
from schema.document_ids import ASSISTIVE_BOOST, POPULARITY_BOOST, POPULARITY_PIVOT, TYPE_BOOSTS
from schema.entity_kinds import ASSISTIVE

if TYPE_CHECKING:
    from indexer.content.rows import Entity

FEATURE_BITS = 9  # that OpenSearch stores of a rank feature; it drops the others


def document_prior(entity: Entity, popularity: int) -> float:
    """Return what a search adds to the score of a match; popularity is one more than the number of edges."""
    dropped_bits = max(0, popularity.bit_length() - FEATURE_BITS)
    stored = popularity >> dropped_bits << dropped_bits
    return POPULARITY_BOOST * stored / (stored + POPULARITY_PIVOT) + static_rank(entity)


def static_rank(entity: Entity) -> float:
    """Return the part of the prior that depends on the type and the product family."""
    if is_narrower(entity):
        return 0.0
    family_boost = ASSISTIVE_BOOST if entity.facts.get("family", ASSISTIVE) == ASSISTIVE else 0.0
    return family_boost + TYPE_BOOSTS.get(entity.type, 0.0)
