"""Splits the building of a release's documents into jobs, which can run in several processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from indexer.documents.builder import DocumentBuilder, count_documents, redirect_documents
from indexer.export.documents import count_export_documents, export_documents
from indexer.release.encoding import encode
from indexer.release.fingerprints import Fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from indexer.content.rows import Entity
    from indexer.graph.model import Graph
    from indexer.release.encoding import EncodedDocument
    from schema.json_types import JsonObject
    from schema.vocabulary import Vocabulary

ENTITIES_PER_JOB = 25  # few, because a hub's documents take a hundred times as long as those of most entities


class DocumentBatch(NamedTuple):
    """The encoded documents of one job and their fingerprints."""

    documents: list[EncodedDocument]
    fingerprints: Fingerprints


@dataclass(frozen=True, slots=True)
class BuildJobs:
    """The jobs that build all documents of a graph: some entities each; the last and longest has the export files."""

    graph: Graph
    vocabulary: Vocabulary
    entities: Sequence[Entity]
    builder: DocumentBuilder

    @staticmethod
    def from_graph(graph: Graph, vocabulary: Vocabulary) -> BuildJobs:
        """Compute once what all jobs share."""
        return BuildJobs(graph, vocabulary, tuple(graph.nodes.values()), DocumentBuilder.from_graph(graph, vocabulary))

    def __len__(self) -> int:
        """Return the number of jobs."""
        return 1 - (-len(self.entities) // ENTITIES_PER_JOB)

    @property
    def document_count(self) -> int:
        """The number of documents of all jobs, computed without building them."""
        return count_documents(self.graph) + count_export_documents(self.graph, self.vocabulary)

    def documents(self) -> Iterator[tuple[str, JsonObject]]:
        """Yield the documents of all jobs as (`_id`, body)."""
        for number in range(len(self)):
            yield from self.job_documents(number)

    def job_documents(self, number: int) -> Iterator[tuple[str, JsonObject]]:
        """Yield the documents of one job."""
        start = number * ENTITIES_PER_JOB
        if start >= len(self.entities):
            yield from redirect_documents(self.graph)
            yield from export_documents(self.graph, self.vocabulary)
        for entity in self.entities[start : start + ENTITIES_PER_JOB]:
            yield from self.builder.entity_documents(entity)

    def batch(
        self,
        number: int,
        transform: Callable[[Iterable[tuple[str, JsonObject]]], Iterable[tuple[str, JsonObject]]],
        base_digests: Mapping[str, str],
    ) -> DocumentBatch:
        """Transform and encode the documents of one job, without lines for those that the base release has."""
        batch = DocumentBatch([], Fingerprints(frozenset(self.vocabulary.forward)))
        for key, body in transform(self.job_documents(number)):
            batch.fingerprints.add_document(body)
            batch.documents.append(encode(key, body, base_digests))
        return batch
