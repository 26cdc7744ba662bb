"""The jobs of a release make all its documents, the same ones every time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from akg.answers_ahead import with_answers
from indexer.encoding import encoded
from indexer.ledger import Ledger, ledger_of
from indexer.making import Work

if TYPE_CHECKING:
    from indexer.graph import Graph
    from indexer.vocabulary import Vocabulary

ROOT = Path(__file__).parents[2]
DIGESTED = """
import hashlib
from pathlib import Path
from akg.answers_ahead import with_answers
from api.settings import SHIPPED
from indexer.encoding import encoded
from indexer.graph import build_graph
from indexer.making import Work
from indexer.sources import read
from indexer.vocabulary import read_vocabulary
vocabulary = read_vocabulary(SHIPPED / "mappings")
work = Work.of(build_graph(read(Path("tests/data/world"), vocabulary), vocabulary), vocabulary)
print(hashlib.sha256(repr([one[:2] for one in encoded(with_answers(work.documents()))]).encode()).hexdigest())
"""


def test_the_pieces_of_all_jobs_are_all_documents(graph: Graph, vocabulary: Vocabulary) -> None:
    work = Work.of(graph, vocabulary)
    whole = list(encoded(with_answers(work.documents())))
    known = {one.key: one.digest for one in whole[::2]}
    pieces = [piece for job in range(work.jobs) for piece in work.pieces(job, with_answers, known)]
    made = [one for piece in pieces for one in piece.documents]
    assert len(made) == len({one.key for one in made}) == work.count
    assert [one[:2] for one in made] == [one[:2] for one in whole]
    assert [one.lines for one in made] == [b"" if one.key in known else one.lines for one in whole]
    ledger = Ledger(vocabulary.forward)
    for piece in pieces:
        ledger.add(piece.ledger)
    assert ledger == ledger_of(vocabulary.forward, work.documents())


def test_the_same_tables_make_the_same_documents_in_every_process() -> None:
    """Sets are in another order in each process: a build that read one would send what did not change."""
    found = {
        subprocess.run(  # noqa: S603 - this Python, this text
            [sys.executable, "-c", DIGESTED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
