"""The synthetic graph: the same at any time, all names different, and its stream is what the indexer writes of it."""

from __future__ import annotations

import csv
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from bench.scale.stream import Counted, keep, kept, parts, stream, whole
from bench.scale.synthetic_graph import BLOCK, KINDS, World
from bench.scale.tables import write_tables
from bench.scale.words import WORDS, mixed, noun, spread, word
from indexer.content.loader import load_content
from indexer.documents.builder import build_documents
from indexer.graph.build import build_graph
from tests.support.fixture_graphs import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

    from schema.vocabulary import Vocabulary

CONTENT = CHECKOUT / "content"
SMALL = World(2)


@pytest.mark.parametrize(("number", "expected"), [(0, "Babababa"), (1, "Babababe"), (WORDS - 1, "Zuzuzuzu")])
def test_words_are_numbers(number: int, expected: str) -> None:
    assert word(number) == expected


def test_words_are_unique_and_ordered_by_number() -> None:
    words = [spread(rank, 500, kind, 9) for rank in range(500) for kind in range(9)]
    assert len(set(words)) == len(words)
    assert [spread(rank, 500, 3, 9) for rank in range(500)] == sorted(spread(rank, 500, 3, 9) for rank in range(500))


@pytest.mark.parametrize("size", [1, 2, 52, 1000, 5061])
def test_numbers_are_mixed_without_loss(size: int) -> None:
    assert sorted(mixed(number, size) for number in range(size)) == list(range(size))


@pytest.mark.parametrize(("entities", "made"), [(12_000, 12_024), (120_000, 119_754), (1_200_000, 1_199_448)])
def test_worlds_have_about_the_requested_size(entities: int, made: int) -> None:
    assert World.of(entities).entities == made


@pytest.mark.parametrize(("blocks", "edges"), [(10, 2538), (100, 25_000)])
def test_hubs_have_25_000_edges_where_there_are_so_many(blocks: int, edges: int) -> None:
    world = World(blocks)
    assert sum(world.of_hub(product) for product in range(world.size("product"))) == edges


def test_a_block_is_the_same_each_time_and_another_with_another_seed() -> None:
    assert SMALL.block(1) == World(2).block(1)
    assert SMALL.block(1).links != World(2, seed=2).block(1).links


def test_parts_come_from_the_disk_as_they_were_written(tmp_path: Path) -> None:
    with (tmp_path / "parts").open("w+b") as file:
        keep(parts(SMALL), file)
        assert list(kept(file)) == list(parts(SMALL))


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        ("narrower", "narrower_conditions"),
        ("product", "products"),
        ("occupation", "occupations"),
        ("solution", "solutions"),
    ],
)
def test_nouns_are_as_frequent_as_the_last_words_of_shipped_names(kind: str, table: str) -> None:
    with (CONTENT / f"{table}.csv").open(encoding="utf-8", newline="") as rows:
        names = [row["name"] for row in csv.DictReader(rows)]
    shipped = Counter(re.findall(r"[^\W_]+", name.lower())[-1] for name in names)
    made = Counter(noun(kind, rank) for rank in range(len(names)))
    for share in (_most_frequent, _of_two_alike):
        assert 0.7 < share(made) / share(shipped) < 1.4, share.__name__


def _most_frequent(counts: Counter[str]) -> float:
    return max(counts.values()) / counts.total()


def _of_two_alike(counts: Counter[str]) -> float:
    return sum(count**2 for count in counts.values()) / counts.total() ** 2


def test_all_names_and_ids_are_different() -> None:
    one = World(20)
    names = [one.name(kind, number) for kind in KINDS for number in range(one.size(kind))]
    ids = [one.id(kind, number) for kind in KINDS for number in range(one.size(kind))]
    assert len(names) == len(set(names)) == len(set(ids)) == one.entities


def test_the_stream_is_what_the_indexer_writes_of_the_whole(vocabulary: Vocabulary) -> None:
    counted = Counted()
    streamed = dict(stream(SMALL, vocabulary, counted))
    written = dict(build_documents(build_graph(whole(SMALL), vocabulary), vocabulary))
    ours = {key: body for key, body in streamed.items() if not key.startswith(("export", "changes", "ledger"))}
    assert ours.keys() == written.keys()
    assert counted.documents == len(streamed)
    entities = [key for key, body in written.items() if body["doc"] == "entity"]
    for name in ("position", "name", "card", "ids", "aliases", "linked"):
        assert [ours[key][name] for key in entities] == [written[key][name] for key in entities], name
    pages = [key for key, body in written.items() if body["doc"] == "edges"]
    for name in ("of", "edge", "owner"):
        assert [ours[key][name] for key in pages] == [written[key][name] for key in pages]
    assert [ours[key]["page"]["total"] for key in pages] == [written[key]["page"]["total"] for key in pages]
    assert sum(counted.types.values()) == SMALL.entities


def test_its_tables_are_read_as_the_same_rows(tmp_path: Path, vocabulary: Vocabulary) -> None:
    made = whole(World(1))
    write_tables(made, tmp_path / "content")
    found = load_content(tmp_path / "content", vocabulary)
    assert sorted(one.id for one in found.entities) == sorted(one.id for one in made.entities)
    by_id = {one.id: one for one in found.entities}
    assert [by_id[one.id].facts for one in made.entities] == [one.facts for one in made.entities]
    for rows in ("recommendations", "ratings", "related_occupations"):
        assert getattr(found, rows) == getattr(made, rows), rows
    assert sorted(found.links, key=repr) == sorted(made.links, key=repr)
    assert len(BLOCK) == 8
