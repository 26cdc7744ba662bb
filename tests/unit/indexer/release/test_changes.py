"""The changes between two releases, found in the fingerprints of their documents."""

import copy
from typing import Any

import orjson
import pytest

from indexer.release.changes import (
    MAX_LISTED,
    NEIGHBOR_FIELDS,
    Fingerprints,
    changes_json,
    compare,
    count_fingerprint_documents,
    fingerprints_of,
    metadata_documents,
    read_fingerprints,
)
from schema.document_ids import CHANGES, FINGERPRINTS
from schema.vocabulary import Vocabulary

Documents = dict[str, dict[str, Any]]

TELEWORK = "solution:telework"


@pytest.fixture
def forward(vocabulary: Vocabulary) -> frozenset[str]:
    return frozenset(vocabulary.forward)


@pytest.fixture
def before(written: Documents, forward: frozenset[str]) -> Fingerprints:
    return fingerprints_of(forward, written.items())


def test_the_same_documents_have_no_changes(written: Documents, before: Fingerprints, forward: frozenset[str]) -> None:
    assert not compare(before, fingerprints_of(forward, written.items()))
    assert {edge for edge, _, _ in before.edges} <= forward


def test_reports_added_changed_and_removed_entities_and_edges(
    written: Documents, before: Fingerprints, forward: frozenset[str]
) -> None:
    later = copy.deepcopy(written)
    later[f"{TELEWORK}/record"]["record"]["summaries"]["short"] = "Another sentence."
    removed = next(key for key, body in later.items() if body["doc"] == "entity" and body["type"] == "ability")
    name = later.pop(f"{removed}/record")["record"]["name"]
    page = next(body["page"] for body in later.values() if body.get("edge") == "has_limitation")
    source = page["entity"]["id"]
    first, *rest, last = page["items"]
    first["weight"] = 0.123
    page["items"] = [first, *rest, {**last, "id": "limitation:new", "name": "New"}]
    changes = compare(before, fingerprints_of(forward, later.items()))
    assert changes.entities == {
        "ability": {"added": [], "changed": [], "removed": [removed]},
        "solution": {"added": [], "changed": [TELEWORK], "removed": []},
    }
    assert changes.edges == {
        "has_limitation": {
            "added": [("has_limitation", source, "limitation:new")],
            "changed": [("has_limitation", source, first["id"])],
            "removed": [("has_limitation", source, last["id"])],
        }
    }
    assert changes.names[removed] == name


@pytest.mark.parametrize("field", sorted(NEIGHBOR_FIELDS))
def test_a_change_of_neighbors_does_not_change_the_entity(
    written: Documents, before: Fingerprints, forward: frozenset[str], field: str
) -> None:
    later = copy.deepcopy(written)
    del later[f"{TELEWORK}/record"]["record"][field]
    assert not compare(before, fingerprints_of(forward, later.items()))


def test_a_release_ends_with_its_fingerprints_and_changes(
    written: Documents, before: Fingerprints, forward: frozenset[str]
) -> None:
    earlier = {key: body for key, body in written.items() if key != f"{TELEWORK}/record"}
    since = {"data_version": "1", "released": "2026-01-01T00:00:00Z"}
    fingerprints, changes = metadata_documents(before, fingerprints_of(forward, earlier.items()), since)
    assert (fingerprints[0], fingerprints[1]["doc"]) == (f"{FINGERPRINTS}/0", FINGERPRINTS)
    key, body = changes
    assert (key, body["doc"], body["changes"]["since"]) == (CHANGES, "changes", since)
    assert body["changes"]["types"] == [{"name": "solution", "added": 1, "changed": 0, "removed": 0}]
    assert body["changes"]["entities"] == [
        {"change": "added", "id": TELEWORK, "type": "solution", "name": "Telework", "url": "/solution/telework"}
    ]


def test_reads_the_fingerprints_that_a_release_stores(before: Fingerprints) -> None:
    stored = [body for _, body in before.documents(50)]
    read = read_fingerprints(orjson.loads(orjson.dumps(stored)))
    assert (read.names, read.entities, read.edges) == (before.names, before.entities, before.edges)
    assert len(stored) > 1
    assert len(list(before.documents())) == count_fingerprint_documents(len(before.entities), len(before.edges)) == 1


def test_the_order_of_parts_does_not_matter(written: Documents, before: Fingerprints, forward: frozenset[str]) -> None:
    parts = Fingerprints(forward)
    for document in reversed(written.items()):
        parts.update(fingerprints_of(forward, [document]))
    assert list(parts.documents(50)) == list(before.documents(50))


def test_the_first_release_lists_no_changes(before: Fingerprints) -> None:
    _, (_, body) = metadata_documents(before, None, None)
    assert body["changes"] == {
        "since": None,
        "types": [],
        "edges": [],
        "totals": {"entities": 0, "edges": 0},
        "entities": [],
        "relations": [],
    }


def test_counts_are_complete_where_names_are_truncated() -> None:
    before = Fingerprints(entities={f"product:p-{number}": "" for number in range(MAX_LISTED + 20)})
    body = changes_json(compare(before, Fingerprints()))
    assert body["types"] == [{"name": "product", "added": 0, "changed": 0, "removed": MAX_LISTED + 20}]
    assert len(body["entities"]) == MAX_LISTED
    assert {entity["url"] for entity in body["entities"]} == {None}
