"""OpenSearch bodies that find seeds and related conditions.

Both find an entity together with the conditions it inherits from, so that no further request is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.graph.query_bodies import POPULARITY
from api.search.query_builder import ALIAS_FORM, NAME_FORM, SHOWN
from schema.document_ids import NAME_END, NAME_START, RELATED

if TYPE_CHECKING:
    from schema.json_types import JsonObject

SEED_TYPES = {
    "disability": "disability",
    "limitation": "limitation",
    "work_function": "workrelatedfunction",
    "occupation": "occupation",
}
SEED_FIELDS = {type_name: field for field, type_name in SEED_TYPES.items()}
PRECOMPUTED = "told"  # the part of a stored answer that `rank_and_explain` returns
BY_ID, BY_INHERITOR = "seed", "heir"  # how a seed matched, besides forms of its names
# More than popularity can add: an exact name ranks before its forms ("doctor" is also expanded to "physician"), and
# among the jobs that share a title the one that is usually meant comes first.
FULL_ID_BOOST, NAME_BOOST = 2.0, 1.0
MAX_SEEDS = 10  # entities of one type that share a name, with those they inherit from


def related_body(owner: str) -> JsonObject:
    """The related conditions of a condition by any form of its id, with those of the one that it inherits from."""
    either = [{"term": {"owner": owner}}, {"term": {"heir_keys": owner}}]
    exact = {"bool": {"should": either, "minimum_should_match": 1}}
    return {"size": 2, "query": {"bool": {"filter": [{"term": {"doc": RELATED}}, exact]}}}


def seed_body(type_name: str, text: str) -> JsonObject:
    """The needs of a seed by id, key, slug, name or alias, or by another form of a name, with those of its parents.

    Each hit says how it matched.
    """
    whole_name = {"query": f"{NAME_START} {text} {NAME_END}", "analyzer": "whole_with_rules"}

    def forms(field: str) -> list[JsonObject]:
        return [{"match_phrase": {field: query}} for query in (text, whole_name)]

    full_id = f"{type_name}:{text}"
    clauses: dict[str, list[JsonObject]] = {
        BY_ID: [{"term": {"owner": full_id}}, {"term": {"owner": text}}, {"term": {"seed_keys": text}}],
        NAME_FORM: forms("seed_name"),
        ALIAS_FORM: forms("seed_aliases"),
        BY_INHERITOR: [{"term": {"heir_keys": full_id}}, {"term": {"heir_keys": text}}, *forms("heir_names")],
    }
    either = [{"bool": {"should": should, "_name": name}} for name, should in clauses.items()]
    exact = {"bool": {"should": either, "minimum_should_match": 1}}
    boosts = [
        {"constant_score": {"filter": {"term": {"seed_keys": key}}, "boost": boost}}
        for key, boost in ((full_id, FULL_ID_BOOST), (text, NAME_BOOST))
    ]
    query = {
        "filter": [{"term": {"seed_type": type_name}}, exact],
        "should": [{"rank_feature": POPULARITY}, *boosts],
    }
    return {"size": MAX_SEEDS, **SHOWN, "docvalue_fields": ["needs", "answer"], "query": {"bool": query}}
