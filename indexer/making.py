"""The documents of a release are made in jobs, which can be shared out among processes. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.documents import Making, count_documents, moved
from indexer.encoding import encode
from indexer.export import count_export_documents, export_documents
from indexer.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from indexer.encoding import Encoded
    from indexer.graph import Graph
    from indexer.vocabulary import Vocabulary

Document = dict[str, Any]

ENTITIES = 100  # in one job: small enough that processes end together
PIECE_BYTES = 512 * 1024


class Piece(NamedTuple):
    """Some documents, and what they enter into the ledger of their release."""

    documents: list[Encoded]
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Work:
    """All documents of a graph: job 0 is what callers download, which takes longest; the others are entities."""

    graph: Graph
    vocabulary: Vocabulary
    making: Making

    @staticmethod
    def of(graph: Graph, vocabulary: Vocabulary) -> Work:
        """What all jobs need to know is worked out once."""
        return Work(graph, vocabulary, Making.of(graph, vocabulary))

    @property
    def jobs(self) -> int:
        """How many there are."""
        return 1 - (-len(self.graph.nodes) // ENTITIES)

    @property
    def count(self) -> int:
        """How many documents all jobs make, for a progress bar that tells the truth."""
        return count_documents(self.graph) + count_export_documents(self.graph, self.vocabulary)

    def documents(self) -> Iterator[tuple[str, Document]]:
        """Those of all jobs, as (`_id`, body)."""
        for job in range(self.jobs):
            yield from self.job(job)

    def job(self, job: int) -> Iterator[tuple[str, Document]]:
        """Those of one job."""
        if job == 0:
            yield from export_documents(self.graph, self.vocabulary)
            yield from moved(self.graph)
            return
        for entity in islice(self.graph.nodes.values(), (job - 1) * ENTITIES, job * ENTITIES):
            yield from self.making.of_entity(entity)

    def pieces(
        self,
        job: int,
        finished: Callable[[Iterable[tuple[str, Document]]], Iterable[tuple[str, Document]]],
        known: Mapping[str, str],
    ) -> Iterator[Piece]:
        """The same, `finished`, as they are sent to an engine that has the `known` ones already, a few at a time."""
        forward = self.vocabulary.forward
        piece, size = Piece([], Ledger(forward)), 0
        for key, body in finished(self.job(job)):
            piece.ledger.enter(body)
            one = encode(key, body, known)
            piece.documents.append(one)
            size += len(one.lines)
            if size >= PIECE_BYTES:
                yield piece
                piece, size = Piece([], Ledger(forward)), 0
        yield piece
