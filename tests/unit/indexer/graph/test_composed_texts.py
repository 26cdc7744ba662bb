"""The one sentence of a condition without a text of its own."""

import pytest

from indexer.content.rows import Link, Recommendation
from indexer.graph.model import Graph
from schema.vocabulary import Vocabulary
from tests.support.small_graphs import built, entity

MAIN = [entity(f"disability:{key}", kind="main") for key in ("ms", "blindness")] + [
    entity("disability:skin-conditions", "Skin Conditions", kind="main")
]
NARROWER = [entity(f"disability:{key}", kind="narrower") for key in ("skin", "eyes", "lens", "near", "several", "odd")]
ACUTE = [entity(f"disability:{key}", kind="narrower", course="acute") for key in ("bleed", "clot")]
WRITTEN = entity("disability:told", kind="narrower")._replace(short="What it is.", plain="More of it.")
LINKS = [
    *(
        ("skin", "skin-conditions", "source"),
        ("eyes", "ms", "source"),
        ("lens", "eyes", "source"),
        ("near", "blindness", "editorial"),
    ),
    *(("several", "ms", "source"), ("several", "blindness", "source")),
    *(("odd", "eyes", "source"), ("odd", "blindness", "editorial")),
    *(("bleed", "ms", "source"), ("clot", "ms", "derived"), ("told", "ms", "source")),
]
ACUTE_TEXT = "comes suddenly and needs medical help at once; what is listed for Ms is for the time after."
Rows = tuple[Recommendation, ...]


@pytest.fixture(scope="module")
def graph(vocabulary: Vocabulary) -> Graph:
    links = tuple(Link("broader", f"disability:{of}", f"disability:{to}", basis, ()) for of, to, basis in LINKS)
    listed: Rows = tuple(Recommendation(node.id, "limitation:pain", "solution:breaks", "", ("atlas",)) for node in MAIN)
    others = (entity("limitation:pain"), entity("solution:breaks", settings="work"))
    entities = [*MAIN, *NARROWER, *ACUTE, WRITTEN, *others]
    return built(vocabulary, entities, links=links, recommendations=listed)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ("skin", "One of the Skin Conditions, shown with their accommodations."),
        ("eyes", "A kind of Ms, shown with its accommodations."),
        ("lens", "A kind of Eyes, shown with the accommodations for Ms."),
        ("near", "Shown with the accommodations for Blindness, which come nearest."),
        ("several", "A kind of Blindness and Ms, shown with their accommodations."),
        ("odd", "A kind of Eyes, shown with the accommodations for Blindness and Ms."),
        (
            "bleed",
            f"A kind of Ms that {ACUTE_TEXT}",
        ),
        (
            "clot",
            f"A condition that {ACUTE_TEXT}",
        ),
        ("told", "What it is."),
        ("ms", ""),
    ],
)
def test_a_condition_without_a_text_says_what_it_is_a_kind_of(graph: Graph, key: str, sentence: str) -> None:
    assert graph.nodes[f"disability:{key}"].short == sentence


def test_nothing_else_is_composed(graph: Graph) -> None:
    assert {node: entity.plain for node, entity in graph.nodes.items() if entity.plain} == {WRITTEN.id: WRITTEN.plain}
