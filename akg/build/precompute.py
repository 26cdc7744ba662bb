"""Precomputes the recommendations of single seeds for a release, with the service's own ranking. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from api.recommend.service import precomputed_result
from schema.codec import pack, unpack
from schema.document_ids import NEEDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from schema.json_types import JsonObject


def add_precomputed(documents: Iterable[tuple[str, JsonObject]]) -> Iterator[tuple[str, JsonObject]]:
    """Yield the documents of a release; seed documents get the precomputed recommendation, if there is one."""
    for key, body in documents:
        if body["doc"] == NEEDS and (precomputed := precomputed_result(unpack(body["needs"]))) is not None:
            yield key, {**body, "answer": pack(precomputed)}
        else:
            yield key, body
