"""What is other from one release to the next, found in the documents of both."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from indexer.changes import KEY, LISTED, compare, last_documents, told
from indexer.ledger import LEDGER, NOT_OWN, Ledger, count_ledger_documents, kept_ledger, ledger_of

if TYPE_CHECKING:
    from indexer.vocabulary import Vocabulary

Documents = dict[str, dict[str, Any]]

TELEWORK = "solution:telework"


@pytest.fixture
def forward(vocabulary: Vocabulary) -> frozenset[str]:
    return vocabulary.forward


def page_with(documents: Documents, edge: str) -> str:
    return next(key for key, body in documents.items() if body["doc"] == "edges" and body["edge"] == edge)


def test_the_same_documents_have_no_changes(written: Documents, forward: frozenset[str]) -> None:
    one, other = (ledger_of(forward, written.items()) for _ in range(2))
    assert not compare(one, other)
    assert {edge for edge, _, _ in one.edges} <= forward


def test_entities_and_edges_are_told_apart_by_what_happened(written: Documents, forward: frozenset[str]) -> None:
    later = copy.deepcopy(written)
    later[f"{TELEWORK}/record"]["record"]["summaries"]["short"] = "Said otherwise."
    gone = next(key for key, body in later.items() if body["doc"] == "entity" and body["type"] == "ability")
    name = later.pop(f"{gone}/record")["record"]["name"]
    page = page_with(later, "has_limitation")
    source = later[page]["page"]["entity"]["id"]
    first, *rest = later[page]["page"]["items"]
    first["weight"] = 0.123
    lost = rest.pop()
    later[page]["page"]["items"] = [first, *rest, {**lost, "id": "limitation:new", "name": "New"}]
    found = compare(ledger_of(forward, written.items()), ledger_of(forward, later.items()))
    assert found.entities == {
        "ability": {"added": [], "changed": [], "removed": [gone]},
        "solution": {"added": [], "changed": [TELEWORK], "removed": []},
    }
    assert found.edges == {
        "has_limitation": {
            "added": [("has_limitation", source, "limitation:new")],
            "changed": [("has_limitation", source, first["id"])],
            "removed": [("has_limitation", source, lost["id"])],
        }
    }
    assert found.names[gone] == name


@pytest.mark.parametrize("part", sorted(NOT_OWN))
def test_what_a_record_tells_of_others_is_no_change_of_its_own(
    written: Documents, forward: frozenset[str], part: str
) -> None:
    later = copy.deepcopy(written)
    del later[f"{TELEWORK}/record"]["record"][part]
    assert not compare(ledger_of(forward, written.items()), ledger_of(forward, later.items()))


def test_a_release_ends_with_what_it_changed(written: Documents, forward: frozenset[str]) -> None:
    without = {key: body for key, body in written.items() if key != f"{TELEWORK}/record"}
    since = {"data_version": "1", "released": "2026-01-01T00:00:00Z"}
    kept, last = last_documents(ledger_of(forward, written.items()), ledger_of(forward, without.items()), since)
    assert (kept[0], kept[1]["doc"]) == (f"{LEDGER}/0", LEDGER)
    key, body = last
    assert (key, body["doc"], body["changes"]["since"]) == (KEY, "changes", since)
    assert body["changes"]["types"] == [{"name": "solution", "added": 1, "changed": 0, "removed": 0}]
    assert body["changes"]["entities"] == [
        {"change": "added", "id": TELEWORK, "type": "solution", "name": "Telework", "url": "/solution/telework"}
    ]


def test_a_ledger_is_the_same_when_it_was_kept(written: Documents, forward: frozenset[str]) -> None:
    made = ledger_of(forward, written.items())
    kept = [body for _, body in made.documents(50)]
    read = kept_ledger(orjson.loads(orjson.dumps(kept)))
    assert (read.names, read.entities, read.edges) == (made.names, made.entities, made.edges)
    assert len(kept) > 1
    assert len(list(made.documents())) == count_ledger_documents(len(made.entities), len(made.edges)) == 1


def test_a_ledger_of_parts_in_any_order_is_kept_the_same(written: Documents, forward: frozenset[str]) -> None:
    made, parts = ledger_of(forward, written.items()), Ledger(forward)
    for one in reversed(written.items()):
        parts.add(ledger_of(forward, [one]))
    assert list(parts.documents(50)) == list(made.documents(50))


def test_the_first_release_lists_nothing(written: Documents, forward: frozenset[str]) -> None:
    _, (_, body) = last_documents(ledger_of(forward, written.items()), None, None)
    assert body["changes"] == {
        "since": None,
        "types": [],
        "edges": [],
        "totals": {"entities": 0, "edges": 0},
        "entities": [],
        "relations": [],
    }


def test_counts_are_whole_where_names_are_cut() -> None:
    before, after = Ledger(frozenset()), Ledger(frozenset())
    before.entities = {f"product:p-{number}": "" for number in range(LISTED + 20)}
    found = told(compare(before, after))
    assert found["types"] == [{"name": "product", "added": 0, "changed": 0, "removed": LISTED + 20}]
    assert len(found["entities"]) == LISTED
    assert {one["url"] for one in found["entities"]} == {None}
