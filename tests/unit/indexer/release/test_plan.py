"""The plan of a release: versions, metadata, jobs, shards and replicas."""

import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

from indexer.content.rows import Content
from indexer.graph.model import Graph
from indexer.release.bulk import encode_documents
from indexer.release.changes import Fingerprints, fingerprints_of
from indexer.release.plan import (
    DOCUMENTS_VERSION,
    BuildJobs,
    ReleasePlan,
    Versions,
    make_plan,
    placement,
    with_placement,
    with_rules,
)
from indexer.release.verify import Expected
from indexer.synonyms.rules import rules_and_problems
from schema.synonyms import SynonymRule
from schema.vocabulary import Vocabulary
from tests.support.project import MAPPINGS

Body = dict[str, Any]

VERSIONS = ("data_version", "synonyms_version", "form")
WFH = SynonymRule("abbreviations.txt", 3, ("wfh",), ("telework",))
CHAIR = SynonymRule("spelling.txt", 7, ("wheelchair", "wheel chair"), ("wheelchair", "wheel chair"))


@pytest.fixture
def body(mappings: Path) -> Body:
    return dict(orjson.loads((mappings / "entities.json").read_bytes()))


def changed(before: Versions, after: Versions) -> list[str]:
    return [name for name in VERSIONS if getattr(before, name) != getattr(after, name)]


def test_each_version_changes_with_its_input(body: Body) -> None:
    versions = partial(Versions.from_inputs, "1.0.0+a")
    first = versions([WFH, CHAIR], body)
    assert changed(first, versions([WFH, CHAIR], copy.deepcopy(body))) == []
    assert changed(first, Versions.from_inputs("1.0.0+b", [WFH, CHAIR], body)) == ["data_version"]
    assert changed(first, versions([WFH], body)) == ["synonyms_version"]
    assert changed(first, versions([CHAIR, WFH], body)) == ["synonyms_version"]  # order matters to OpenSearch
    new_body = copy.deepcopy(body)
    new_body["mappings"]["properties"]["new"] = {"type": "keyword"}
    assert changed(first, versions([WFH, CHAIR], new_body)) == ["form"]


def test_versions_ignore_file_names_and_key_order(body: Body) -> None:
    moved = replace(WFH, file="other.txt", line=99)
    reordered = {key: body[key] for key in reversed(body)}
    first = Versions.from_inputs("1.0.0+a", [WFH], body)
    assert changed(first, Versions.from_inputs("1.0.0+a", [moved], reordered)) == []


@pytest.mark.parametrize("key", VERSIONS)
def test_matches_a_release_only_if_all_versions_agree(body: Body, key: str) -> None:
    versions = Versions.from_inputs("1.0.0+a", [WFH], body)
    meta = {"data_version": "1.0.0+a", "synonyms_version": versions.synonyms_version, "form": versions.form}
    assert versions.matches({**meta, "released": "2026-11-21T12:00:00Z", "complete": True})
    assert not versions.matches({**meta, key: "other"})
    assert not versions.matches({name: value for name, value in meta.items() if name != key})
    assert not versions.matches(None)


def test_stale_findings_change_the_form_but_not_the_shape(content: Content, vocabulary: Vocabulary, body: Body) -> None:
    fresh, _ = make_plan(content, vocabulary, body, [WFH])
    stale, _ = make_plan(content, vocabulary, body, [WFH], "some")
    assert fresh.meta["form"] != stale.meta["form"]
    assert fresh.meta["shape"] == stale.meta["shape"]


def test_adds_rules_to_a_copy_of_the_body(body: Body) -> None:
    before = copy.deepcopy(body)
    index = with_rules(body, [WFH, CHAIR])
    filters = index["settings"]["analysis"]["filter"]
    assert filters["rules"]["synonyms"] == ["wfh => telework", "wheelchair, wheel chair"]
    assert body == before
    filters["rules"]["synonyms"] = []
    assert index == before


def test_a_plan_has_the_metadata_of_the_release(content: Content, vocabulary: Vocabulary, body: Body) -> None:
    plan, jobs = make_plan(content, vocabulary, body, [WFH, CHAIR])
    versions = Versions.from_inputs(content.version, [WFH, CHAIR], body)
    assert versions.matches(plan.meta)
    assert orjson.loads(orjson.dumps(plan.meta)) == plan.meta
    meta = dict(plan.meta)
    assert meta.pop("counts") == {"types": dict(plan.expected.types), "edges": dict(plan.expected.edges)}
    assert [source["id"] for source in meta.pop("sources")] == ["atlas", "jobbook", "fair", "editors", "pages"]
    assert meta.pop("groupings") == ["other-health-impairment"]
    assert (meta.pop("sides"), meta.pop("side_words"), meta.pop("body_parts")) == ({}, [], [])
    assert meta.pop("hidden_names") == {"eyecripple": "Optic Neuritis"}
    assert meta.pop("examples")["has_limitation"] == "disability:multiple-sclerosis"
    assert meta.pop("core_sources") == ["atlas", "jobbook"]
    assert meta == {
        "data_version": content.version,
        "synonyms_version": versions.synonyms_version,
        "form": versions.form,
        "documents_version": DOCUMENTS_VERSION,
        "shape": versions.form,
        "rules": [
            {
                "text": "wfh => telework",
                "given": ["wfh"],
                "read_as": ["telework"],
                "file": "abbreviations.txt",
                "line": WFH.line,
            },
            {
                "text": "wheelchair, wheel chair",
                "given": ["wheelchair", "wheel chair"],
                "read_as": ["wheelchair", "wheel chair"],
                "file": "spelling.txt",
                "line": CHAIR.line,
            },
        ],
        "pins": [],
    }
    assert plan.body == with_rules(body, [WFH, CHAIR])
    assert len(dict(plan.documents)) == jobs.document_count


def test_adds_the_shipped_rules_to_the_body(body: Body) -> None:
    rules, _ = rules_and_problems(MAPPINGS / "synonyms")
    assert with_rules(body, rules)["settings"]["analysis"]["filter"]["rules"]["synonyms"] == [
        rule.text for rule in rules
    ]
    assert rules


def test_the_jobs_build_all_documents(graph: Graph, vocabulary: Vocabulary) -> None:
    jobs = BuildJobs.from_graph(graph, vocabulary)
    documents = list(encode_documents(jobs.documents()))
    base_digests = {document.key: document.digest for document in documents[::2]}
    batches = [jobs.batch(number, base_digests) for number in range(len(jobs))]
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


@pytest.mark.parametrize(
    ("shards", "replicas", "index"),
    [
        (1, "0-1", {"number_of_shards": 1, "number_of_replicas": 0, "auto_expand_replicas": "0-1"}),
        (3, "2", {"number_of_shards": 3, "number_of_replicas": 2, "auto_expand_replicas": "false"}),
        (1, "1-all", {"number_of_shards": 1, "number_of_replicas": 1, "auto_expand_replicas": "1-all"}),
    ],
)
def test_adds_shards_and_replicas_to_the_index_settings(shards: int, replicas: str, index: dict[str, Any]) -> None:
    body = {"settings": {"index": {"number_of_shards": 1, "refresh_interval": "-1"}, "analysis": {}}, "mappings": {}}
    plan = with_placement(ReleasePlan(body, [], Expected({}, {}, {}, {}), {}), placement(shards, replicas))
    assert plan.body == {"settings": {"index": {"refresh_interval": "-1", **index}, "analysis": {}}, "mappings": {}}
    assert body["settings"]["index"] == {"number_of_shards": 1, "refresh_interval": "-1"}
