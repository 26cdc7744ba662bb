"""What a release is made of, and when one must be built anew."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from indexer.graph import build_graph
from indexer.plan import DOCUMENTS_VERSION, Versions, core_sources, make_plan, with_rules
from indexer.rows import Content, Entity, Link
from indexer.synonyms import Rule, read_rules

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.vocabulary import Vocabulary

Body = dict[str, Any]

EMPTY = Content((), (), (), (), (), (), (), {}, "1.0.0+0")
WFH = Rule("abbreviations.txt", 3, ("wfh",), ("telework",))
CHAIR = Rule("spelling.txt", 7, ("wheelchair", "wheel chair"), ("wheelchair", "wheel chair"))


@pytest.fixture
def body(mappings: Path) -> Body:
    return dict(orjson.loads((mappings / "entities.json").read_bytes()))


def changed(before: Versions, after: Versions) -> list[str]:
    return [
        name for name in ("data_version", "synonyms_version", "form") if getattr(before, name) != getattr(after, name)
    ]


def test_versions_change_exactly_with_what_they_stand_for(body: Body) -> None:
    one = Versions.of("1.0.0+a", [WFH, CHAIR], body)
    assert changed(one, Versions.of("1.0.0+a", [WFH, CHAIR], copy.deepcopy(body))) == []
    assert changed(one, Versions.of("1.0.0+b", [WFH, CHAIR], body)) == ["data_version"]
    assert changed(one, Versions.of("1.0.0+a", [WFH], body)) == ["synonyms_version"]
    assert changed(one, Versions.of("1.0.0+a", [CHAIR, WFH], body)) == ["synonyms_version"]  # the engine reads in order
    other = copy.deepcopy(body)
    other["mappings"]["properties"]["new"] = {"type": "keyword"}
    assert changed(one, Versions.of("1.0.0+a", [WFH, CHAIR], other)) == ["form"]


def test_versions_stay_when_nothing_changes_for_the_engine(body: Body) -> None:
    one = Versions.of("1.0.0+a", [WFH], body)
    moved = replace(WFH, file="other.txt", line=99)
    turned = {key: body[key] for key in reversed(body)}
    assert changed(one, Versions.of("1.0.0+a", [moved], turned)) == []


@pytest.mark.parametrize("key", ["data_version", "synonyms_version", "form"])
def test_a_release_is_what_a_build_would_make_only_if_all_versions_agree(body: Body, key: str) -> None:
    versions = Versions.of("1.0.0+a", [WFH], body)
    meta = {"data_version": "1.0.0+a", "synonyms_version": versions.synonyms_version, "form": versions.form}
    assert versions.live_in({**meta, "released": "2026-11-21T12:00:00Z", "complete": True})
    assert not versions.live_in({**meta, key: "other"})
    assert not versions.live_in({name: value for name, value in meta.items() if name != key})
    assert not versions.live_in(None)


def test_what_has_become_stale_makes_another_release_of_the_same_shape(
    content: Content, vocabulary: Vocabulary, body: Body
) -> None:
    fresh, _ = make_plan(content, vocabulary, body, [WFH])
    stale, _ = make_plan(content, vocabulary, body, [WFH], "some")
    assert fresh.meta["form"] != stale.meta["form"]
    assert fresh.meta["shape"] == stale.meta["shape"]


def test_a_release_recognises_what_it_was_made_of(content: Content, vocabulary: Vocabulary, body: Body) -> None:
    plan, _ = make_plan(content, vocabulary, body, [WFH])
    assert Versions.of(content.version, [WFH], body).live_in(plan.meta)


def test_rules_go_into_the_filter_and_the_given_body_stays_as_it_was(body: Body) -> None:
    before = copy.deepcopy(body)
    index = with_rules(body, [WFH, CHAIR])
    filters = index["settings"]["analysis"]["filter"]
    assert filters["rules"]["synonyms"] == ["wfh => telework", "wheelchair, wheel chair"]
    assert body == before
    filters["rules"]["synonyms"] = []
    assert index == before


def test_a_plan_tells_what_the_release_says_of_itself(content: Content, vocabulary: Vocabulary, body: Body) -> None:
    plan, work = make_plan(content, vocabulary, body, [WFH, CHAIR])
    versions = Versions.of(content.version, [WFH, CHAIR], body)
    meta = dict(plan.meta)
    assert meta.pop("counts") == {"types": dict(plan.expected.types), "edges": dict(plan.expected.edges)}
    assert [source["id"] for source in meta.pop("sources")] == ["atlas", "jobbook", "fair", "editors", "pages"]
    # of 132 edges atlas carries most, jobbook and fair 18 each, editors 18
    assert meta.pop("examples")["has_limitation"] == "disability:multiple-sclerosis"
    assert sorted(meta.pop("core_sources")) == ["atlas", "editors", "fair", "jobbook"]
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
    }
    assert plan.body == with_rules(body, [WFH, CHAIR])
    assert len(dict(plan.documents)) == work.count


def test_a_plan_can_be_told_in_json(content: Content, vocabulary: Vocabulary, body: Body) -> None:
    plan, _ = make_plan(content, vocabulary, body, [WFH])
    assert orjson.loads(orjson.dumps(plan.meta)) == plan.meta


def test_the_sources_that_carry_a_tenth_of_the_edges_are_core_the_largest_first(vocabulary: Vocabulary) -> None:
    vendor = Entity("vendor:v", "vendor", "v", "V", "", "", "", ())
    products = tuple(Entity(f"product:{n}", "product", f"{n}", f"{n}", "", "", "", ()) for n in range(20))
    named = {0: ("few", "two"), 1: ("two",)}  # of twenty edges: all, two (a tenth) and one
    links = tuple(
        Link("sold_by", product.id, vendor.id, "source", (*named.get(number, ()), "all"))
        for number, product in enumerate(products)
    )
    graph = build_graph(replace(EMPTY, entities=(vendor, *products), links=links), vocabulary)
    assert core_sources(graph) == ["all", "two"]


def test_the_shipped_rules_make_a_body_for_the_engine(mappings: Path, body: Body) -> None:
    rules = read_rules(mappings / "synonyms")
    index = with_rules(body, rules)
    assert index["settings"]["analysis"]["filter"]["rules"]["synonyms"] == [rule.text for rule in rules]
    assert rules
