"""How a path is told: its steps, one sentence, and why there is none."""

from __future__ import annotations

from pathlib import Path as File
from typing import Any

import pytest

from api.chains import connection, namesakes, why_none
from api.paths import Around, Link, Path
from api.places import Place
from api.vocabulary import read_vocabulary

VOCABULARY = read_vocabulary(File(__file__).parents[2] / "mappings")


def card(node: str) -> dict[str, Any]:
    kind, _, key = node.partition(":")
    return {"id": node, "type": kind, "slug": key, "name": key.replace("-", " ").title()}


def link(edge: str) -> Link:
    return Link(edge, 0.5, "source", ("atlas",), 0.1)


def place(node: str, *others: str) -> Place:
    return Place(node.partition(":")[2], card(node), "name", "", (), [card(other) for other in others])


SENTENCES = [
    (
        ["disability:ms", "limitation:blind", "ability:sight", "occupation:bakers"],
        ["has_limitation", "limits", "required_by"],
        (
            "The condition Ms can bring the limitation Blind, which can limit the ability Sight, which is asked for by "
            "the occupation Bakers."
        ),
    ),
    (
        ["vendor:quiet-works", "product:hush", "solution:headsets", "workrelatedfunction:noise"],
        ["sells", "implements", "recommended_for"],
        (
            "The vendor Quiet Works makes or sells the product Hush, which puts into practice the accommodation "
            "Headsets, which helps with the work-related function Noise."
        ),
    ),
    (
        ["disability:rrms", "disability:ms", "solution:telework"],
        ["broader", "recommends"],
        "The condition Rrms is a kind of Ms, which is helped by the accommodation Telework.",
    ),
    (["disability:ms", "disability:rrms"], ["narrower"], "The condition Ms covers Rrms."),
]


@pytest.mark.parametrize(("nodes", "edges", "sentence"), SENTENCES)
def test_a_path_is_one_sentence(nodes: list[str], edges: list[str], sentence: str) -> None:
    path = Path(tuple(nodes), tuple(map(link, edges)), 0.01)
    told = connection(path, {node: card(node) for node in nodes}, VOCABULARY)
    assert (told["why"], told["length"], told["score"]) == (sentence, len(edges), 0.01)
    assert [(step["from"]["id"], step["edge"], step["to"]["id"]) for step in told["steps"]] == [
        (nodes[n], edge, nodes[n + 1]) for n, edge in enumerate(edges)
    ]


def test_a_step_carries_what_its_edge_says() -> None:
    nodes = ("vendor:a", "product:b")
    (step,) = connection(Path(nodes, (link("sells"),), 0.1), {node: card(node) for node in nodes}, VOCABULARY)["steps"]
    assert step == {
        "from": card("vendor:a"),
        "edge": "sells",
        "label": "makes or sells",
        "direction": "in",
        "to": card("product:b"),
        "weight": 0.5,
        "basis": "source",
        "sources": ["atlas"],
    }


@pytest.mark.parametrize(
    ("end", "whole", "reason"),
    [
        ("disability:a", True, "Both are the same entity, A."),
        ("vendor:b", True, "No chain of up to four relations joins A and B."),
        (
            "vendor:b",
            False,
            (
                "No chain of up to four relations joins A and B. Of the relations of hubs, only the strongest of each "
                "name were followed."
            ),
        ),
        ("vendor:alone", True, "Alone is joined to nothing in this release."),
    ],
)
def test_an_empty_answer_says_why(end: str, whole: bool, reason: str) -> None:  # noqa: FBT001 - a column of the table
    links = {"solution:x": link("recommends")}
    around = {end: Around({} if end == "vendor:alone" else links, whole), "disability:a": Around(links, whole=True)}
    assert why_none(place("disability:a"), place(end), around) == reason


def test_a_name_that_several_entities_have_is_pointed_out() -> None:
    assert namesakes("from", place("limitation:low-vision")) == []
    assert namesakes("from", place("limitation:low-vision", "disability:low-vision", "product:low-vision")) == [
        {
            "parameter": "from",
            "message": "'low-vision' was taken for limitation:low-vision; "
            "also called so: disability:low-vision, product:low-vision",
            "nearest": "disability:low-vision",
        }
    ]


def test_what_the_editors_put_under_a_condition_need_not_be_a_kind_of_it() -> None:
    nodes = ["disability:ringing", "disability:hearing-loss", "disability:other-ringing"]
    path = Path(tuple(nodes), tuple(link(one)._replace(basis="editorial") for one in ("broader", "narrower")), 0.01)
    told = connection(path, {node: card(node) for node in nodes}, VOCABULARY)
    assert told["why"] == "The condition Ringing stands under Hearing Loss, which stands above Other Ringing."
