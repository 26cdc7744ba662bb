"""Pairs and siblings of conditions: which are found, in which order, and what their documents say of them."""

import pytest

from indexer.content.rows import Alias, BodyPart, CoOccurrence, Entity, Link
from indexer.graph.build import body_part_keys
from indexer.graph.co_occurrence import MAX_SIBLINGS, related_facts, sibling_edges, well_known_conditions
from indexer.graph.model import Graph
from schema.vocabulary import Vocabulary
from tests.support.small_graphs import built, entity

PAGE = "https://pages.example.org/pairs"
MAINS = ("arms", "mood", "fear", "low-mood", "phobia", "lonely")
NARROW = {
    "nerve": ("arms",),
    "tunnel": ("nerve", "arms"),  # the only child of its nearest broader condition
    "finger": ("arms",),
    "elbow": ("arms",),
    "zebra": ("arms",),
    "ulna": ("nerve-two",),
    "nerve-two": ("arms",),
    "tunnel-left": ("tunnel", "arms"),
    "panic": ("fear",),
}
BETWEEN_MAINS = {"fear": ("mood",), "low-mood": ("mood",), "phobia": ("fear", "mood")}


def id_of(key: str) -> str:
    return f"disability:{key}"


def alias(key: str, text: str, kind: str = "synonym", source: str = "atlas") -> Alias:
    return Alias(id_of(key), text, kind, (source,))


def broader(child: str, parent: str, basis: str = "source", reason: str = "") -> Link:
    return Link("broader", id_of(child), id_of(parent), basis, ("editors" if reason else "atlas",), None, reason)


LINKS = tuple(broader(child, parent) for child, parents in {**NARROW, **BETWEEN_MAINS}.items() for parent in parents)


def tree(vocabulary: Vocabulary, *, links: tuple[Link, ...] = LINKS, **rows: object) -> Graph:
    nodes: list[str | Entity] = [entity(id_of(key), kind="main") for key in MAINS]
    keys = dict.fromkeys(link.source.partition(":")[2] for link in links)
    nodes += [entity(id_of(key), kind="narrower") for key in keys if key not in MAINS]
    return built(vocabulary, nodes, links=links, **rows)


def siblings(graph: Graph, key: str) -> list[str]:
    return [edge.target.partition(":")[2] for edge in sibling_edges(graph, id_of(key))]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("finger", ["elbow", "nerve", "nerve-two", "tunnel", "tunnel-left", "zebra"]),
        ("tunnel", ["elbow", "finger", "nerve-two", "zebra"]),  # nerve is an ancestor, tunnel-left a descendant
        ("ulna", ["elbow", "finger", "nerve", "tunnel", "tunnel-left", "zebra"]),  # nerve-two has no other child
        ("fear", ["low-mood"]),  # phobia is a kind of fear, panic is narrower
        ("phobia", ["low-mood"]),  # fear, the nearest, has no other main child
        ("panic", ["phobia"]),  # a narrower condition may have main siblings
        ("mood", []),
        ("lonely", []),
    ],
)
def test_siblings_are_the_other_children_of_the_nearest_broader_condition_that_has_any(
    vocabulary: Vocabulary, key: str, expected: list[str]
) -> None:
    assert siblings(tree(vocabulary), key) == expected


def test_siblings_are_sorted_main_first_then_well_known_then_kinds_then_those_of_rules(vocabulary: Vocabulary) -> None:
    links = (
        broader("asked", "arms"),
        broader("fear", "arms"),
        broader("arm-rule", "arms", "derived", "its name says so"),
        broader("arm-reason", "arms", "editorial", "the nearest accommodations"),
        broader("kind", "arms"),
        broader("known", "arms", "editorial", "the nearest accommodations"),
    )
    graph = tree(vocabulary, links=links, aliases=(alias("known", "sore arm", "lay"),))
    assert siblings(graph, "asked") == ["fear", "known", "kind", "arm-reason", "arm-rule"]


def test_at_most_fifty_siblings_are_named(vocabulary: Vocabulary) -> None:
    keys = [f"arm-{number:02}" for number in range(MAX_SIBLINGS + 9)]
    graph = tree(vocabulary, links=tuple(broader(key, "arms") for key in keys))
    assert siblings(graph, keys[0]) == keys[1 : MAX_SIBLINGS + 1]


def test_conditions_that_people_or_editors_have_a_name_for_are_well_known(vocabulary: Vocabulary) -> None:
    aliases = (
        alias("finger", "stuck finger", "lay"),
        alias("elbow", "EB", "abbreviation", "editorial"),
        alias("zebra", "Zebra disease"),  # of a source
        alias("nerve", "cripple", "hidden", "editorial"),
        alias("nerve-two", "nerves", "near", "editorial"),
        alias("arms", "Tunnel"),  # a main condition has its name as an alias
        alias("panic", "ulna"),  # a narrower one does
    )
    graph = tree(vocabulary, aliases=aliases)
    assert well_known_conditions(graph) == {id_of(key) for key in ("finger", "elbow", "tunnel")}
    assert well_known_conditions(graph) is well_known_conditions(graph)  # computed once for a graph


def test_a_condition_of_the_editors_is_well_known(vocabulary: Vocabulary) -> None:
    burnout = entity("disability:burnout", kind="narrower")._replace(sources=("editorial",))
    assert well_known_conditions(built(vocabulary, [burnout])) == {"disability:burnout"}


PAIRS = (
    CoOccurrence(id_of("zebra"), id_of("arms"), "Arms and zebras", PAGE, "unknown", "2026-11-25"),
    CoOccurrence(id_of("arms"), id_of("low-mood"), "Arms and mood", PAGE, "2018", "unknown"),
    CoOccurrence(id_of("fear"), id_of("arms"), "Fear", PAGE, "2018-07-01", "2026-11-25"),
)


def test_pairs_are_known_at_both_ends_by_name(vocabulary: Vocabulary) -> None:
    graph = tree(vocabulary, co_occurrences=PAIRS)
    assert graph.co_occurrence_table == PAIRS
    assert graph.co_occurring.keys() == {id_of(key) for key in ("arms", "fear", "low-mood", "zebra")}
    arms = graph.co_occurring[id_of("arms")]
    assert [pair.other for pair in arms] == [id_of(key) for key in ("fear", "low-mood", "zebra")]  # narrower last
    assert {pair.condition for pair in arms} == {id_of("arms")}
    assert arms[0] == PAIRS[2]._replace(condition=id_of("arms"), other=id_of("fear"))


def test_a_graph_without_well_known_conditions_is_searched_once(vocabulary: Vocabulary) -> None:
    graph = built(vocabulary, ["disability:arms"])
    assert well_known_conditions(graph) == frozenset()
    assert well_known_conditions(graph) is graph.well_known_conditions[0]


def test_a_document_names_pairs_with_their_publication_and_siblings_with_their_sources(vocabulary: Vocabulary) -> None:
    links = (broader("panic", "fear"), broader("worry", "fear", "editorial", "nearest"), *LINKS)
    graph = tree(vocabulary, links=links, co_occurrences=(*PAIRS, PAIRS[1]._replace(other=id_of("panic"))))
    panic = related_facts(graph, graph.nodes[id_of("panic")])
    assert panic == {
        "co_occurring": [
            {"id": id_of("arms"), "title": "Arms and mood", "url": PAGE, "as_of": "2018", "read": None},
        ],
        "siblings": [id_of("phobia"), id_of("worry")],
        "sibling_sources": ["atlas", "editors"],
    }
    arms = related_facts(graph, graph.nodes[id_of("arms")])
    assert arms.keys() == {"co_occurring"}
    assert [pair["as_of"] for pair in arms["co_occurring"] if pair["id"] == id_of("zebra")] == [None]


def test_other_entities_have_no_such_facts(vocabulary: Vocabulary) -> None:
    links = tuple(
        Link("broader", f"limitation:{key}", "limitation:pain", "source", ("atlas",)) for key in ("ache", "sting")
    )
    graph = built(
        vocabulary, [*(f"limitation:{key}" for key in ("ache", "sting", "pain")), "disability:a"], links=links
    )
    assert [node for node, other in graph.nodes.items() if related_facts(graph, other)] == []


def test_each_entity_has_the_words_that_name_it_with_its_place_in_their_row(vocabulary: Vocabulary) -> None:
    rows = (
        BodyPart(
            ("knee", "kneecap"), "part", ("limitation:kneeling", "limitation:walking"), "editorial", ("editorial",)
        ),
        BodyPart(("foot",), "part", ("limitation:walking",), "editorial", ("editorial",)),
    )
    graph = built(vocabulary, ["limitation:kneeling", "limitation:walking", "limitation:pain"], body_parts=rows)
    assert graph.body_part_table == rows
    assert body_part_keys(rows)[0] == {"entities": list(rows[0].entities), "keys": ["part:knee", "part:kneecap"]}
    assert graph.body_parts == {
        "limitation:kneeling": {"knee": 0, "kneecap": 0},
        "limitation:walking": {"knee": 1, "kneecap": 1, "foot": 0},
    }
