"""Query parameters of the pages: empty filters count as absent."""

import pytest

from api.explorer.list_address import ListAddress
from api.explorer.page_parameters import (
    ListPageParameters,
    PageParameters,
    RelationPageParameters,
    SearchPageParameters,
)


@pytest.mark.parametrize("empty", ["", " ", [""], ["", " "]], ids=repr)
@pytest.mark.parametrize("parameters", [SearchPageParameters, RelationPageParameters, ListPageParameters])
def test_empty_filters_are_absent(parameters: type[PageParameters], empty: object) -> None:
    values = dict.fromkeys(parameters.model_fields.keys() - {"offset"}, empty)
    assert parameters.model_validate(values) == parameters()


def test_a_search_may_show_less_likely_results() -> None:
    assert SearchPageParameters().matching == "strict"
    assert SearchPageParameters.model_validate({"matching": "loose"}).matching == "loose"


def test_repeated_parameters_keep_the_values_that_are_not_empty() -> None:
    parameters = ListPageParameters.model_validate({"linked_to": ["", "fatigue", " "], "edge": [""], "kind": "main"})
    assert (parameters.linked_to, parameters.edge, parameters.kind) == (["fatigue"], None, "main")


@pytest.mark.parametrize(
    ("edges", "names"),
    [
        (None, ("", "")),
        (["recommended_for"], ("recommended_for", "recommended_for")),
        (["recommended_for", "implemented_by"], ("recommended_for", "implemented_by")),
    ],
)
def test_the_address_of_a_list_pairs_entities_with_edges(edges: list[str] | None, names: tuple[str, str]) -> None:
    parameters = ListPageParameters(setting="school", kind="main", linked_to=["a", "b"], edge=edges, inherited=False)
    filters = (("setting", "school"), ("inherited", "false"))  # accommodations have no kind
    links = tuple(zip(("a", "b"), names, strict=True))
    assert parameters.address("solution", ["setting"]) == ListAddress("/explore/solution", filters, links)


def test_inherited_needs_links() -> None:
    assert ListPageParameters(inherited=False).address("vendor", ()).url == "/explore/vendor"
