"""What releases hold ready so that searches need not work it out, and what older ones are asked instead. Pure.

* `prior`: the points by which kind, family and popularity put an entity before others that match alike
* `name.begins`, `aliases.begins`: the beginnings of whole names, letters and digits only
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api import goods, narrower

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.release import Release

Body = dict[str, Any]

SINCE = 24  # the version of documents from which on releases hold it
PRIOR: Body = {"field_value_factor": {"field": "prior", "missing": 0}}
BEGINS = ".begins"
LONGEST_BEGINNING = 20  # letters; the index keeps beginnings up to here
# What older releases are asked for instead of `prior`: the points of `indexer/prior.py`.
POPULARITY = 8.0
KINDS = ((("disability", "limitation", "workrelatedfunction"), 96.0), (("solution",), 64.0))
MADE_FOR_IT = 128.0
PIVOT = 40
POPULAR: Body = {"rank_feature": {"field": "popularity", "boost": POPULARITY, "saturation": {"pivot": PIVOT}}}


def ahead(query: Body) -> Body:
    """What matches the query, with its score and the points of each entity's own."""
    return {"function_score": {"query": {"bool": query}, "functions": [PRIOR], "boost_mode": "sum"}}


def begins(field: str, key: str) -> Body:
    """Names that begin with a key: letters and digits alone, folded."""
    if key.isascii() and 0 < len(key) <= LONGEST_BEGINNING:
        return {"term": {f"{field}{BEGINS}": key}}
    return {"prefix": {f"{field}.key": key}}


def older(release: Release | None) -> bool:
    """Whether a release holds nothing of this ready; one that is not known yet is taken for a new one."""
    return release is not None and release.documents_version < SINCE


def for_release(body: Mapping[str, Any], release: Release | None) -> Mapping[str, Any]:
    """The same question as the release understands it."""
    return {name: _older(part) for name, part in body.items()} if older(release) else body


def _older(part: Any) -> Any:  # noqa: ANN401 - any part of a body
    if isinstance(part, list):
        return [_older(one) for one in part]
    if not isinstance(part, dict):
        return part
    if found := part.get("function_score"):
        asked = _older(found["query"]["bool"])
        return {"bool": {**asked, "should": [*asked.get("should", ()), *_priors()]}}
    return dict(_older_term(name, one) if name == "term" else (name, _older(one)) for name, one in part.items())


def _older_term(name: str, asked: Body) -> tuple[str, Body]:
    field, value = next(iter(asked.items()))
    if field.endswith(BEGINS):
        return "prefix", {f"{field.removesuffix(BEGINS)}.key": value}
    return name, asked


def _priors() -> list[Body]:
    fixed: list[tuple[Body, float]] = [
        ({"bool": {"must_not": [goods.NOT_MADE_FOR_IT, narrower.NARROWER]}}, MADE_FOR_IT),
        *((narrower.others({"terms": {"type": list(kinds)}}), boost) for kinds, boost in KINDS),
    ]
    return [
        POPULAR,
        *({"constant_score": {"filter": filtered, "boost": boost}} for filtered, boost in fixed),
    ]
