"""Query clauses that use precomputed fields.

* `prior`: the query-independent score of an entity, from kind, family and popularity
* `name.begins`, `aliases.begins`: prefixes of whole names, letters and digits only
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from schema.document_ids import (
    MAX_PREFIX_LENGTH,
    PREFIX_SUBFIELD,
)

if TYPE_CHECKING:
    from schema.json_types import JsonObject

PRIOR: JsonObject = {"field_value_factor": {"field": "prior", "missing": 0}}


def with_document_prior(query: JsonObject) -> JsonObject:
    """Add each entity's document prior to the score of a query."""
    return {"function_score": {"query": {"bool": query}, "functions": [PRIOR], "boost_mode": "sum"}}


def name_prefix_clause(field: str, key: str) -> JsonObject:
    """Match names that begin with a key: letters and digits only, folded."""
    if key.isascii() and 0 < len(key) <= MAX_PREFIX_LENGTH:
        return {"term": {f"{field}.{PREFIX_SUBFIELD}": key}}
    return {"prefix": {f"{field}.key": key}}
