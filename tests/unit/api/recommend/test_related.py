"""The query for the related conditions of a condition."""

from api.recommend import related
from tests.support.query_clauses import term


def test_related_conditions_are_found_by_owner_or_inheriting_condition() -> None:
    either = [term("owner", "disability:low-vision"), term("inheritor_keys", "disability:low-vision")]
    assert related.related_body("disability:low-vision") == {
        "size": 2,
        "query": {
            "bool": {"filter": [term("doc", "related"), {"bool": {"should": either, "minimum_should_match": 1}}]}
        },
    }
