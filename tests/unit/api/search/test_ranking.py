"""The ranking table: how each match is recognized, the parts of a score, and the order of a few hits for a query."""

from collections.abc import Sequence
from typing import Any

import pytest

from api.engine.release import Hit, NamedSide
from api.search.features import GOOD, Feature
from api.search.hit_order import rank_hits
from api.search.names import HitNames, all_names
from api.search.query import ParsedQuery
from api.search.ranking import MATCHERS, RankedHit, best_match, rank_hit
from api.search.ranking_table import ADDED, MATCHES, NAMED, POINTS, STRONG, WHOLE_NAMES
from schema.exact_keys import name_lines
from tests.support.search_matches import CASES, TV, WFH, MatchCase, kind_of, parse
from tests.support.search_responses import card, search_hit

KINDS = {weight.name for weight in MATCHES}
ALL = Feature.ALL_WORDS | Feature.RELATED


def hit(type_name: str, name: str, features: int, fit: float = 0.0, **payload: Any) -> Hit:  # noqa: ANN401 - JSON
    return search_hit(card(type_name, name), features, fit, **payload)


def ranked(query: str, found: Hit, *rules: str) -> RankedHit:
    return rank_hit(parse(query, *rules), found)


@pytest.mark.parametrize(("kind", "case"), [(kind_of(name), case) for name, case in CASES.items()], ids=CASES)
def test_a_hit_has_its_best_match(kind: str, case: MatchCase) -> None:
    by_name = {found.card["name"]: found for found in rank_hits(case.parsed, case.hits)}
    found = by_name[case.name]
    assert (found.match.kind, found.match.text) == (kind, case.text)
    assert found.parts[kind] == POINTS[kind]
    assert found.score == sum(found.parts.values())


def test_every_row_of_the_table_has_a_case() -> None:
    assert set(map(kind_of, CASES)) == KINDS - {"wording"}  # not a match of the first search: test_wording.py
    assert len(POINTS) == len(MATCHES) + len(ADDED)


def test_every_feature_has_a_matcher_and_every_set_of_kinds_is_in_the_table() -> None:
    assert {feature for feature, _, _ in MATCHERS} == set(Feature)
    assert {most for _, most, _ in MATCHERS} <= KINDS
    assert WHOLE_NAMES < STRONG < KINDS
    assert WHOLE_NAMES < NAMED < KINDS
    assert all(weight.meaning and weight.example for weight in (*MATCHES, *ADDED))


def test_whole_names_are_above_names_in_the_query_and_these_above_loose_matches() -> None:
    exact = ("id", "name", "alias", "title", "broader", "name_form", "alias_form")
    assert [*exact] == sorted(exact, key=POINTS.__getitem__, reverse=True)
    inside = {"keyword_name", "mention", "keywords", "rule_mention", "body_part"}
    assert min(map(POINTS.__getitem__, exact)) > max(map(POINTS.__getitem__, inside))
    loose = {
        "words_apart",
        "part_of_name",
        "description",
        "most_words",
        "most_related",
        "prefix",
        "not_meant",
        "elsewhere",
    }
    assert min(map(POINTS.__getitem__, inside)) > max(map(POINTS.__getitem__, loose))


@pytest.mark.parametrize(("query", "kind"), [("blind cleaner", "mention"), ("screen cleaner", "part_of_name")])
def test_the_last_word_is_a_job_if_a_need_is_named(query: str, kind: str) -> None:
    hits = [
        hit("occupation", "Janitors", Feature.MENTION, aliases=["Cleaner"]),
        hit("limitation", "Blind", Feature.MENTION if query.startswith("blind") else Feature.DESCRIPTION),
    ]
    found = {one.card["name"]: one for one in rank_hits(parse(query), hits)}
    assert (found["Janitors"].match.kind, found["Janitors"].is_good) == (kind, kind == "mention")


def test_a_word_inside_a_sign_of_something_else_names_nothing() -> None:
    hits = [
        hit("disability", "Burns", Feature.MENTION),
        hit("limitation", "Standing", Feature.BODY_PART),
    ]
    found = {one.card["name"]: one.match.kind for one in rank_hits(parse("my feet burn on concrete"), hits)}
    assert found == {"Standing": "body_part", "Burns": "part_of_name"}
    alone = rank_hits(parse("burns"), [hit("disability", "Burns", Feature.MENTION)])
    assert alone[0].match.kind == "keyword_name"


def test_a_sign_has_the_place_of_the_entity_in_its_row() -> None:
    found = ranked("checking the locks again", hit("disability", "OCD", Feature.BODY_PART))
    assert found.parts["order"] == 2 * POINTS["order"]


@pytest.mark.parametrize(("query", "kind"), [("standing desk cleaner", "mention"), ("desk cleaner", "part_of_name")])
def test_the_last_word_is_a_job_behind_a_solution_of_several_words(query: str, kind: str) -> None:
    hits = [
        hit("occupation", "Janitors", Feature.MENTION, aliases=["Cleaner"]),
        hit("solution", "Workstations", Feature.MENTION, aliases=["Standing Desk"]),
    ]
    found = {one.card["name"]: one for one in rank_hits(parse(query), hits)}
    assert found["Janitors"].match.kind == kind


@pytest.mark.parametrize(
    ("type_name", "name", "features"),
    [
        ("solution", "Animal Lift Tables", Feature.SCOPED),  # "service" is no type there
        ("occupation", "Animal Service Officers", Feature.ALL_WORDS),
    ],
)
def test_words_of_a_name_that_is_the_query_ask_for_nothing_else(type_name: str, name: str, features: int) -> None:
    animal = hit("solution", "Service Animal", Feature.MENTION)
    by_name = {
        one.card["name"]: one
        for one in rank_hits(parse("service animal at work"), [animal, hit(type_name, name, features)])
    }
    assert (by_name["Service Animal"].match.kind, by_name[name].match.kind) == ("keyword_name", "not_meant")
    alone = rank_hits(parse("service animal at work"), [hit(type_name, name, features)])
    assert alone[0].match.kind in {"scoped", "all_words"}


def test_what_is_added_to_a_whole_name_is_less_than_one_step() -> None:
    added = POINTS["prior"] + POINTS["in_name"] + POINTS["fit"]
    steps = (("id", "name"), ("name", "alias"), ("broader", "name_form"), ("name_form", "alias_form"))
    assert all(POINTS[higher] - POINTS[lower] > added for higher, lower in steps)


@pytest.mark.parametrize(
    ("query", "features", "kind"),
    [
        ("pen for shaky hands", Feature.NEED, "thing"),
        ("pen for shaky hands", Feature.DESCRIPTION, "description"),  # not for a need that the query names
        ("devices for shaky hands", Feature.NEED, "need"),  # a type is no thing
        ("for shaky hands", Feature.NEED, "need"),
        ("pen looked for", Feature.NEED, "need"),
        ("cannot hold a pen for writing", Feature.NEED, "need"),
        ("using a pen for more than two hours", Feature.NEED, "need"),
    ],
)
def test_the_words_before_for_are_a_thing(query: str, features: int, kind: str) -> None:
    assert ranked(query, hit("solution", "Weighted Pens and Devices", features)).match.kind == kind


# The parts of a score


PARTS: list[tuple[str, Hit, dict[str, float]]] = [
    ("telework", hit("solution", "Telework", Feature.NAME), {"in_name": 1}),
    # two of the three words of the name
    ("blood pressure", hit("product", "Blood Pressure Cuff", Feature.PHRASE), {"word": 2, "coverage": 2 / 3}),
    ("working from", hit("solution", "Telework", Feature.PHRASE, aliases=["Working from Home"]), {"coverage": 2 / 3}),
    # a need that the query names counts as one keyword
    ("pen for shaky hands", hit("solution", "Weighted Pens", Feature.NEED), {"word": 2, "coverage": 1 / 2}),
    ("shaky hands pen", hit("solution", "Weighted Pens", Feature.NEED), {"word": 2, "coverage": 1 / 2}),
    ("shaky hands", hit("solution", "Utensils", Feature.NEED), {"word": 1, "coverage": 0}),
    # "and" alone is no part of a name that the query has
    ("shaky hands and legs", hit("solution", "Mats and Rugs", Feature.NEED), {"word": 1, "coverage": 0}),
    # at most six keywords
    ("one two three four five six seven", hit("solution", "One Two Three Four Five Six Seven", ALL), {"word": 6}),
    # a need or condition in a sentence
    ("needs the toilet a lot", hit("limitation", "Toilet", Feature.MENTION), {"sentence": 1}),
    # beside a type hint
    ("be my eyes app", hit("product", "Be My Eyes", Feature.SCOPED), {"whole_rest": 1, "type_word": 0, "word": 1}),
    (
        "note taking software",
        hit("solution", "Note Taking Software", Feature.SCOPED),
        {"whole_rest": 0, "type_word": 1},
    ),
    ("vendors of lamps", hit("vendor", "Vendors", Feature.SCOPED), {"type_word": 0, "word": 0}),
    # the place among what a body part can bring
    ("broken ankle", hit("limitation", "Standing", Feature.BODY_PART), {"order": 1}),
    # a keyword just as it was typed
    ("lamp stands", hit("solution", "Lamp Stand", Feature.PHRASE), {"as_typed": 1}),
    ("lamp", hit("solution", "Lamps", Feature.NAME, 0.5), {"fit": 0.5}),
]


@pytest.mark.parametrize(("query", "found", "shares"), PARTS, ids=[case[0] for case in PARTS])
def test_a_part_of_a_score_is_a_share_of_its_points(query: str, found: Hit, shares: dict[str, float]) -> None:
    result = ranked(query, found)
    assert {name: result.parts[name] / POINTS[name] for name in shares} == pytest.approx(shares, abs=0.01)
    assert set(result.parts) <= set(POINTS)


def test_the_prior_of_a_hit_is_added() -> None:
    assert ranked("telework", hit("solution", "Telework", Feature.NAME, prior=195.5)).parts["prior"] == 195.5


def test_a_part_that_does_not_apply_is_left_out() -> None:
    assert set(ranked("telework", hit("solution", "Telework", Feature.NAME)).parts) == {
        *("name", "prior", "in_name", "fit"),
    }
    assert "sentence" not in ranked("toilet", hit("limitation", "Toilet", Feature.ALL_WORDS)).parts
    assert "as_typed" not in ranked("lamps stands", hit("solution", "Lamp Stand", Feature.PHRASE)).parts
    assert "as_typed" not in ranked("conditions with pain", hit("disability", "Conditions", Feature.SCOPED)).parts
    assert "in_name" not in ranked("wfh", hit("solution", "Telework", Feature.NAME, aliases=["WFH"])).parts


def test_a_rule_counts_the_words_that_it_adds() -> None:
    found = ranked("tv captions", hit("solution", "Television Captions", Feature.ALL_BY_RULE), TV)
    assert found.parts["word"] == 2 * POINTS["word"]
    assert found.parts["coverage"] == POINTS["coverage"]


def test_a_hit_is_good_if_a_good_feature_matched() -> None:
    assert {feature for feature in Feature if ranked("lamp", hit("solution", "Lamp", feature)).is_good} == {
        feature for feature in Feature if feature >= GOOD
    }


# Which match counts


@pytest.mark.parametrize(
    ("query", "features", "names", "kind", "text"),
    [
        # the best of several features, not the first
        (
            "low vision",
            Feature.DESCRIPTION | Feature.PHRASE | Feature.NEED,
            ["Low Vision Aids"],
            "phrase",
            "Low Vision Aids",
        ),
        # a slug that is the name
        ("telework", Feature.ID, ["Telework"], "name", "Telework"),
        ("wfh-policy", Feature.ID, ["Telework"], "id", "wfh-policy"),
        # a phrase that only endings of OpenSearch match has all words, or these are in several names
        ("proofreader tools", Feature.PHRASE, ["Tools", "Proofreading"], "words_apart", ""),
        ("vision low", Feature.PHRASE, ["Low Vision Aids"], "all_words", "Low Vision Aids"),
        # an exact alias before a name that is equal but for endings
        ("losses", Feature.NAME, ["Loss", "Losses"], "alias", "Losses"),
        # the longest name in the query
        ("adhd medication side effects", Feature.MENTION, ["ADHD", "ADHD Medication"], "mention", "ADHD Medication"),
        # in capitals
        ("has DOORS", Feature.MENTION, ["Deafness Syndrome", "DOORS"], "keyword_name", "DOORS"),
        ("nothing", 0, ["Nothing"], "prefix", ""),
    ],
)
def test_the_best_match_counts(query: str, features: int, names: list[str], kind: str, text: str) -> None:
    payload = {"card": {"name": names[0]}, "aliases": names[1:], "words": name_lines(names)}
    match = best_match(ParsedQuery.parse(query), features, HitNames(payload))
    assert (match.kind, match.text) == (kind, text)


def test_a_match_by_a_rule_has_the_variant_of_the_query() -> None:
    found = ranked("tv wfh", hit("solution", "Television Telework", Feature.NAME), WFH, TV)
    assert found.match.variant
    assert found.match.variant.replaced == (("tv", "television"), ("wfh", "telework"))
    assert ranked("telework", hit("solution", "Telework", Feature.NAME), WFH).match.variant is None


def test_a_hit_is_compared_by_its_name_aliases_and_titles() -> None:
    names = all_names({"card": {"name": "Physicians"}, "aliases": ["Medic"], "titles": ["Doctor", "GP"]})
    assert names == ["Physicians", "Medic", "Doctor", "GP"]
    assert all_names({"card": {"name": "Telework"}, "aliases": []}) == ["Telework"]


# The order of hits, best first

ORDERS: dict[str, tuple[str, Sequence[str], Sequence[Hit]]] = {
    "a code before a product with that number": (
        "G35", (),
        [
            hit("disability", "Multiple Sclerosis", Feature.ID),
            hit("product", "Headset G35", Feature.PHRASE | ALL, prior=136),
        ],
    ),
    "a name before an alias, and both before a broader condition": (
        "asthma", (),
        [
            hit("disability", "Asthma", Feature.NAME),
            hit("product", "Inhalers", Feature.NAME, aliases=["Asthma"], prior=232),
            hit("disability", "Respiratory Impairments", Feature.NARROWER | Feature.RELATED, prior=232),
            hit("solution", "Asthma Action Plans", Feature.PHRASE | ALL, prior=232),
        ],
    ),
    "a narrower condition that has the name but for endings before the broader one": (
        "panic attacks", (),
        [
            hit("disability", "Panic Disorder", Feature.NAME, aliases=["panic attack"], broader=["Anxiety Disorder"]),
            hit("disability", "Anxiety Disorder", Feature.NARROWER, prior=232),
            hit("solution", "Panic Attack Plans", ALL, prior=232),
        ],
    ),
    "a thing before a service where the query asks for devices": (
        "devices for blind people", (),
        [
            hit("solution", "Screen Readers", Feature.SCOPED, aliases=["for blind people"]),
            hit("solution", "Guide Animal", Feature.SCOPED, aliases=["for blind people"], prior=99, is_no_product=True),
        ],
    ),
    "an alias before a job title": (
        "doctor", (),
        [
            hit("occupation", "Veterinarians", Feature.NAME, aliases=["Doctor"]),
            hit("occupation", "Physicians", Feature.NAME, titles=["Doctor"], prior=136),
        ],
    ),
    "an alias of a solution before the name of a mainstream product": (
        "alarm clock", (),
        [
            hit("solution", "Accessible Clocks", Feature.NAME, aliases=["Alarm Clock"], prior=192),
            hit("product", "Alarm Clock", Feature.NAME, mainstream=True, prior=4),
        ],
    ),
    "a word as it was typed": (
        "devices for blind people", (),
        [
            hit("solution", "Tactile Devices", Feature.SCOPED, aliases=["blind"]),
            hit("product", "Paper Blinds", Feature.SCOPED),
        ],
    ),
    "a name but for endings before an alias but for endings": (
        "carts", (),
        [
            hit("product", "Cart", Feature.NAME),
            hit("solution", "Captioning", Feature.NAME, aliases=["CART"], prior=200),
        ],
    ),
    "a name before a demoted one": (
        "epilepsy", (),
        [
            hit("disability", "Epilepsy", Feature.NAME),
            hit("solution", "Epilepsy Alarms", Feature.PHRASE | ALL),
            hit("disability", "Photosensitive Epilepsy", Feature.DEMOTED_NAMES, prior=232),
        ],
    ),
    "words as typed before a synonym": (
        "tv", (TV,),
        [
            hit("product", "TV Captions", Feature.ALL_WORDS | Feature.RELATED),
            hit("solution", "Television", Feature.NAME),
        ],
    ),
    "the condition before what helps, and a named need before a part of the words": (
        "epilepsy and driving at night", (),
        [
            hit("disability", "Epilepsy", Feature.MENTION, prior=232),
            hit("workrelatedfunction", "Driving", Feature.MENTION, prior=200),
            hit("solution", "Night Driving Glasses", Feature.MOST_WORDS, prior=200),
        ],
    ),
    "more of the keywords first": (
        "mouse for shaky hands", (),
        [
            hit("solution", "Mouse Alternatives", Feature.NEED | Feature.MOST_OF_RELATED, prior=190),
            hit("solution", "Weighted Pens", Feature.NEED, prior=200),
        ],
    ),
    "what people live with before what helps and what can be bought": (
        "noise", (),
        [
            hit("limitation", "Noise Sensitivity", Feature.PHRASE | ALL, prior=224),
            hit("solution", "Noise Cancellation", Feature.PHRASE | ALL, prior=192),
            hit("product", "Noise Meter", Feature.PHRASE | ALL, prior=128),
        ],
    ),
    "the larger part of the name": (
        "keyboard", (),
        [
            hit("solution", "Keyboard Trays", Feature.PHRASE | ALL),
            hit("solution", "Keyboard Trays for Standing Desks", Feature.PHRASE | ALL, 0.5),
        ],
    ),
    "the displayed name before an alias": (
        "anxiety", (),
        [
            hit("solution", "Apps for Anxiety", Feature.PHRASE | ALL),
            hit("solution", "Breathing Timers", Feature.PHRASE | ALL, aliases=["Anxiety Timers Set"]),
        ],
    ),
    "the rest beside a type is the name": (
        "be my eyes app", (),
        [
            hit("product", "Be My Eyes", Feature.SCOPED),
            hit("product", "Eyes App", Feature.SCOPED, prior=128),
        ],
    ),
    "the word for the type in the name": (
        "software for note taking", (),
        [
            hit("solution", "Note Taking Software", Feature.SCOPED),
            hit("solution", "Note Taking Pens", Feature.SCOPED),
        ],
    ),
    "a need before a solution in a sentence": (
        "needs the toilet a lot", (),
        [hit("limitation", "Toilet", Feature.MENTION), hit("solution", "Toilet", Feature.MENTION)],
    ),
    "what an injury brings most": (
        "broken ankle", (),
        [
            hit("workrelatedfunction", "Walking", Feature.BODY_PART),
            hit("limitation", "Standing", Feature.BODY_PART),
        ],
    ),
    "a name that is a part of a longer one last": (
        "color blind painter", (),
        [
            hit("disability", "Color Blind", Feature.MENTION),
            hit("solution", "Painter Lamps", Feature.RELATED),
            hit("disability", "Blind", Feature.MENTION, prior=232),
        ],
    ),
    "an abbreviation that is a word of other names last, with its broader condition": (
        "door", (),
        [
            hit("solution", "Door Openers", ALL),
            hit("disability", "DOORS Syndrome", Feature.NAME, aliases=["DOORS"], broader=["Deafness"], prior=200),
            hit("disability", "Deafness", Feature.NARROWER, prior=100),
        ],
    ),
    "an abbreviation in capitals first": (
        "DOORS", (),
        [
            hit("disability", "DOORS Syndrome", Feature.NAME, aliases=["DOORS"], broader=["Deafness"]),
            hit("disability", "Deafness", Feature.NARROWER, prior=232),
            hit("solution", "Door Openers", ALL),
        ],
    ),
    "an abbreviation typed to the letter, if no name has this word": (
        "pots", (),
        [
            hit("disability", "Tachycardia", Feature.NAME, aliases=["POTS"], broader=["Heart Disease"]),
            hit("disability", "Heart Disease", Feature.NARROWER, prior=232),
            hit("occupation", "Pot Tippers", ALL, prior=232),
        ],
    ),
    "an abbreviation but for endings, if nothing else is found, and its broader condition below": (
        "panda", (),
        [
            hit("disability", "Pediatric Disorder", Feature.NAME, aliases=["PANDAS"], broader=["Tourette Syndrome"]),
            hit("disability", "Tourette Syndrome", Feature.NARROWER, prior=232),
        ],
    ),
    "a word before the same letters in another sense": (
        "employee needs aids", (),
        [
            hit("limitation", "Mobility Aids", ALL),
            hit("disability", "HIV", Feature.ALL_WORDS, aliases=["HIV/AIDS", "AIDS"], prior=232),
        ],
    ),
    "the better fit": (
        "lamp", (),
        [hit("solution", "Desk Lamp", ALL, 0.6), hit("solution", "Lamp Posts", ALL, 0.1)],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("query", "rules", "hits"), ORDERS.values(), ids=ORDERS)
def test_hits_are_ordered_by_their_scores(query: str, rules: Sequence[str], hits: Sequence[Hit]) -> None:
    expected = [found.payload["card"]["name"] for found in hits]
    assert [found.card["name"] for found in rank_hits(parse(query, *rules), reversed(hits))] == expected


def test_equal_hits_keep_the_order_of_opensearch() -> None:
    names = ["Lamp B", "Lamp C", "Lamp A"]
    found = rank_hits(parse("lamp"), (hit("product", name, ALL) for name in names))
    assert [one.card["name"] for one in found] == names
    assert rank_hits(parse("lamp"), ()) == []


def test_a_query_for_a_thing_asks_for_no_need_that_only_has_its_words() -> None:
    need = hit("limitation", "Use of Hearing Devices", ALL, aliases=["hearing aid whistles with headset"])
    thing = hit("solution", "Hearing Aid Compatible Headset", ALL)
    first, second = rank_hits(parse("headset for hearing aid users"), [need, thing])
    assert [(one.card["name"], one.match.kind) for one in (first, second)] == [
        ("Hearing Aid Compatible Headset", "all_words"),
        ("Use of Hearing Devices", "other_kind"),
    ]
    (alone,) = rank_hits(parse("headset for hearing aid users"), [need])
    assert alone.match.kind == "all_words"


@pytest.mark.parametrize(
    ("beside", "kind", "is_good"),
    [
        ("Color Blind", "part_of_name", False),
        ("Blind Painter", "part_of_name", False),
        ("Painter", "mention", True),  # another word
        ("Blind", "mention", True),  # the same name
    ],
)
def test_a_name_inside_a_longer_one_is_a_loose_match(beside: str, kind: str, *, is_good: bool) -> None:
    hits = [
        hit("disability", "Blindness", Feature.MENTION, aliases=["Blind"]),
        hit("solution", beside, Feature.MENTION),
    ]
    by_name = {found.card["name"]: found for found in rank_hits(parse("color blind painter"), hits)}
    found = by_name["Blindness"]
    assert (found.match.kind, found.is_good) == (kind, is_good)
    assert found.score == sum(found.parts.values())
    assert set(found.parts) & {"mention", "part_of_name"} == {kind}


def test_of_several_jobs_with_one_name_the_first_leads() -> None:
    hits = [hit("occupation", name, Feature.MENTION, fit, aliases=["Driver"]) for name, fit in (("A", 0.1), ("B", 0.6))]
    found = rank_hits(parse("driver who cannot brake"), [*hits, hit("limitation", "Brake", Feature.MENTION)])
    kinds = {one.card["name"]: (one.match.kind, one.is_good) for one in found}
    assert kinds == {"B": ("mention", True), "A": ("other_job", True), "Brake": ("mention", True)}
    assert found[-1].score == sum(found[-1].parts.values())


def test_of_jobs_with_one_title_those_with_fewer_of_its_words_are_not_meant() -> None:
    jobs = ("Industrial Truck Operators", "Heavy Truck Drivers", "Light Truck Drivers")
    hits = [hit("occupation", name, Feature.MENTION, aliases=["Truck Driver"]) for name in jobs]
    found = rank_hits(parse("truck driver with gout"), hits)
    assert [(one.card["name"], one.match.kind, one.is_good) for one in found] == [
        ("Heavy Truck Drivers", "mention", True),
        ("Light Truck Drivers", "other_job", True),
        ("Industrial Truck Operators", "not_meant", False),
    ]
    assert found[0].parts["in_name"] == POINTS["in_name"] / 2


def test_a_named_job_and_condition_come_before_what_has_all_words_of_them() -> None:
    hits = [
        hit("occupation", "Special Teachers", Feature.ALL_WORDS, aliases=["MS SPED Teacher"]),
        hit("occupation", "Teachers", Feature.MENTION, aliases=["Teacher"]),
        hit("disability", "Multiple Sclerosis", Feature.MENTION, aliases=["MS"]),
    ]
    found = rank_hits(parse("teacher with ms"), hits)
    assert [one.match.kind for one in found] == ["mention", "mention", "other_kind"]
    found = rank_hits(parse("sped teacher with ms"), hits)  # a word is no part of their names
    assert found[0].match.kind == "all_words"


def test_a_job_with_the_alias_leads_before_those_for_which_people_report_it() -> None:
    hits = [
        hit("occupation", "Art Teachers", Feature.MENTION, 0.5, titles=["Teacher"]),
        hit("occupation", "School Teachers", Feature.MENTION, aliases=["Teacher"]),
    ]
    found = rank_hits(parse("teacher with gout"), hits)
    assert [(one.card["name"], one.match.kind) for one in found] == [
        ("School Teachers", "mention"),
        ("Art Teachers", "other_job"),
    ]


def test_the_job_that_is_called_so_leads() -> None:
    hits = [
        hit("occupation", "Booth Cashiers", Feature.MENTION, 0.5, aliases=["Cashier"]),
        hit("occupation", "Cashiers", Feature.MENTION),
    ]
    found = rank_hits(parse("cashier with gout"), hits)
    assert [(one.card["name"], one.match.kind) for one in found] == [
        ("Cashiers", "mention"),
        ("Booth Cashiers", "other_job"),
    ]


@pytest.mark.parametrize(
    ("query", "kind"), [("overwhelmed by noise", "part_of_name"), ("overwhelmed daily", "rule_mention")]
)
def test_a_rule_for_words_inside_a_longer_name_is_a_loose_match(query: str, kind: str) -> None:
    hits = [
        hit("limitation", "Noise Sensitivity", Feature.MENTION, aliases=["overwhelmed by noise"]),
        hit("disability", "Stress", Feature.MENTION),
    ]
    by_name = {found.card["name"]: found for found in rank_hits(parse(query, "overwhelmed, stress"), hits)}
    assert by_name["Stress"].match.kind == kind


@pytest.mark.parametrize(
    ("query", "setting", "kind"),
    [
        ("cashier with hives", None, "elsewhere"),  # a job of the graph
        ("coworker with hives", None, "elsewhere"),  # a word of work
        ("hives", None, "first_choice"),
        ("student coworker with hives", None, "first_choice"),  # a setting of the query
        ("cashier with hives", "school", "first_choice"),  # a setting of the request
    ],
)
def test_what_is_only_for_school_is_unlikely_where_a_job_is_meant(query: str, setting: str | None, kind: str) -> None:
    school = card("solution", "Extra Time") | {"settings": ["school"]}
    hits = [
        hit("occupation", "Cashiers", Feature.MENTION if "cashier" in query else Feature.DESCRIPTION),
        search_hit(school, Feature.FIRST_CHOICE),
        search_hit(card("solution", "Breaks") | {"settings": ["work"]}, Feature.FIRST_CHOICE),
    ]
    found = {one.card["name"]: one for one in rank_hits(parse(query), hits, setting)}
    assert (found["Extra Time"].match.kind, found["Breaks"].match.kind) == (kind, "first_choice")


def test_what_serves_a_side_only_at_school_is_unlikely_where_a_job_is_meant() -> None:
    words = {"toocold": [NamedSide("limitation:temperature", "temperature:cold")]}
    settings = {"Fans": ["work"], "Classroom Heating": ["school"]}
    hits = [
        search_hit(card("solution", name) | {"settings": of}, Feature.BODY_PART, sides={"temperature:cold": "cold"})
        for name, of in settings.items()
    ]
    found = rank_hits(parse("coworker is too cold").with_sides(words), hits)
    assert [(one.card["name"], one.match.kind) for one in found] == [
        ("Fans", "side"),
        ("Classroom Heating", "elsewhere"),
    ]


def test_what_is_found_only_for_a_need_that_is_not_meant_is_not_meant() -> None:
    needs = {"Interpreter": ["Deaf"], "Grips": ["Arthritis"], "Breaks": ["Deaf", "Arthritis"]}
    hits = [hit("disability", name, Feature.MENTION) for name in ("Deaf", "Arthritis")]
    hits += [search_hit(card("solution", name), Feature.FIRST_CHOICE, needs=names) for name, names in needs.items()]
    found = {one.card["name"]: one.match.kind for one in rank_hits(parse("not deaf, arthritis"), hits)}
    assert [name for name, kind in found.items() if kind == "not_meant"] == ["Deaf", "Interpreter"]


def test_a_name_of_words_that_are_not_meant_is_not_meant() -> None:
    hits = [hit("disability", name, Feature.MENTION) for name in ("Deaf", "Blind", "Wheezing")]
    hits.append(hit("disability", "Deafblindness", Feature.KEYWORDS, aliases=["deaf blind"]))
    found = {one.card["name"]: one.match.kind for one in rank_hits(parse("neither deaf nor blind, wheezing"), hits)}
    assert found == {"Wheezing": "mention", **dict.fromkeys(("Deaf", "Blind", "Deafblindness"), "not_meant")}
