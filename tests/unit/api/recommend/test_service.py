"""Precomputed results equal those that a request computes; the products of several solutions alternate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from api.recommend.ranking import SeedData
from api.recommend.seeds import SEED_FIELDS
from api.recommend.service import DEFAULT_LIMIT, precomputed_result, rank_and_explain, top_products
from api.recommend.setting_filter import filter_by_setting
from schema.codec import pack, unpack
from tests.support.needs_documents import as_needs
from tests.support.search_responses import card

if TYPE_CHECKING:
    from schema.json_types import JsonObject
    from schema.needs_document import NeedsDocument

Documents = dict[str, dict[str, Any]]


@pytest.fixture
def needs(written: Documents) -> dict[str, NeedsDocument]:
    """Return the needs of every seed of the fixture graph, by the key of their document."""
    return {key: unpack(body["needs"]) for key, body in written.items() if body["doc"] == "needs"}


def test_a_precomputed_result_equals_the_computed_one(needs: dict[str, NeedsDocument]) -> None:
    stored = {key: result for key, document in needs.items() if (result := precomputed_result(document))}
    for key, result in stored.items():
        document = needs[key]
        field = SEED_FIELDS[document["card"]["type"]]
        data = SeedData(field, document["card"], filter_by_setting(document, None), document["inherits"])
        computed = rank_and_explain([data], None, 500)
        computed["results"] = computed["results"][:DEFAULT_LIMIT]
        assert unpack(pack(result["precomputed"])) == orjson.loads(orjson.dumps(computed))


@pytest.mark.parametrize("more", [{"inheritance_sources": ["disability:x"]}, {"card": {"type": "occupation"}}])
def test_a_seed_that_depends_on_other_documents_is_not_precomputed(
    needs: dict[str, NeedsDocument], more: dict[str, Any]
) -> None:
    assert precomputed_result(as_needs({**needs["disability:low-vision/needs"], **more})) is None


def test_top_products_alternate_between_solutions_without_duplicates() -> None:
    a, b, c, d = (card("product", name) for name in "abcd")
    found: list[JsonObject] = [{"products": [a, b]}, {"products": []}, {"products": [c, d]}, {"products": [a, d, b]}]
    assert top_products(found) == [a, c, b, d]
    assert top_products([]) == []


def test_top_products_are_at_most_twenty() -> None:
    many = [card("product", str(number)) for number in range(30)]
    assert top_products([{"products": many[:15]}, {"products": many[15:]}]) == [
        many[place // 2 + 15 * (place % 2)] for place in range(20)
    ]
