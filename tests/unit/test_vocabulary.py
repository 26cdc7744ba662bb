"""The types and edges of the graph, as both sides read them from their one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from api.vocabulary import read_vocabulary as read_for_api
from indexer.vocabulary import read_vocabulary as read_for_indexer

if TYPE_CHECKING:
    from pathlib import Path

EDGES_OF = {
    "disability": ["has_limitation", "affects", "recommends", "broader", "narrower"],
    "limitation": ["limitation_of", "recommends", "limits", "broader", "narrower"],
    "workrelatedfunction": ["affected_by", "recommends"],
    "solution": ["recommended_for", "implemented_by"],
    "product": ["implements", "sold_by"],
    "vendor": ["sells"],
    "occupation": ["requires", "related_occupation", "related_occupation_of", "broader", "narrower"],
    "ability": ["required_by", "limited_by"],
}


def test_every_edge_is_the_inverse_of_its_inverse(mappings: Path) -> None:
    edges = read_for_indexer(mappings).edges
    for name, edge in edges.items():
        back = edges[edge.inverse]
        assert (edge.name, back.inverse) == (name, name)
        assert {edge.direction, back.direction} == {"out", "in"}
        assert [pair[::-1] for pair in back.pairs] == list(edge.pairs)


@pytest.mark.parametrize(("type_name", "names"), EDGES_OF.items())
def test_a_type_has_the_edges_of_the_design(mappings: Path, type_name: str, names: list[str]) -> None:
    assert read_for_api(mappings).edges_of(type_name) == names
    assert [kind.name for kind in read_for_indexer(mappings).edges_from(type_name)] == names


def test_types_and_edges_say_what_they_are(mappings: Path) -> None:
    served = read_for_api(mappings)
    assert set(served.plurals) == set(served.types) == set(EDGES_OF)
    assert all(says.endswith(".") for says in served.types.values())
    assert all(edge.label for edge in served.edges.values())
