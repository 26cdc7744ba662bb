"""The points by which an entity stands ahead of others that match alike."""

from __future__ import annotations

from typing import Any

import pytest

from indexer.prior import POPULARITY, prior, standing
from indexer.rows import Entity


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
def test_kind_and_family_give_points(one: Entity, points: float) -> None:
    assert prior(one, 40) == points + 4
    assert standing(one) == points


def test_popularity_gives_a_little_and_ever_less() -> None:
    vendor = entity("vendor")
    assert prior(vendor, 40) - prior(vendor, 1) > prior(vendor, 400) - prior(vendor, 360)
    assert prior(vendor, 25_000) - 128 < 8


@pytest.mark.parametrize(("edges", "kept"), [(1, 1), (511, 511), (513, 512), (1027, 1024), (25_000, 24_960)])
def test_popularity_is_counted_as_exactly_as_the_engine_keeps_it(edges: int, kept: int) -> None:
    assert prior(entity("product", family="mainstream"), edges) == POPULARITY * kept / (kept + 40)
