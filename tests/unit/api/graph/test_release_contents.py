"""What a release contains, as `GET /` and the tools describe it, and how its files are decompressed."""

import gzip
import random
from pathlib import Path

import pytest

from api import about, models
from api.graph.release_contents import PIECE_BYTES, graph_summary, read_plain
from api.http.envelope import provenance
from schema.vocabulary import read_vocabulary
from tests.support.search_responses import RELEASE

TEXT = b"".join(b"%d,%d\n" % (number, number * number) for number in range(60_000))
REPEATED = b"a" * 1_000_000  # a small chunk of it has many pieces


def test_the_graph_summary_has_counts_and_example_requests(mappings: Path) -> None:
    summary = graph_summary(read_vocabulary(mappings), RELEASE.counts, {"recommends": "disability:migraine"})
    assert summary["totals"] == {"entities": 3, "edges": 2}  # an edge and its inverse are one
    types = {item["name"]: item for item in summary["types"]}
    assert (types["solution"]["total"], types["vendor"]["total"]) == (2, 0)
    assert types["solution"]["example"] == "/solution?limit=5"
    edges = {item["name"]: item for item in summary["edges"]}
    assert edges["recommends"]["example"] == "/disability/migraine/neighbors?edge=recommends&limit=5"
    assert edges["recommends"]["total"] == 2
    assert edges["has_limitation"]["example"] is None  # the release has no such edge
    assert edges["recommended_for"]["example"] is None  # the release has no example of it
    assert edges["broader"]["pairs"] == [[name, name] for name in ("disability", "limitation", "occupation")]
    wrapped = {**summary, "provenance": provenance(RELEASE, ()), "notice": about.notice("/")}
    models.GraphSummary.model_validate(wrapped)


@pytest.mark.parametrize("content", [TEXT, REPEATED, TEXT[:PIECE_BYTES], b"a"])
@pytest.mark.parametrize("chunks", [1, 3])
async def test_pieces_are_small_and_make_up_the_file(content: bytes, chunks: int) -> None:
    compressed = gzip.compress(content)
    size = len(compressed) // chunks + 1
    parts = [compressed[start : start + size] for start in range(0, len(compressed), size)]

    async def read_chunk(number: int) -> bytes:
        return parts[number]

    places = random.Random(1)  # noqa: S311 - not for secrets
    ranges = [sorted(places.choices(range(len(content) + 1), k=2)) for _ in range(20)]
    for start, end in [(0, len(content)), (len(content) - 1, len(content)), *ranges]:
        pieces = [piece async for piece in read_plain(read_chunk, [*map(len, parts)], start, end)]
        assert b"".join(pieces) == content[start:end]
        assert max(map(len, pieces), default=0) <= PIECE_BYTES
