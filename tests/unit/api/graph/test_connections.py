"""The steps and the sentence that describe a path, and the reason if there is none."""

from __future__ import annotations

from pathlib import Path as File
from typing import Any

import pytest

from api.graph.connections import describe_path, no_path_reason
from api.graph.paths import Neighborhood, Path, PathStep
from api.graph.resolve import ResolvedEntity
from api.result import ambiguity_warnings
from schema.vocabulary import read_vocabulary

VOCABULARY = read_vocabulary(File(__file__).parents[4] / "mappings")


def card(node: str) -> dict[str, Any]:
    kind, _, key = node.partition(":")
    return {"id": node, "type": kind, "slug": key, "name": key.replace("-", " ").title()}


def step_over(edge: str) -> PathStep:
    return PathStep(edge, 0.5, "source", ("atlas",), 0.1)


def resolved(node: str) -> ResolvedEntity:
    return ResolvedEntity(node.partition(":")[2], card(node), "name", "", (), ())


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
def test_a_path_is_described_in_one_sentence(nodes: list[str], edges: list[str], sentence: str) -> None:
    path = Path(tuple(nodes), tuple(map(step_over, edges)), 0.01)
    description = describe_path(path, {node: card(node) for node in nodes}, VOCABULARY)
    assert (description["why"], description["length"], description["score"]) == (sentence, len(edges), 0.01)
    assert [(step["from"]["id"], step["edge"], step["to"]["id"]) for step in description["steps"]] == [
        (nodes[n], edge, nodes[n + 1]) for n, edge in enumerate(edges)
    ]


def test_a_step_has_the_label_weight_and_basis_of_its_edge() -> None:
    nodes = ("vendor:a", "product:b")
    path = Path(nodes, (step_over("sells"),), 0.1)
    (step,) = describe_path(path, {node: card(node) for node in nodes}, VOCABULARY)["steps"]
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
    ("end", "is_complete", "reason"),
    [
        ("disability:a", True, "Both are the same entity, A."),
        ("vendor:b", True, "No path of up to four relations connects A and B."),
        (
            "vendor:b",
            False,
            (
                "No path of up to four relations connects A and B. Of hubs, only the strongest relations of "
                "each name were followed."
            ),
        ),
        ("vendor:alone", True, "Alone has no relations in this release."),
    ],
)
def test_gives_the_reason_if_there_is_no_path(end: str, is_complete: bool, reason: str) -> None:  # noqa: FBT001 - a column of the table
    steps = {"solution:x": step_over("recommends")}
    neighborhoods = {
        end: Neighborhood({} if end == "vendor:alone" else steps, is_complete),
        "disability:a": Neighborhood(steps, is_complete=True),
    }
    assert no_path_reason(resolved("disability:a"), resolved(end), neighborhoods) == reason


def test_warns_about_a_name_of_several_entities() -> None:
    alternatives = [card("disability:low-vision"), card("product:low-vision")]
    assert ambiguity_warnings("from", "low-vision", card("limitation:low-vision"), []) == []
    assert ambiguity_warnings("from", "low-vision", card("limitation:low-vision"), alternatives) == [
        {
            "parameter": "from",
            "message": "'low-vision' was taken for limitation:low-vision; "
            "also called so: disability:low-vision, product:low-vision",
            "nearest": "disability:low-vision",
        }
    ]


def test_editorial_hierarchy_edges_have_verbs_of_their_own() -> None:
    nodes = ["disability:ringing", "disability:hearing-loss", "disability:other-ringing"]
    path = Path(
        tuple(nodes), tuple(step_over(edge)._replace(basis="editorial") for edge in ("broader", "narrower")), 0.01
    )
    description = describe_path(path, {node: card(node) for node in nodes}, VOCABULARY)
    sentence = "The condition Ringing is placed under Hearing Loss, which is placed above Other Ringing."
    assert description["why"] == sentence
