"""The steps and the sentence that describe a path, and the reason if there is none."""

import math
from typing import Any

import pytest

from api.engine.release import Hit
from api.graph.connections import describe_path, no_path_reason, page_steps
from api.graph.paths import Neighborhood, Path, PathStep
from api.graph.resolve import ResolvedEntity
from schema.vocabulary import Vocabulary
from tests.support.listings import edge_to


def card(node: str) -> dict[str, Any]:
    kind, _, key = node.partition(":")
    return {"id": node, "type": kind, "slug": key, "name": key.replace("-", " ").title()}


def step_over(edge: str) -> PathStep:
    return PathStep(edge, 0.5, "source", ("atlas",), 0.1)


def resolved(node: str) -> ResolvedEntity:
    return ResolvedEntity(node.partition(":")[2], card(node), "name", {}, (), ())


SENTENCES = [
    (
        "disability:ms has_limitation limitation:blind limits ability:sight required_by occupation:bakers",
        (
            "The condition Ms can bring the limitation Blind, which can limit the ability Sight, which is required by "
            "the occupation Bakers."
        ),
    ),
    (
        "vendor:quiet-works sells product:hush implements solution:headsets recommended_for workrelatedfunction:noise",
        (
            "The vendor Quiet Works makes or sells the product Hush, which puts into practice the accommodation "
            "Headsets, which helps with the work-related function Noise."
        ),
    ),
    (
        "disability:rrms broader disability:ms recommends solution:telework",
        "The condition Rrms is a kind of Ms, which is helped by the accommodation Telework.",
    ),
    ("disability:ms narrower disability:rrms", "The condition Ms covers Rrms."),
]


def path_of(text: str, basis: str = "source") -> Path:
    steps = [step_over(edge)._replace(basis=basis) for edge in text.split()[1::2]]
    return Path(tuple(text.split()[::2]), tuple(steps), 0.01)


def described(path: Path, vocabulary: Vocabulary) -> dict[str, Any]:
    return describe_path(path, {node: card(node) for node in path.nodes}, vocabulary, {})


@pytest.mark.parametrize(("text", "sentence"), SENTENCES)
def test_a_path_is_described_in_one_sentence(text: str, sentence: str, vocabulary: Vocabulary) -> None:
    path = path_of(text)
    description = described(path, vocabulary)
    assert (description["why"], description["length"], description["score"]) == (sentence, len(path.steps), 0.01)
    steps = [word for step in description["steps"] for word in (step["from"]["id"], step["edge"])]
    assert [*steps, description["steps"][-1]["to"]["id"]] == text.split()


def test_a_step_has_the_label_weight_and_basis_of_its_edge(vocabulary: Vocabulary) -> None:
    (step,) = described(path_of("vendor:a sells product:b"), vocabulary)["steps"]
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


NO_PATH = "No path of up to four relations connects A and B."


@pytest.mark.parametrize(
    ("end", "is_complete", "reason"),
    [
        ("disability:a", True, "Both are the same entity, A."),
        ("vendor:b", True, NO_PATH),
        ("vendor:b", False, f"{NO_PATH} Of hubs, only the strongest relations of each name were followed."),
        ("vendor:alone", True, "Alone has no relations in this release."),
    ],
)
def test_gives_the_reason_if_there_is_no_path(end: str, is_complete: bool, reason: str) -> None:  # noqa: FBT001 - a column of the table
    steps = {"solution:x": step_over("recommends")}
    neighborhoods = {
        end: Neighborhood({} if end == "vendor:alone" else steps, {}, is_complete),
        "disability:a": Neighborhood(steps, {}),
    }
    assert no_path_reason(resolved("disability:a"), resolved(end), neighborhoods) == reason


def test_editorial_hierarchy_edges_have_verbs_of_their_own(vocabulary: Vocabulary) -> None:
    path = path_of("disability:ringing broader disability:hearing-loss narrower disability:other-ringing", "editorial")
    sentence = "The condition Ringing is placed under Hearing Loss, which is placed above Other Ringing."
    assert described(path, vocabulary)["why"] == sentence


def test_nothing_is_helped_by_what_recommendations_leave_out(vocabulary: Vocabulary) -> None:
    path = path_of("disability:epilepsy recommends solution:strobes implemented_by product:flash")
    cards = {node: card(node) for node in path.nodes}
    reason = "Recommendations for Epilepsy leave Strobes out: flashing light can set off a seizure."
    shown = describe_path(path, cards, vocabulary, {"solution:strobes": reason})
    assert shown["steps"][0]["label"] == "is listed with"
    assert shown["why"].startswith("The condition Epilepsy is listed with the accommodation Strobes, which ")
    assert shown["why"].endswith(f". {reason}")


def page(node: str, edge: str, total: int, *targets: tuple[str, float, int]) -> Hit:
    """Return the hit of a page of edges with those that matched: target, weight, and edges at the target."""
    nested = tuple(edge_to(target, weight, target_total=count) for target, weight, count in targets)
    return Hit(fields={"entity": [node], "edge": [edge], "total": [str(total)]}, nested=nested)


def test_the_best_step_between_two_inner_entities_is_followed() -> None:
    source, solution = "disability:a", "solution:s"
    pages = [
        page(source, "recommends", 4, (solution, 0.5, 2), ("solution:t", 1.0, 1)),
        page(source, "recommends", 4, (solution, 0.1, 2)),
        page(source, "broader", 1, ("disability:b", 1.0, 9)),
    ]
    steps = page_steps(pages)
    assert {pair: (step.edge, step.factor) for pair, step in steps.items()} == {
        (source, solution): ("recommends", math.sqrt(0.5 / (4 * 2))),
        (source, "solution:t"): ("recommends", math.sqrt(1 / 4)),
        (source, "disability:b"): ("broader", math.sqrt(1 / 9)),
    }
    assert page_steps([]) == {}
