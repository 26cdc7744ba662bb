"""How much of a hidden list an order finds again: by hand."""

from __future__ import annotations

from math import log2

import pytest

from api.recall import DEPTH, Figures, Found, drops, figures, found, ndcg


@pytest.mark.parametrize(
    ("order", "gains", "value"),
    [
        ("ab", {"a": 1.0, "b": 1.0}, 1.0),
        ("xa", {"a": 1.0}, 1 / log2(3)),
        ("xab", {"a": 1.0, "b": 1.0}, (1 / log2(3) + 1 / log2(4)) / (1 + 1 / log2(3))),
        ("ba", {"a": 3.0, "b": 1.0}, (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
        ("xy", {"a": 1.0}, 0.0),
        ("", {"a": 1.0}, 0.0),
        ("ab", {"a": 0.0}, None),  # nothing to be gained
        ("ab", {}, None),
    ],
)
def test_later_places_count_less(order: str, gains: dict[str, float], value: float | None) -> None:
    assert ndcg(list(order), gains) == (value if value is None else pytest.approx(value))


def test_what_is_shown_already_takes_no_place() -> None:
    judged = found(list("sasb"), {"a", "b"}, {"a": 0.0, "b": 0.5}, {"s"})
    assert judged == Found(ndcg=1.0, graded=1 / log2(3), recall=1.0)


def test_only_the_first_twenty_count() -> None:
    many = [str(number) for number in range(40)]
    assert found(many, set(many), {}, ()).recall == 1.0
    assert found(many, {many[DEPTH]}, {many[DEPTH]: 1.0}, ()) == Found(0.0, 0.0, 0.0)
    assert found(many, {many[DEPTH - 1]}, {}, ()).recall == 1.0


def test_figures_are_means_over_what_can_be_judged() -> None:
    assert figures([Found(1.0, None, 0.5), Found(0.5, 0.25, 1.0)]) == Figures(2, 0.75, 0.25, 0.75)
    assert figures([]) == Figures(0, 0.0, 0.0, 0.0)


def test_a_fall_beyond_the_tolerance_is_told_in_words() -> None:
    before = {"ours": {"lists": 2, "ndcg": 0.9, "graded": 0.5, "recall": 0.9}}
    assert drops(before, {"ours": Figures(2, 0.885, 0.49, 0.9), "new": Figures(2, 0.0, 0.0, 0.0)}, 0.01) == [
        "ours: ndcg fell from 0.9000 to 0.8850"
    ]
    assert drops({}, {"ours": Figures(2, 0.0, 0.0, 0.0)}, 0.01) == []
