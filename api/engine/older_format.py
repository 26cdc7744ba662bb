"""Rewrites queries for releases without the precomputed fields `prior` and `begins`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from api.engine.entity_clauses import GENERAL_PRODUCTS, NARROWER, POPULARITY
from schema.document_ids import ASSISTIVE_BOOST, PREFIX_SUBFIELD, TYPE_BOOSTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.engine.release import Release
    from schema.json_types import JsonObject


PRIOR_SINCE_VERSION = 24  # version of the documents


def lacks_prior(release: Release | None) -> bool:
    """Return whether a release lacks these fields; an unknown one counts as current."""
    return release is not None and release.documents_version < PRIOR_SINCE_VERSION


def for_release(body: Mapping[str, Any], release: Release | None) -> Mapping[str, Any]:
    """Return the query in the form that the release supports."""
    return {name: _older(part) for name, part in body.items()} if lacks_prior(release) else body


def _older(part: Any) -> Any:  # noqa: ANN401 - any part of a body
    if isinstance(part, list):
        return [_older(one) for one in part]
    if not isinstance(part, dict):
        return part
    if found := part.get("function_score"):
        clauses = _older(found["query"]["bool"])
        return {"bool": {**clauses, "should": [*clauses.get("should", ()), *_priors()]}}
    return dict(_older_term(name, one) if name == "term" else (name, _older(one)) for name, one in part.items())


def _older_term(name: str, clauses: JsonObject) -> tuple[str, JsonObject]:
    field, value = next(iter(clauses.items()))
    if field.endswith(f".{PREFIX_SUBFIELD}"):
        return "prefix", {f"{field.removesuffix(PREFIX_SUBFIELD)}key": value}
    return name, clauses


def _priors() -> list[JsonObject]:
    fixed: list[tuple[JsonObject, float]] = [
        ({"bool": {"must_not": [GENERAL_PRODUCTS, NARROWER]}}, ASSISTIVE_BOOST),
        *(
            ({"bool": {"must": {"terms": {"type": list(kinds)}}, "must_not": NARROWER}}, boost)
            for boost, kinds in groupby(TYPE_BOOSTS, TYPE_BOOSTS.__getitem__)
        ),
    ]
    return [
        POPULARITY,
        *({"constant_score": {"filter": filtered, "boost": boost}} for filtered, boost in fixed),
    ]
