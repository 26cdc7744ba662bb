"""The losses that stop a release."""

from collections.abc import Iterator, Mapping

import pytest

from indexer.release.losses import Loss, losses, losses_of, lost_examples

FORWARD = {"recommends": "recommended_for", "sells": "sold_by"}
LIVE = {
    "types": {"disability": 1000, "vendor": 3, "old": 0},
    "edges": {"recommends": 2000, "recommended_for": 2000, "sells": 10, "sold_by": 10},
}


def counts(**changed: int) -> dict[str, Mapping[str, int]]:
    return {kind: {name: changed.get(name, count) for name, count in by_name.items()} for kind, by_name in LIVE.items()}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (counts(), []),
        (counts(disability=900, recommends=1800), []),  # exactly the share
        (counts(disability=899), ["disability: 1,000 entities in the live release, 899 in the new one"]),
        (counts(vendor=0), ["vendor: 3 entities in the live release, 0 in the new one"]),
        (
            counts(recommends=0, recommended_for=0),
            ["recommends: 2,000 edges in the live release, 0 in the new one"],
        ),
        ({"types": {"disability": 2000, "vendor": 3}, "edges": LIVE["edges"]}, []),
        (
            {"types": LIVE["types"], "edges": {"recommends": 2000}},
            ["sells: 10 edges in the live release, 0 in the new one"],
        ),
    ],
)
def test_losses_beyond_a_tenth(after: Mapping[str, Mapping[str, int]], expected: list[str]) -> None:
    assert [str(loss) for loss in losses(LIVE, after, FORWARD, 0.1)] == expected


def test_a_whole_type_is_a_loss_at_any_share() -> None:
    assert list(losses(LIVE, counts(vendor=1, sells=1), FORWARD, 1.0)) == []
    assert list(losses(LIVE, counts(vendor=0), FORWARD, 1.0)) == [Loss("entities", "vendor", 3, 0)]


def test_the_first_release_loses_nothing() -> None:
    assert losses_of(None, counts(), FORWARD, 0.1) == []


def lines() -> Iterator[list[str]]:
    """Yield stored fingerprints, as a release has them; fail if more are read than needed."""
    yield from ([f"vendor:{number}", f"Vendor {number}", "x"] for number in range(20))
    yield from (["sells", f"vendor:{number}", "product:a", "x"] for number in range(20))
    pytest.fail("read to the end")


def test_ten_examples_of_each_loss_are_named() -> None:
    found = [Loss("entities", "vendor", 20, 2), Loss("edges", "sells", 20, 2)]
    kept = {"vendor:0", ("sells", "vendor:1", "product:a")}
    examples = lost_examples(lines(), found, kept.__contains__)
    assert examples[found[0]] == [f"vendor:{number}  Vendor {number}" for number in range(1, 11)]
    assert examples[found[1]] == [f"vendor:{number} → product:a" for number in (0, *range(2, 11))]
