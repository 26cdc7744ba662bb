"""Request → OpenSearch body, for what recommend and related conditions read. Pure.

Both find an entity together with the broader one that speaks for it, so that no further request is needed.
"""

from __future__ import annotations

from api.lookups import POPULARITY
from api.queries import ALIAS_FORM, BEGIN, END, NAME_FORM, SHOWN, Body

SEED, HEIR = "seed", "heir"  # how a seed was found, beside forms of its names
# More than all that popularity gives: the very name comes before forms of it ("doctor" is read as "physician" too), and
# of the jobs that share a title the one that is usually meant.
MEANT, NAMED = 2.0, 1.0
SEEDS = 10  # entities of one type that share a name, and those that speak for them


def related_body(owner: str) -> Body:
    """The related conditions by any form of the condition's id, with those of the condition that speaks for it."""
    either = [{"term": {"owner": owner}}, {"term": {"heir_keys": owner}}]
    exact = {"bool": {"should": either, "minimum_should_match": 1}}
    return {"size": 2, "query": {"bool": {"filter": [{"term": {"doc": "related"}}, exact]}}}


def seed_body(type_name: str, given: str) -> Body:
    """What recommend reads of a seed, found by id, key, slug, name or other name, or by another form of a name.

    A broader condition that speaks for what is found comes along. Each hit says how it matched.
    """
    whole = {"query": f"{BEGIN} {given} {END}", "analyzer": "whole_with_rules"}

    def forms(field: str) -> list[Body]:
        return [{"match_phrase": {field: text}} for text in (given, whole)]

    full = f"{type_name}:{given}"
    ways: dict[str, list[Body]] = {
        SEED: [{"term": {"owner": full}}, {"term": {"owner": given}}, {"term": {"seed_keys": given}}],
        NAME_FORM: forms("seed_name"),
        ALIAS_FORM: forms("seed_aliases"),
        HEIR: [{"term": {"heir_keys": full}}, {"term": {"heir_keys": given}}, *forms("heir_names")],
    }
    either = [{"bool": {"should": clauses, "_name": name}} for name, clauses in ways.items()]
    exact = {"bool": {"should": either, "minimum_should_match": 1}}
    wanted = [{"term": {"seed_type": type_name}}, exact]
    first = [
        {"constant_score": {"filter": {"term": {"seed_keys": key}}, "boost": boost}}
        for key, boost in ((full, MEANT), (given, NAMED))
    ]
    query = {"filter": wanted, "should": [{"rank_feature": POPULARITY}, *first]}
    return {"size": SEEDS, **SHOWN, "docvalue_fields": ["needs", "answer"], "query": {"bool": query}}
