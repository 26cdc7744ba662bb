"""The losses that stop a release."""

from collections.abc import Iterable, Mapping

import pytest

from indexer.graph.model import Graph
from indexer.release.losses import GraphKeys, Guard, Key, Loss, key_of

FORWARD = {"recommends": "recommended_for", "sells": "sold_by"}
GUARD = Guard(FORWARD, 0.1)
LIVE = {
    "types": {"disability": 1000, "vendor": 3, "old": 0},
    "edges": {"recommends": 2000, "recommended_for": 2000, "sells": 10, "sold_by": 10},
}


def vendors(numbers: Iterable[int]) -> list[tuple[str, ...]]:
    """Return stored fingerprints of vendors, as a release has them."""
    return [(f"vendor:{number}", f"Vendor {number}", "x") for number in numbers]


def sales(numbers: Iterable[int]) -> list[tuple[str, ...]]:
    """Return stored fingerprints of edges."""
    return [("sells", f"vendor:{number}", "product:a", "x") for number in numbers]


def kept(*lines: tuple[str, ...]) -> set[Key]:
    return set(map(key_of, lines))


@pytest.mark.parametrize(
    ("numbers", "left"),
    [
        (range(100), None),
        (range(200), None),
        (range(10, 100), None),  # exactly the share
        (range(11, 100), 89),
        (range(11, 111), 89),  # as many as before
        (range(100, 200), 0),
        ((), 0),
    ],
)
def test_entities_and_edges_that_are_lost_count_and_new_ones_do_not(numbers: Iterable[int], left: int | None) -> None:
    for lines, noun, name in ((vendors, "entities", "vendor"), (sales, "edges", "sells")):
        found = list(GUARD.losses(lines(range(100)), kept(*lines(numbers)).__contains__))
        assert [(loss.noun, loss.name, loss.before, loss.left) for loss in found] == (
            [] if left is None else [(noun, name, 100, left)]
        )


def test_a_whole_type_is_a_loss_at_any_share() -> None:
    guard = Guard(FORWARD, 1.0)
    assert list(guard.losses(vendors(range(3)), kept(*vendors([0])).__contains__)) == []
    (loss,) = guard.losses(vendors(range(3)), kept(*sales([0])).__contains__)
    assert (loss.before, loss.left) == (3, 0)


def test_ten_examples_of_each_loss_are_named() -> None:
    lines = [*vendors(range(20)), *sales(range(20))]
    vendor, sold = GUARD.losses(lines, kept(*vendors([0]), *sales([1])).__contains__)
    assert vendor.examples == tuple(f"vendor:{number}  Vendor {number}" for number in range(1, 11))
    assert sold.examples == tuple(f"vendor:{number} → product:a" for number in (0, *range(2, 11)))


def counts(**changed: int) -> dict[str, Mapping[str, int]]:
    return {kind: {name: changed.get(name, count) for name, count in by_name.items()} for kind, by_name in LIVE.items()}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (counts(), []),
        (counts(disability=900, recommends=1800), []),  # exactly the share
        (counts(disability=899), [Loss("entities", "disability", 1000, 899)]),
        (counts(vendor=0), [Loss("entities", "vendor", 3, 0)]),
        (counts(recommends=0, recommended_for=0), [Loss("edges", "recommends", 2000, 0)]),
        ({"types": {"disability": 2000, "vendor": 3}, "edges": LIVE["edges"]}, []),
        ({"types": LIVE["types"], "edges": {"recommends": 2000}}, [Loss("edges", "sells", 10, 0)]),
    ],
)
def test_releases_without_fingerprints_are_compared_by_counts(
    after: Mapping[str, Mapping[str, int]], expected: list[Loss]
) -> None:
    assert list(GUARD.losses_by_counts(LIVE, after)) == expected


def test_the_keys_of_a_graph(graph: Graph) -> None:
    keys = GraphKeys(graph)
    edges = [
        (name, node, edge.target)
        for node, by_name in graph.edges.items()
        for name, found in by_name.items()
        for edge in found
    ]
    name, source, target = edges[0]
    present: list[Key] = [*graph.nodes, *edges]
    assert all(keys.has(key) for key in present)
    missing: list[Key] = ["vendor:none", (name, source, "vendor:none"), (name, "vendor:none", target)]
    assert not any(keys.has(key) for key in missing)


def test_retired_ids_are_kept(graph: Graph) -> None:
    retired, current = next(iter(graph.redirects.items()))
    (edge, *_) = next(edges for edges in graph.edges[current].values())
    keys = GraphKeys(graph)
    assert keys.has(retired)
    assert keys.has((edge.name, retired, edge.target))
    assert not keys.has("vendor:unknown")
