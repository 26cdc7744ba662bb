"""What searches match of an entity: the keys of each kind, its names, and the names of what it is for."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pytest

from indexer.content.rows import Alias, Entity, FirstChoice
from indexer.content.wordings import Wording
from indexer.documents.search_fields import (
    MAX_NEEDS,
    SearchFields,
    id_forms,
    neighbor_names,
    owner_ids,
    related_names,
    retired_ids,
    searchable_ids,
)
from indexer.graph.model import Edge, Graph
from tests.support.small_graphs import edge, entity, graph_of
from tests.support.written_documents import ADHD, CHRONIC, EYE, LOW_VISION, SCLEROSIS, Written, of_kind

Texts = Mapping[str, Sequence[tuple[str, str]]]
NOTHING: Mapping[str, Any] = MappingProxyType({})


def with_aliases(nodes: Iterable[Entity], texts: Texts = NOTHING, edges: Iterable[Edge] = (), **parts: Any) -> Graph:  # noqa: ANN401 - fields of a graph
    """Return a graph of these entities; `texts` are the aliases of each, with their kinds."""
    aliases = {node: tuple(Alias(node, text, kind, ()) for text, kind in pairs) for node, pairs in texts.items()}
    return graph_of(nodes, edges, aliases=aliases, **parts)


def keys_of(graph: Graph, node: str, inheritors: Mapping[str, Sequence[str]] = NOTHING) -> dict[str, list[str]]:
    """Return the keys of an entity by their prefix."""
    keys: dict[str, list[str]] = {}
    for key in SearchFields.from_graph(graph, inheritors).fields(graph.nodes[node])["keys"]:
        prefix, _, rest = key.partition(":")
        keys.setdefault(prefix, []).append(rest)
    return keys


def mentions(item: Entity, *aliases: tuple[str, str], others: Iterable[Entity] = ()) -> list[str]:
    """Return the mention keys of an entity with these aliases, beside others."""
    return keys_of(with_aliases([item, *others], {item.id: aliases}), item.id).get("mention", [])


# The fields of the test world


def test_an_entity_has_keys_of_its_ids_codes_and_names(written: Written) -> None:
    assert written[EYE]["keys"] == [
        *("id:disability:optic-neuritis", "id:disability:doid:1210", "id:optic-neuritis", "id:doid:1210"),
        *("code:1210", "code:doid1210"),
        *("code:h46", "code:icdh46", "code:icd10h46", "code:icd10cmh46"),
        *("code:h469", "code:icdh469", "code:icd10h469", "code:icd10cmh469"),
        *("code:d009902", "code:meshd009902"),
        *("name:opticneuritis", "name:inflamedopticnerve", "name:ms", "name:eyecripple"),
        *("letters:opticneuritis", "letters:inflamedopticnerve", "letters:ms"),  # no names that are never shown
        *("mention:opticneuritis", "mention:inflamedopticnerve", "mention:eyecripple"),  # "MS" is too short
        "words:inflam nerv optic",
    ]


def test_a_condition_has_the_names_of_narrower_ones_that_inherit_from_it(written: Written) -> None:
    narrower = [key for key in written[LOW_VISION]["keys"] if key.startswith("narrower:")]
    assert narrower == ["narrower:opticneuritis", "narrower:inflamedopticnerve", "narrower:chronicopticneuritis"]
    assert "narrower:chronicopticneuritis" in written[SCLEROSIS]["keys"]
    assert not [key for key in written[CHRONIC]["keys"] if key.startswith("narrower:")]


def test_a_solution_has_the_names_of_its_needs(written: Written) -> None:
    checklists = [key for key in written["solution:checklists"]["keys"] if key.startswith(("need:", "first:"))]
    assert checklists == [
        *("need:attentivenessconcentration", "need:attentiveness", "need:concentration"),  # and its parts
        *("need:memoryloss", "need:troubleremembering"),
    ]


def test_only_the_first_of_the_first_choices_has_keys(written: Written) -> None:
    first = {
        key: [found for found in body["keys"] if found.startswith("first:")]
        for key, body in of_kind(written, "entity").items()
    }
    assert {key: found for key, found in first.items() if found} == {
        "solution:written-instructions": ["first:memoryloss", "first:troubleremembering"],
    }


def test_keys_are_listed_once(written: Written) -> None:
    for body in of_kind(written, "entity").values():
        assert len(set(body["keys"])) == len(body["keys"])


def test_an_entity_has_id_key_and_slug_as_ids(written: Written) -> None:
    forms = ["15-1252.00", "software-developers", "15-1252"]
    job = written["occupation:15-1252.00"]
    full_forms = [f"occupation:{form}" for form in forms]
    assert (job["ids"], job["owner"]) == ([*full_forms, *forms], full_forms)


def test_search_finds_an_entity_by_its_retired_ids(written: Written, graph: Graph) -> None:
    telework = written["solution:telework"]
    assert telework["ids"][-2:] == ["solution:working-from-home", "working-from-home"]
    assert telework["owner"] == ["solution:telework"]  # a retired id is a redirect
    assert retired_ids(graph, ADHD) == ["disability:add", "add"]
    assert retired_ids(graph, EYE) == []


def test_ids_have_the_forms_of_a_key_and_a_slug(graph: Graph) -> None:
    eye = graph.nodes[EYE]
    assert id_forms(eye) == ["optic-neuritis", "DOID:1210"]
    assert owner_ids(eye) == ["disability:optic-neuritis", "disability:DOID:1210"]
    assert searchable_ids(graph, eye) == [*owner_ids(eye), *id_forms(eye)]


def test_names_of_narrower_conditions_and_mainstream_products_are_demoted(written: Written) -> None:
    assert written[EYE]["demoted_names"] == ["Optic Neuritis", "inflamed optic nerve", "MS"]
    assert "names" not in written[EYE]
    for body in of_kind(written, "entity").values():
        demoted = body["kind"] == "narrower" or body["family"] == "mainstream"
        assert ("demoted_names" in body) is demoted
        assert ("names" in body) is not demoted
        assert body["spelling"] == body["demoted_names" if demoted else "names"]


def test_related_has_the_own_names_of_what_is_not_demoted(written: Written) -> None:
    assert written["solution:checklists"]["related"] == ["Checklists", "Attentiveness/Concentration", "Memory Loss"]
    assert written[EYE]["related"] == ["optic nerve disease"]  # a near alias


def test_the_description_has_name_summaries_and_category(written: Written) -> None:
    pocket = written["product:largeview-pocket"]
    assert pocket["description"] == "LargeView Pocket A hand-held camera that shows print enlarged. Devices"
    assert written["disability:crohns-disease"]["description"].endswith("says little about the next one.")
    assert written[EYE]["description"] == ""  # a narrower condition matches only by its names


def test_the_wording_has_all_that_people_would_say() -> None:
    node = entity("limitation:l", "Reading")._replace(short="Taking in written words.", plain="Print swims.")
    aliases = {node.id: [("Print Trouble", "lay"), ("Letters Jump", "near"), ("Wordblind", "hidden")]}
    parts, signs = {node.id: {"colour of print": 0}}, {node.id: {"skips lines": 0}}
    wordings = {node.id: (Wording(node.id, ("moves his finger along",), ()),)}
    graph = with_aliases([node], aliases, body_parts=parts, signs=signs, wordings=wordings)
    assert SearchFields.from_graph(graph, {}).fields(node)["wording"] == [
        *("Reading", "Print Trouble", "Letters Jump", "Taking in written words.", "Print swims."),
        *("color of print", "skips lines", "moves his finger along"),
    ]


def test_only_needs_conditions_with_texts_and_solutions_have_a_wording(written: Written) -> None:
    assert all(written[node]["wording"] for node in (EYE, "solution:checklists"))
    narrower = entity("disability:narrower")._replace(short="It is a kind of Asthma.", facts={"kind": "narrower"})
    assert SearchFields.from_graph(graph_of([narrower]), {}).fields(narrower)["wording"] == []
    assert not any(body.get("wording") for key, body in written.items() if key.startswith(("product:", "vendor:")))


def test_a_hidden_alias_has_keys_only(written: Written) -> None:
    assert {"name:eyecripple", "mention:eyecripple"} <= {*written[EYE]["keys"]}
    shown = {key: {name: body[name] for name in body if name != "keys"} for key, body in written.items()}
    assert "cripple" not in str(shown)


def test_groupings_and_settings_can_be_filtered_by(written: Written) -> None:
    assert written["disability:crohns-disease"]["groupings"] == ["other-health-impairment"]
    assert written["solution:checklists"]["settings"] == ["work", "school", "testing"]
    assert written["vendor:quiet-works"]["settings"] == []


def test_fields_have_american_spellings() -> None:
    node = entity("solution:s", "Colour Overlays")._replace(short="For oedema.")
    need = entity("limitation:l", "Tumours")
    targets = [edge("recommended_for", "solution:s", "limitation:l", 1.0)]
    graph = with_aliases([node, need], {node.id: [("Grey Filters", "lay")]}, targets)
    fields = SearchFields.from_graph(graph, {}).fields(node)
    names = ["color Overlays", "gray Filters"]
    assert (fields["names"], fields["spelling"], fields["related"]) == (names, names, [*names, "tumors"])
    assert fields["description"] == "color Overlays For edema."
    assert "name:coloroverlay" in fields["keys"]


# Names that mean an entity inside a query


@pytest.mark.parametrize(
    ("item", "aliases", "expected"),
    [
        (entity("limitation:l", "Memory Loss"), [("forgets names", "lay")], ["memoryloss", "forgetname"]),
        (entity("limitation:l", "Pain"), [("aches", "lay")], ["pain", "ach"]),
        (entity("disability:d", "Blindness"), [("eye cripple", "hidden")], ["blindness", "eyecripple"]),
        (entity("disability:d", "Blindness"), [("sight loss", "near")], ["blindness"]),  # only words in text
        (entity("solution:s", "Timers"), [], ["timer"]),
        # a part of a need's name between slashes
        (
            entity("limitation:l", "Skin Rash/Blisters/Sores"),
            [],
            ["skinrashblistersore", "skinrash", "blister", "sore"],
        ),
        (entity("solution:s", "Sit/Stand Desks"), [], ["sitstanddesk"]),
        (entity("disability:d", "AD/HD"), [], ["adhd"]),
        # one word is a product or a firm for everybody
        (entity("product:p", "Telephone Amplifier", family="assistive"), [("Amp", "lay")], ["telephoneamplifier"]),
        (entity("product:p", "Open Office", family="mainstream"), [], []),
        (entity("product:p", "Safety Shoes", family="protective"), [], []),
        (entity("vendor:v", "Big Company"), [], []),
        (entity("ability:a", "Near Vision"), [("Vision", "lay")], ["nearvision"]),
        (entity("limitation:l", "+++"), [], []),
    ],
)
def test_a_name_means_an_entity_inside_a_query(
    item: Entity, aliases: Sequence[tuple[str, str]], expected: list[str]
) -> None:
    assert mentions(item, *aliases) == expected


@pytest.mark.parametrize(
    ("name", "aliases", "expected"),
    [
        ("DOORS Syndrome", [], ["DOORSsyndrome"]),  # "doors" is a common word
        ("Cat Eye Syndrome", [("CAT", "abbreviation")], ["cateyesyndrome", "CAT"]),
        ("Post-Traumatic Stress Disorder", [("PTSD", "abbreviation")], ["posttraumaticstressdisorder", "ptsd"]),
        ("Heart Attack", [], ["heartattack"]),
        ("SAD", [], ["SAD"]),
    ],
)
def test_a_common_word_in_capitals_counts_only_in_capitals(
    name: str, aliases: list[tuple[str, str]], expected: list[str]
) -> None:
    assert mentions(entity("disability:d", name), *aliases) == expected


READER = entity("product:p", "Screen Reader", family="assistive")


@pytest.mark.parametrize(
    ("titles", "others", "expected"),
    [
        (["Accountant"], [], ["accountant"]),
        (["Accountants"], [], ["accountant"]),
        (["Reader", "Proof Reader"], [READER], ["proofreader"]),  # a word of another name, unless in several words
        (["Readers"], [READER], []),
        (["Aid"], [], []),  # too short
        (["Aide"], [], ["aide"]),
        (["Reader"], [entity("vendor:v", "Reader Ltd"), entity("ability:a", "Reader")], ["reader"]),
    ],
)
def test_one_word_job_titles_count_if_no_other_name_has_the_word(
    titles: list[str], others: list[Entity], expected: list[str]
) -> None:
    job = entity("occupation:o", "Job Of Tests")
    assert mentions(job, *((title, "title") for title in titles), others=others) == ["joboftest", *expected]


def test_the_words_of_aliases_are_other_words_too() -> None:
    job, need = entity("occupation:o", "Driver"), entity("workrelatedfunction:w", "Driving")
    graph = with_aliases([job, need], {need.id: [("drivers only", "lay")]})
    assert SearchFields.from_graph(graph, {}).other_words == {"driving", "driver", "only"}
    assert "mention" not in keys_of(graph, job.id)


@pytest.mark.parametrize(
    ("node", "alias", "expected"),
    [
        ("limitation:l", "numb hands", ["hand numb"]),
        ("limitation:l", "can't feel my hands", []),  # one content word
        ("limitation:l", "hands go numb when typing", ["hand numb typ"]),
        ("limitation:l", "numb cold stiff hands", []),  # four
        ("disability:d", "hands hand", []),  # one word twice
        ("solution:s", "numb hands", []),
        ("occupation:o", "hand packer", []),
    ],
)
def test_the_content_words_of_an_alias_match_in_any_order(node: str, alias: str, expected: list[str]) -> None:
    graph = with_aliases([entity(node, "Sorting")], {node: [(alias, "lay")]})
    assert keys_of(graph, node).get("words", []) == expected


def test_the_name_of_an_entity_has_no_keywords_of_its_own() -> None:
    assert "words" not in keys_of(with_aliases([entity("limitation:l", "Numb Hands")]), "limitation:l")


def test_a_limitation_has_the_body_parts_that_can_bring_it() -> None:
    graph = with_aliases(
        [entity("limitation:l", "Walking")], body_parts={"limitation:l": {"ankles": 0, "hip surgery": 2}}
    )
    assert keys_of(graph, "limitation:l")["part"] == ["ankle", "hipsurgery"]


def test_a_solution_has_the_signs_and_requests_that_mean_it() -> None:
    graph = with_aliases([entity("solution:s", "Flexible Schedule")], signs={"solution:s": {"swapping shifts": 0}})
    assert keys_of(graph, "solution:s")["sign"] == ["shift swap"]


def test_a_solution_that_editors_put_first_has_the_names_of_the_conditions_and_needs() -> None:
    nodes = [
        entity("solution:s", "Timers"),
        entity("disability:d", "Dyslexia"),
        entity("limitation:l", "Reading/Writing"),
    ]
    choices = (
        FirstChoice("disability:d", "solution:s", 1.0),
        FirstChoice("limitation:l", "solution:s", 1.0),
        FirstChoice("limitation:l", "solution:s", 0.5),
    )
    graph = with_aliases(nodes, {"disability:d": [("word blind", "hidden")]}, first_choices=choices)
    assert keys_of(graph, "solution:s")["first"] == ["dyslexia", "wordblind", "readingwriting", "reading", "writing"]


def test_in_a_setting_the_first_choices_for_it_count_alone() -> None:
    nodes = [entity("solution:s", "Timers"), entity("solution:t", "Breaks"), entity("disability:d", "Dyslexia")]
    choices = (
        FirstChoice("disability:d", "solution:s", 1.0),
        FirstChoice("disability:d", "solution:t", 1.0, settings=("testing",)),
    )
    graph = with_aliases(nodes, first_choices=choices)
    anywhere, testing = keys_of(graph, "solution:s"), keys_of(graph, "solution:t")
    assert (anywhere["first"], anywhere["first-school"]) == (["dyslexia"], ["dyslexia"])
    assert "first-testing" not in anywhere
    assert testing["first-testing"] == ["dyslexia"]
    assert not {"first", "first-school"} & {*testing}


def test_a_condition_has_the_names_of_what_inherits_from_it() -> None:
    nodes = [entity("disability:a", "Low Vision"), entity("disability:b", "Glaucoma", kind="narrower")]
    graph = with_aliases(nodes, {"disability:b": [("green star", "older"), ("GLC", "abbreviation")]})
    inheritors = {"disability:a": ["disability:b"]}
    assert keys_of(graph, "disability:a", inheritors)["narrower"] == ["glaucoma", "greenstar"]  # not "GLC"
    assert "narrower" not in keys_of(graph, "disability:b", inheritors)


# The names of what an entity is for, computed by hand from the tables of the test world

RELATED = {
    # half of the two pages with memory loss list it
    "solution:checklists": ["Attentiveness/Concentration", "Memory Loss"],
    # two of three pages with fatigue, one of two with commuting
    "solution:flexible-schedule": ["Decreased Stamina/Fatigue", "Commute to and from Work"],
    # one of three pages with fatigue is too few
    "solution:telework": ["Attentiveness/Concentration", "Commute to and from Work"],
    # the limitation, not the condition of the same name
    "solution:screen-magnification-software": ["Low Vision"],
    # only for school: all needs that it is named for, even rare ones
    "solution:preferential-seating": ["Attentiveness/Concentration", "Low Vision"],
    "product:hushband-headset": ["Noise Canceling Headsets"],
    "product:largeview-pocket": ["Screen Magnification Software"],
    "disability:crohns-disease": ["Other Health Impairment", "OHI"],  # its grouping
    "disability:multiple-sclerosis": [],
    "limitation:low-vision": [],
    "workrelatedfunction:commute": [],
    "occupation:15-1252.00": [],
    "vendor:quiet-works": [],
    EYE: [],
}
JOINED = {
    "limitation:low-vision": ["Low Vision", "MS", "Multiple Sclerosis"],
    "workrelatedfunction:commute": ["Crohn's Disease", "Low Vision", "Regional Enteritis"],
    "vendor:quiet-works": [
        *("Checklists", "DayPlan Checklist App", "HushBand Headset"),
        *("Noise Canceling Headsets", "Noise-Cancelling Headphones"),
    ],
    "occupation:15-1252.00": ["Memorization", "Near Vision"],
    "solution:checklists": [],
    "product:largeview-pocket": [],
    EYE: [],  # thousands of narrower conditions inherit the same limitations
}


@pytest.mark.parametrize(("node", "names"), RELATED.items(), ids=RELATED)
def test_related_names_are_those_of_what_an_entity_is_for(graph: Graph, node: str, names: list[str]) -> None:
    assert list(related_names(graph, graph.nodes[node])) == names


@pytest.mark.parametrize(("node", "names"), JOINED.items(), ids=JOINED)
def test_joined_names_are_those_of_neighbors(graph: Graph, node: str, names: list[str]) -> None:
    assert neighbor_names(graph, graph.nodes[node]) == names


def graph_with(name: str, source: Entity, targets: Iterable[tuple[str, float]]) -> Graph:
    """Return one entity with edges of one name, in this order."""
    edges = [edge(name, source.id, target, weight) for target, weight in targets]
    return graph_of([source, *(item.target for item in edges)], edges)


def related(graph: Graph, node: str) -> list[str]:
    return list(related_names(graph, graph.nodes[node]))


def test_a_solution_has_only_its_first_needs_and_no_conditions() -> None:
    needs = [(f"limitation:l{number}", 1.0) for number in range(MAX_NEEDS)]
    conditions = [(f"disability:d{number}", 1.0) for number in range(MAX_NEEDS)]
    late = ("workrelatedfunction:late", 1.0)
    graph = graph_with("recommended_for", entity("solution:breaks"), [*conditions, *needs, late])
    assert related(graph, "solution:breaks") == [f"L{number}" for number in range(MAX_NEEDS)]


@pytest.mark.parametrize(("weight", "names"), [(0.5, ["Pain"]), (0.4999, [])])
def test_a_need_counts_if_half_of_its_pages_list_the_solution(weight: float, names: list[str]) -> None:
    graph = graph_with("recommended_for", entity("solution:breaks"), [("limitation:pain", weight)])
    assert related(graph, "solution:breaks") == names


@pytest.mark.parametrize(
    ("settings", "names"), [("school", ["Pain"]), ("school|testing", ["Pain"]), ("work|school", [])]
)
def test_a_solution_only_for_school_has_rare_needs_too(settings: str, names: list[str]) -> None:
    breaks = entity("solution:breaks", settings=settings)
    assert related(graph_with("recommended_for", breaks, [("limitation:pain", 0.1)]), breaks.id) == names


def test_an_inherited_need_does_not_count() -> None:
    inherited = [edge("recommended_for", "solution:breaks", "limitation:pain", 1.0, basis="inherited")]
    assert related(graph_of(["solution:breaks", "limitation:pain"], inherited), "solution:breaks") == []


@pytest.mark.parametrize(("family", "names"), [("assistive", ["Light"]), ("ergonomic", ["Light"]), ("mainstream", [])])
def test_a_mainstream_product_has_no_related_names(family: str, names: list[str]) -> None:
    lamp = entity("product:lamp", family=family)
    assert related(graph_with("implements", lamp, [("solution:light", 1.0)]), lamp.id) == names


@pytest.mark.parametrize("node", ["solution:alone", "product:alone", "vendor:alone", "disability:alone"])
def test_an_entity_without_edges_has_no_related_and_joined_names(node: str) -> None:
    graph = graph_of([node])
    assert related(graph, node) == []
    assert neighbor_names(graph, graph.nodes[node]) == []


def test_an_occupation_requires_what_limits_several_of_its_abilities() -> None:
    edges = [
        *(edge("requires", "occupation:a", ability, 0.8) for ability in ("ability:x", "ability:y")),
        *(edge("limited_by", ability, "limitation:standing", 0.5) for ability in ("ability:x", "ability:y")),
        edge("limited_by", "ability:x", "limitation:sitting", 0.5),
    ]
    graph = graph_of(["occupation:a", *dict.fromkeys(item.target for item in edges)], edges)
    assert neighbor_names(graph, graph.nodes["occupation:a"]) == ["Standing", "X", "Y"]


def test_words_with_british_spellings_have_these_for_completion() -> None:
    graph = graph_of(["solution:colored-overlays", "solution:desks"], [])
    british = [SearchFields.from_graph(graph, {}).fields(node)["british"] for node in graph.nodes.values()]
    assert british == [["coloured"], []]


def test_the_fields_of_an_entity_are_those_of_the_mapping(written: Written, graph: Graph) -> None:
    fields = SearchFields.from_graph(graph, {}).fields(graph.nodes["vendor:quiet-works"])
    assert set(fields) == {
        *("type", "kind", "ids", "owner", "keys", "names", "spelling", "related", "joined", "family", "settings"),
        *("groupings", "description", "wording", "display_name", "british"),
    }
    stored = written["vendor:quiet-works"]
    assert {name: stored[name] for name in fields} == fields


def test_a_number_of_fewer_than_four_digits_is_no_code() -> None:
    valve = entity("disability:valve")._replace(facts={"doid": "DOID:988"})
    assert keys_of(graph_of([valve]), valve.id)["code"] == ["doid988"]
