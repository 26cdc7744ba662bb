"""The entity types and edge types of the graph, as read from their table."""

import pytest

from schema.vocabulary import Vocabulary

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


def test_every_edge_is_the_inverse_of_its_inverse(vocabulary: Vocabulary) -> None:
    for name, edge in vocabulary.edges.items():
        back = vocabulary.edges[edge.inverse]
        assert (edge.name, back.inverse) == (name, name)
        assert {edge.direction, back.direction} == {"out", "in"}
        assert [pair[::-1] for pair in back.pairs] == list(edge.pairs)


@pytest.mark.parametrize(("type_name", "names"), EDGES_OF.items())
def test_a_type_has_its_expected_edges(vocabulary: Vocabulary, type_name: str, names: list[str]) -> None:
    assert [edge.name for edge in vocabulary.edges_from(type_name)] == names


def test_types_and_edges_have_labels_and_descriptions(vocabulary: Vocabulary) -> None:
    assert vocabulary.types.keys() == EDGES_OF.keys()
    assert all(type_.label and type_.plural and type_.description.endswith(".") for type_ in vocabulary.types.values())
    assert all(edge.label for edge in vocabulary.edges.values())


def test_forward_edges_and_their_inverses_are_all_edges(vocabulary: Vocabulary) -> None:
    assert vocabulary.forward["recommends"] == "recommended_for"
    assert "recommended_for" not in vocabulary.forward
    assert vocabulary.inverses == vocabulary.forward | {back: name for name, back in vocabulary.forward.items()}
