"""The synthetic graph is deterministic, its names are unique, and its stream equals the output of the indexer."""

import csv
import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from api.engine.release import Release
from bench.scale.loading import plan_of
from bench.scale.stream import Counts, all_rows, parts, read_parts, stream, write_parts, write_tables
from bench.scale.synthetic_graph import BLOCK, KINDS, World
from bench.scale.words import WORDS, mixed, noun, spread, word
from indexer.content.loader import load_content
from indexer.documents.builder import build_documents
from indexer.graph.build import build_graph
from schema.document_ids import EDGES, ENTITY
from schema.entity_kinds import EdgeName
from schema.json_types import JsonObject
from schema.vocabulary import Vocabulary
from tests.support.fixture_graphs import CHECKOUT

CONTENT = CHECKOUT / "content"
SMALL = World(2)


@pytest.mark.parametrize(("number", "expected"), [(0, "Babababa"), (1, "Babababe"), (WORDS - 1, "Zuzuzuzu")])
def test_each_number_has_a_word(number: int, expected: str) -> None:
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
    assert World.from_size(entities).entities == made


@pytest.mark.parametrize(("blocks", "edges"), [(10, 2538), (100, 25_000)])
def test_hubs_have_up_to_25_000_edges(blocks: int, edges: int) -> None:
    world = World(blocks)
    assert sum(world.is_hub_product(product) for product in range(world.size("product"))) == edges


def test_a_block_is_deterministic_for_its_seed() -> None:
    assert SMALL.block(1) == World(2).block(1)
    assert SMALL.block(1).links != World(2, seed=2).block(1).links


def test_parts_survive_a_round_trip_to_disk(tmp_path: Path) -> None:
    with (tmp_path / "parts").open("w+b") as file:
        write_parts(parts(SMALL), file)
        assert list(read_parts(file)) == list(parts(SMALL))


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
    for share in (_most_frequent, _same_noun_probability):
        assert 0.7 < share(made) / share(shipped) < 1.4, share.__name__


def _most_frequent(counts: Counter[str]) -> float:
    return max(counts.values()) / counts.total()


def _same_noun_probability(counts: Counter[str]) -> float:
    return sum(count**2 for count in counts.values()) / counts.total() ** 2


def test_all_names_and_ids_are_unique() -> None:
    one = World(20)
    names = [one.name(kind, number) for kind in KINDS for number in range(one.size(kind))]
    ids = [one.id(kind, number) for kind in KINDS for number in range(one.size(kind))]
    assert len(names) == len(set(names)) == len(set(ids)) == one.entities


def test_the_stream_equals_the_output_of_the_indexer(vocabulary: Vocabulary) -> None:
    counted = Counts()
    streamed = dict(stream(SMALL, vocabulary, counted))
    written = dict(build_documents(build_graph(all_rows(SMALL), vocabulary), vocabulary))
    ours = {key: body for key, body in streamed.items() if not key.startswith(("export", "changes", "ledger"))}
    assert ours.keys() == written.keys()
    assert counted.documents == len(streamed)
    entities = [key for key, body in written.items() if body["doc"] == ENTITY]
    for name in ("position", "card", "ids", "spelling", "keys"):
        assert [ours[key][name] for key in entities] == [written[key][name] for key in entities], name
    for name in (*get_args(EdgeName), "linked"):  # the order depends on weights, which are relative to the whole graph
        assert [_targets(ours[key], name) for key in entities] == [_targets(written[key], name) for key in entities]
    pages = [key for key, body in written.items() if body["doc"] == EDGES]
    for name in ("entity", "edge", "page", "total", "owner", "card"):
        assert [ours[key][name] for key in pages] == [written[key][name] for key in pages], name
    assert [len(ours[key]["edges"]) for key in pages] == [len(written[key]["edges"]) for key in pages]
    by_name = [sorted(pages, key=lambda key: (some[key]["sort_name"], key)) for some in (ours, written)]
    assert by_name[0] == by_name[1]
    assert sum(counted.types.values()) == SMALL.entities


def test_a_service_reads_the_metadata_of_its_release() -> None:
    plan, _ = plan_of(SMALL)
    release = Release.of("akg-scale-1", {**plan.meta, "released": "2026-11-29T00:00:00Z"})
    assert (release.data_version, release.sides, release.body_parts) == (SMALL.version, {}, {})


def _targets(document: JsonObject, name: str) -> list[str]:
    return sorted(document.get(name, ()))


def test_its_tables_are_read_as_equal_rows(tmp_path: Path, vocabulary: Vocabulary) -> None:
    made = all_rows(World(1))
    write_tables(made, vocabulary, tmp_path / "content")
    found = load_content(tmp_path / "content", vocabulary)
    for rows in ("sources", "entities", "aliases", "links", "recommendations", "ratings", "related_occupations"):
        assert sorted(getattr(found, rows), key=repr) == sorted(getattr(made, rows), key=repr), rows
    assert len(BLOCK) == 8
