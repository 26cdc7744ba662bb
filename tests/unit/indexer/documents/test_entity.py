"""The query-independent score of an entity."""

from __future__ import annotations

from typing import Any

import pytest

from indexer.content.rows import Entity
from indexer.documents.entity import document_prior, static_rank
from schema.document_ids import POPULARITY_BOOST


def entity(type_name: str, **facts: Any) -> Entity:  # noqa: ANN401 - columns of tables
    return Entity(f"{type_name}:a", type_name, "a", "A", "", "", "", (), facts)


@pytest.mark.parametrize(
    ("one", "points"),
    [
        (entity("disability", kind="main"), 128 + 96),
        (entity("disability"), 128 + 96),
        (entity("disability", kind="narrower"), 0),
        (entity("limitation"), 128 + 96),
        (entity("workrelatedfunction"), 128 + 96),
        (entity("solution"), 128 + 64),
        (entity("vendor"), 128),
        (entity("product", family="assistive"), 128),
        (entity("product", family="ergonomic"), 0),
        (entity("product", family="mainstream"), 0),
    ],
)
def test_type_and_family_give_the_static_rank(one: Entity, points: float) -> None:
    assert document_prior(one, 40) == points + 4
    assert static_rank(one) == points


def test_popularity_adds_little_and_saturates() -> None:
    vendor = entity("vendor")
    assert document_prior(vendor, 40) - document_prior(vendor, 1) > document_prior(vendor, 400) - document_prior(
        vendor, 360
    )
    assert document_prior(vendor, 25_000) - 128 < 8


@pytest.mark.parametrize(("edges", "kept"), [(1, 1), (511, 511), (513, 512), (1027, 1024), (25_000, 24_960)])
def test_popularity_has_the_precision_of_a_rank_feature(edges: int, kept: int) -> None:
    assert document_prior(entity("product", family="mainstream"), edges) == POPULARITY_BOOST * kept / (kept + 40)
