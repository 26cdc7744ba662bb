"""What recommend answers for one seed alone becomes a part of the release: told by the service's own code. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api.inflated import inflated
from api.telling import kept_answer
from indexer.deflated import deflated

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Document = dict[str, Any]


def with_answers(documents: Iterable[tuple[str, Document]]) -> Iterator[tuple[str, Document]]:
    """The documents of a release; those with a seed's needs get the answer beside them, where one can be told ahead."""
    for key, body in documents:
        if body["doc"] == "needs" and (answer := kept_answer(inflated(body["needs"]))) is not None:
            yield key, {**body, "answer": deflated(answer)}
        else:
            yield key, body
