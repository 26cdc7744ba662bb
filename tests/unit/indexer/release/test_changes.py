"""The changes between two releases, found in the fingerprints of their documents."""

import copy
from typing import Any

import orjson
import pytest

from indexer.release.changes import (
    EDGE_FIELDS,
    ENTITY_FIELDS,
    MAX_LISTED,
    EdgeKey,
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
from tests.support.written_documents import SCLEROSIS

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
    later[TELEWORK]["summaries"]["short"] = "Another sentence."
    removed = next(key for key, body in later.items() if body["doc"] == "entity" and body["type"] == "ability")
    name = orjson.loads(later.pop(removed)["card"])["name"]
    page = next(body for body in later.values() if body.get("edge") == "has_limitation")
    source = page["entity"]
    first, *rest, last = page["edges"]
    first["weight"] = 0.123
    page["edges"] = [first, *rest, {**last, "target": "limitation:new", "target_name": "New"}]
    changes = compare(before, fingerprints_of(forward, later.items()))
    assert changes.entities == {
        "ability": {"added": [], "changed": [], "removed": [removed]},
        "solution": {"added": [], "changed": [TELEWORK], "removed": []},
    }
    assert changes.edges == {
        "has_limitation": {
            "added": [("has_limitation", source, "limitation:new")],
            "changed": [("has_limitation", source, first["target"])],
            "removed": [("has_limitation", source, last["target"])],
        }
    }
    assert changes.names[removed] == name


@pytest.mark.parametrize("field", ENTITY_FIELDS)
def test_a_change_of_what_a_record_shows_changes_the_entity(
    written: Documents, before: Fingerprints, forward: frozenset[str], field: str
) -> None:
    changed = '{"name": "Changed"}' if field == "card" else "changed"
    later = {**written, TELEWORK: {**written[TELEWORK], field: changed}}
    changes = compare(before, fingerprints_of(forward, later.items()))
    assert changes.entities == {"solution": {"added": [], "changed": [TELEWORK], "removed": []}}
    assert changes.edges == {}


# What search alone reads, and what an entity stores of its neighbors.
NOT_SHOWN = (
    *("popularity", "prior", "standing", "position", "linked", "recommended_for", "edge_sources"),
    *("rarity", "school_rarity", "hit", "keys", "names", "spelling", "related", "joined", "description", "wording"),
)


@pytest.mark.parametrize("field", NOT_SHOWN)
def test_a_change_of_neighbors_or_statistics_does_not_change_the_entity(
    written: Documents, before: Fingerprints, forward: frozenset[str], field: str
) -> None:
    rest = dict(written[TELEWORK])
    del rest[field]
    assert not compare(before, fingerprints_of(forward, {**written, TELEWORK: rest}.items()))


def changed_edge(
    written: Documents, before: Fingerprints, forward: frozenset[str], key: str, **members: object
) -> dict[str, dict[str, list[EdgeKey]]]:
    """Return the changes of edges if the first edge of a page has these members."""
    first, *rest = written[key]["edges"]
    later = {**written, key: {**written[key], "edges": [first | members, *rest]}}
    changes = compare(before, fingerprints_of(forward, later.items()))
    assert changes.entities == {}
    return {name: {kind: [*keys] for kind, keys in kinds.items()} for name, kinds in changes.edges.items()}


@pytest.mark.parametrize("field", EDGE_FIELDS)
def test_a_change_of_a_fact_changes_the_edge(
    written: Documents, before: Fingerprints, forward: frozenset[str], field: str
) -> None:
    ends = ("has_limitation", SCLEROSIS, "limitation:decreased-stamina-fatigue")
    changes = changed_edge(written, before, forward, f"{SCLEROSIS}/has_limitation/0", **{field: "changed"})
    assert changes == {"has_limitation": {"added": [], "changed": [ends], "removed": []}}


@pytest.mark.parametrize("field", ["order", "target_total", "target_name", "target_summary", "target_sources"])
def test_a_change_of_its_target_does_not_change_the_edge(
    written: Documents, before: Fingerprints, forward: frozenset[str], field: str
) -> None:
    key = f"{SCLEROSIS}/has_limitation/0"
    assert field in written[key]["edges"][0]
    assert changed_edge(written, before, forward, key, **{field: "changed"}) == {}


def test_an_inverse_has_no_fingerprint_of_its_own(
    written: Documents, before: Fingerprints, forward: frozenset[str]
) -> None:
    key = "limitation:low-vision/limitation_of/0"
    assert changed_edge(written, before, forward, key, weight=0.123) == {}


def test_a_release_ends_with_its_fingerprints_and_changes(
    written: Documents, before: Fingerprints, forward: frozenset[str]
) -> None:
    earlier = {key: body for key, body in written.items() if key != TELEWORK}
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
