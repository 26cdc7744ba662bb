"""Clauses about entities, as OpenSearch gets them."""

import pytest

from api.engine.entity_clauses import name_prefix_clause


@pytest.mark.parametrize("key", ["", "b" * 21, "na\u00efve"])
def test_prefixes_that_are_not_indexed_are_searched_with_prefix_queries(key: str) -> None:
    assert name_prefix_clause("name", key) == {"prefix": {"name.key": key}}
    for prefix in ("b", "b" * 20):
        assert name_prefix_clause("name", prefix) == {"term": {"name.begins": prefix}}
