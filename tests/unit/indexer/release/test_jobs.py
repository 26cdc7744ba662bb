"""The jobs of a release build all its documents, and the same ones in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from akg.build.precompute import add_precomputed
from indexer.release.bulk import encode_documents
from indexer.release.changes import Fingerprints, fingerprints_of
from indexer.release.plan import BuildJobs

if TYPE_CHECKING:
    from indexer.graph.model import Graph
    from schema.vocabulary import Vocabulary

ROOT = Path(__file__).parents[4]
PRINT_DIGEST = """
import hashlib
from pathlib import Path
from akg.build.precompute import add_precomputed
from api.settings import SHIPPED_ROOT
from indexer.release.bulk import encode_documents
from indexer.graph.build import build_graph
from indexer.release.plan import BuildJobs
from indexer.content.loader import load_content
from schema.vocabulary import read_vocabulary
vocabulary = read_vocabulary(SHIPPED_ROOT / "mappings")
jobs = BuildJobs.from_graph(build_graph(load_content(Path("tests/data/world"), vocabulary), vocabulary), vocabulary)
documents = encode_documents(add_precomputed(jobs.documents()))
print(hashlib.sha256(repr([document[:2] for document in documents]).encode()).hexdigest())
"""


def test_the_jobs_build_all_documents(graph: Graph, vocabulary: Vocabulary) -> None:
    jobs = BuildJobs.from_graph(graph, vocabulary)
    documents = list(encode_documents(add_precomputed(jobs.documents())))
    base_digests = {document.key: document.digest for document in documents[::2]}
    batches = [jobs.batch(number, add_precomputed, base_digests) for number in range(len(jobs))]
    built = [document for batch in batches for document in batch.documents]
    assert len(built) == len({document.key for document in built}) == jobs.document_count
    assert [document[:2] for document in built] == [document[:2] for document in documents]
    assert [document.lines for document in built] == [
        b"" if document.key in base_digests else document.lines for document in documents
    ]
    fingerprints = Fingerprints(frozenset(vocabulary.forward))
    for batch in batches:
        fingerprints.update(batch.fingerprints)
    assert fingerprints == fingerprints_of(vocabulary.forward, jobs.documents())


def test_builds_the_same_documents_in_every_process() -> None:
    """Sets have another order in each process: a build that iterated over one would send unchanged documents."""
    digests = {
        subprocess.run(  # noqa: S603 - this Python, this text
            [sys.executable, "-c", PRINT_DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1
