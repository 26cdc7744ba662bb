"""Adapts queries and documents for releases in an older format: without the prior, or with previous names."""

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from api.engine.entity_clauses import GENERAL_PRODUCTS, NARROWER, POPULARITY
from api.engine.release import Release
from schema.document_ids import ASSISTIVE_BOOST, INHERITED, PREFIX_SUBFIELD, TYPE_BOOSTS, part_id
from schema.json_types import JsonObject

# Versions of the documents: since when a release has `prior` and `begins`, and since when these names.
PRIOR_SINCE_VERSION, NAMES_SINCE_VERSION = 24, 30
PREVIOUS_FIELDS = {"inheritor_keys": "heir_keys", "inheritor_names": "heir_names"}
PREVIOUS_RELATIONS = {"akin": "similar"}  # until version 26
PREVIOUS_KEYS = {"inheritance_sources": "heir_of", "precomputed": "told", INHERITED: "heirlooms"}


def lacks_prior(release: Release | None) -> bool:
    """Return whether a release lacks `prior` and `begins`; an unknown one counts as current."""
    return release is not None and release.documents_version < PRIOR_SINCE_VERSION


def has_previous_names(release: Release | None) -> bool:
    """Return whether a release has the previous names of fields and keys; an unknown one counts as current."""
    return release is not None and release.documents_version < NAMES_SINCE_VERSION


def for_release(body: Mapping[str, Any], release: Release | None) -> Mapping[str, Any]:
    """Return the query in the form that the release supports."""
    named = _with_previous_fields(body) if has_previous_names(release) else body
    return {name: _older(part) for name, part in named.items()} if lacks_prior(release) else named


def inherited_id(entity_id: str, release: Release) -> str:
    """Return the `_id` of the document that a condition passes on."""
    return part_id(entity_id, PREVIOUS_KEYS[INHERITED] if has_previous_names(release) else INHERITED)


def with_current_keys(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a document with the current names of its keys."""
    if document.keys().isdisjoint(PREVIOUS_KEYS.values()):
        return document
    current = {previous: name for name, previous in PREVIOUS_KEYS.items()}
    return {current.get(name, name): value for name, value in document.items()}


def _with_previous_fields(part: Any) -> Any:  # noqa: ANN401 - any part of a body
    if isinstance(part, list):
        return [_with_previous_fields(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {PREVIOUS_FIELDS.get(name, name): _with_previous_fields(value) for name, value in part.items()}


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
