"""After poor first hits: what is searched for next, which corrections are offered, and what replaces the query."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from api.engine.release import EngineResponse, Hit
from api.search.fallback.attempts import (
    MAX_ABBREVIATION,
    MAX_ALONE,
    MAX_REDUCED,
    MIN_FOUND,
    Evidence,
    choose_results,
    credible_corrections,
    evidence_bodies,
    fewer_words_to_try,
    lazy_results,
    with_beginnings,
)
from api.search.fallback.spelling import (
    MAX_OFFERED,
    Correction,
    near_names_body,
    spelling_body,
    word_count_body,
)
from api.search.fallback.wording import WORDING, wording_body
from api.search.features import Feature
from api.search.guides.names import GuideName
from api.search.query import ParsedQuery, SearchRequest
from api.search.query_builder import prefix_body
from api.search.results import ENOUGH_GOOD, SearchResults, select
from schema.english_words import Dictionary
from tests.support.search_responses import RELEASE, card, found, search_hit

parse = ParsedQuery.parse

DICTIONARY = Dictionary(
    frozenset(("lamp", "screen", "reader", "work", "yolo", "policy", "speech", "table", "software", "for"))
)
LIMITATION = "limitation"


def hit(name: str, features: int = Feature.NAME, type_name: str = LIMITATION, *aliases: str) -> Hit:
    return search_hit(card(type_name, name), features, aliases=list(aliases))


def result(text: str, *hits: Hit, limit: int = 20, offset: int = 0, spelling: bool = True) -> SearchResults:
    """Return what a search for a text found."""
    request = SearchRequest(parse(text), limit=limit, offset=offset, spelling=spelling)
    return select(request, found(*hits))


def begun(*names: str) -> list[Hit]:
    return [search_hit(card("product", name), 0) for name in names]


def correction(text: str, *, only_name: bool = False, is_weak: bool = False) -> Correction:
    return Correction(parse(text), text, only_name, is_weak)


# The first request


def some(count: int, name: str = "Screen Reader") -> list[Hit]:
    return [hit(f"{name} {number}", Feature.RELATED) for number in range(count)]


TYPOS = ["suggester", "near names"]


@pytest.mark.parametrize(
    ("text", "hits", "names"),
    [
        ("screen reader", some(ENOUGH_GOOD), []),
        ("screen reader", some(ENOUGH_GOOD - 1), ["beginnings", WORDING]),
        ("screen reader", some(MIN_FOUND - 1), ["beginnings", WORDING, "count screen", "count reader"]),
        ("lamp", some(1, "Lamp"), ["beginnings"]),  # one keyword: no words can be left out
        # a word that is neither English nor in a name
        ("scren reader", some(ENOUGH_GOOD), [*TYPOS]),
        ("jaws reader", some(ENOUGH_GOOD, "Jaws Reader"), []),  # it is in a name
        ("scren reader", [], ["beginnings", WORDING, *TYPOS, "count scren", "count reader"]),
        ("lampe", [], ["beginnings", *TYPOS, "far names", "count lampe"]),
        # only English words: another name may be meant, but the phrase suggester keeps them all
        ("screen reader", [], ["beginnings", WORDING, "near names", "count screen", "count reader"]),
        ("lamp", [], ["beginnings"]),
        ("reader for my dad", some(ENOUGH_GOOD), []),  # words of up to three letters are no typos
        ("kn95", some(ENOUGH_GOOD), []),  # only letters may be a typo
        ("kn95 masc", [], ["beginnings", WORDING, "suggester", "count kn95", "count masc"]),
        ("lamp " * 13, some(1), ["beginnings", "count lamp"]),  # too long to be a name with typos
    ],
)
def test_the_evidence_depends_on_how_poor_the_hits_are(text: str, hits: Sequence[Hit], names: list[str]) -> None:
    assert list(evidence_bodies(result(text, *hits), DICTIONARY)) == names


@pytest.mark.parametrize(
    ("text", "name", "has_evidence"),
    [
        ("screen reader", "Screen Reader Software", False),
        ("lamps", "Lamp Shades", True),  # not in the dictionary, and in the name with another ending
        ("lamps", "Lamps and Shades", False),
        ("tables", "Tables", False),  # a whole name
        ("table", "Tables and Desks", False),  # an English word
    ],
)
def test_a_word_with_another_ending_in_a_name_may_be_a_typo(text: str, name: str, *, has_evidence: bool) -> None:
    feature = Feature.NAME if name == "Tables" else Feature.ALL_WORDS
    assert bool(evidence_bodies(result(text, hit(name, feature)), DICTIONARY)) is has_evidence


def test_the_evidence_is_searched_with_these_bodies() -> None:
    query, nothing = parse("scren reader"), result("scren reader")
    assert evidence_bodies(nothing, DICTIONARY) == {
        "beginnings": prefix_body(SearchRequest(query)),
        WORDING: wording_body(nothing.request, nothing),
        "suggester": spelling_body(query),
        "near names": near_names_body(query),
        "count scren": word_count_body("scren"),
        "count reader": word_count_body("reader"),
    }


@pytest.mark.parametrize("text", ["the", "(a OR b) AND", "?!", ""])
def test_stop_words_alone_have_no_evidence(text: str) -> None:
    assert evidence_bodies(result(text), DICTIONARY) == {}


def test_without_corrections_no_typos_are_searched() -> None:
    bodies = evidence_bodies(result("scren reader", spelling=False), DICTIONARY)
    assert list(bodies) == ["beginnings", WORDING, "count scren", "count reader"]


# What it says


def counted(**totals: int) -> dict[str, EngineResponse]:
    return {f"count {word}": found(total=total) for word, total in totals.items()}


def suggested(*texts: str) -> EngineResponse:
    return EngineResponse(RELEASE, suggestions=texts)


def evidence(text: str, *hits: Hit, **responses: EngineResponse) -> Evidence:
    """Return the evidence for a query that found these hits; underscores in names are spaces."""
    named = {name.replace("_", " "): response for name, response in responses.items()}
    return Evidence.of(result(text, *hits), named, DICTIONARY)


def texts(corrections: Sequence[Correction]) -> list[str]:
    return [found_correction.query.text for found_correction in corrections]


def test_whole_names_come_before_proposals_of_the_suggester() -> None:
    read = evidence(
        "telewrok", near_names=found(hit("Telework")), suggester=suggested("telewrok", "teleworks", "telework")
    )
    assert texts(read.corrections) == ["Telework", "teleworks"]
    assert not any(found_correction.is_weak for found_correction in read.corrections)


def test_names_are_compared_with_aliases_and_titles_too() -> None:
    near = found(search_hit(card("occupation", "Physicians"), aliases=["Remote Work"], titles=["Surgeons"]))
    assert texts(evidence("sugreons", near_names=near, suggester=suggested()).corrections) == ["Surgeons"]


@pytest.mark.parametrize(
    ("suggester", "counts", "expected"),
    [
        (suggested(), {"lpw": 0, "vision": 9}, ["Low Vision"]),
        (suggested(), {"lpw": 1, "vision": 9}, []),  # other names have the word
        (suggested("lew vision"), {"lpw": 0, "vision": 9}, ["Low Vision"]),
        (suggested("lew visions"), {"lpw": 0, "vision": 9}, ["lpw visions"]),  # only one word of it is credible
        (suggested("lpw visions"), {"lpw": 0, "vision": 9}, ["lpw visions"]),  # not weak
    ],
)
def test_distant_names_are_suggested_if_nothing_else_is(
    suggester: EngineResponse, counts: dict[str, int], expected: list[str]
) -> None:
    read = evidence("lpw vision", suggester=suggester, far_names=found(hit("Low Vision")), **counted(**counts))
    assert texts(read.corrections) == expected
    assert [one.is_weak for one in read.corrections] == [text == "Low Vision" for text in expected]


@pytest.mark.parametrize(
    ("text", "counts", "expected"),
    [
        # without the rarest word, then without the next one too; then each word alone, the rarest first
        (
            "zzz lamp dimmer",
            {"zzz": 0, "lamp": 50, "dimmer": 3},
            ["lamp dimmer", "dimmer", "lamp"],
        ),
        (
            "blue table lamp dimmer",
            {"blue": 9, "table": 70, "lamp": 50, "dimmer": 3},
            ["blue table lamp", "table lamp", "dimmer", "blue", "lamp", "table"],
        ),
        ("zzz lamp", {"zzz": 0, "lamp": 50}, ["lamp"]),
        ("zzz yyy", {"zzz": 0, "yyy": 0}, []),
        ("lamp lamp", {"lamp": 50}, ["lamp"]),
        ("lamp for my table", {"lamp": 50, "for": 900, "my": 0, "table": 70}, ["lamp", "table"]),  # without fillers
    ],
)
def test_words_are_left_out_the_rarest_first(text: str, counts: dict[str, int], expected: list[str]) -> None:
    assert [query.text for query in evidence(text, **counted(**counts)).fewer_words] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zzz lamp", ["lamp", "zzz"]),
        ("zzz table lamp", ["table lamp", "zzz lamp", "zzz table", "zzz", "table", "lamp"]),
        ("blue zzz table lamp", ["zzz table lamp", "blue table lamp", "blue zzz lamp", "blue zzz table"]),
        ("a b c d e f g h", []),  # too many
        ("lamp", []),
    ],
)
def test_parts_of_a_short_query_are_tried_before_it_is_known_which_words_are_rare(
    text: str, expected: list[str]
) -> None:
    assert [query.text for query in fewer_words_to_try(result(text))] == expected
    assert fewer_words_to_try(result(text, *some(MIN_FOUND))) == []
    guided = replace(parse(text), guide_names=(GuideName(text, 0, 1, frozenset()),))
    assert fewer_words_to_try(select(SearchRequest(guided), found())) == []  # the guide answers


def test_without_words_that_negate_nothing_is_tried() -> None:
    negated = search_hit(card("disability", "Epilepsy"), Feature.MENTION)
    never = result("never had epilepsy", negated)
    assert [one.match.kind for one in never.head] == ["not_meant"]
    assert fewer_words_to_try(never) == []
    assert Evidence.of(never, counted(never=1, had=0, epilepsy=9), DICTIONARY).fewer_words == []


def test_what_is_tried_early_is_used_up_to_the_first_query_that_was_not() -> None:
    read = evidence("blue table lamp dimmer", **counted(blue=9, table=70, lamp=50, dimmer=3))
    early = {text: partial(result, text) for text in ("blue table lamp", "blue", "lamp")}
    assert [one.request.query.text for one in read.results_in_order(early)] == ["blue table lamp"]
    assert [query.text for query in read.unsearched(early)] == ["table lamp", "dimmer", "table"]


def test_corrections_with_a_hidden_name_and_proposals_behind_them_are_not_shown() -> None:
    corrections = [correction(text) for text in ("epileptics", "epileptica")]
    name = Correction(parse("Epilepsy"), "<em>Epilepsy</em>", is_name=True)
    read = Evidence([name, *corrections], [])
    results = {one.query.text: partial(result, one.query.text) for one in read.corrections}
    query = parse("epilptics")
    assert [one.query.text for one, _ in read.shown(query, results, {"epileptic"})] == ["Epilepsy"]
    assert len(read.shown(query, results, set())) == 3


def test_what_was_tried_is_ranked_once_with_the_guides_that_its_query_names() -> None:
    request = SearchRequest(parse("lamp"))
    ranked = []

    def guided(one: SearchRequest) -> SearchRequest:
        ranked.append(one.query.text)
        return replace(one, query=replace(one.query, guide_names=(GuideName("lamp", 0, 1, frozenset()),)))

    tried = lazy_results([request], [found(*some(6))], guided)
    assert ranked == []
    assert len(tried["lamp"]().request.query.guide_names) == 1
    assert tried["lamp"]() is tried["lamp"]()
    assert ranked == ["lamp"]


def test_few_queries_with_fewer_words_are_tried() -> None:
    words = [f"word{letter}" for letter in "abcdefgh"]
    queries = evidence(" ".join(words), **counted(**dict(zip(words, range(1, 9), strict=True)))).fewer_words
    assert [len(query.tokens) for query in queries] == [*range(7, 7 - MAX_REDUCED, -1)]  # one of eight says little
    queries = evidence(" ".join(words[:4]), **counted(**dict(zip(words[:4], range(1, 5), strict=True)))).fewer_words
    assert [len(query.tokens) for query in queries] == [3, 2, *[1] * MAX_ALONE]


def test_no_words_are_left_out_if_there_are_enough_hits() -> None:
    assert evidence("table lamp", *some(MIN_FOUND), **counted(table=5, lamp=5)).fewer_words == []


# Which corrections are offered


def tried(text: str, *hits: Hit, only_name: bool = False, is_weak: bool = False) -> tuple[Correction, SearchResults]:
    return correction(text, only_name=only_name, is_weak=is_weak), result(text, *hits)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (tried("telework", hit("Telework")), True),
        (tried("telework"), False),  # it finds nothing
        (tried("telework", hit("Telework Policy", Feature.PHRASE)), True),
        (tried("eye cripple", hit("Blindness")), False),  # a name that is never shown
        (tried("telework", hit("Telework", Feature.MENTION)), True),
        (tried("carpal tunnel", hit("Carpal Tunnel"), only_name=True), True),
        (tried("carpal tunnel", hit("Carpal Tunnel Syndrome", Feature.PHRASE), only_name=True), False),
        (tried("apps for vision", hit("Vision", Feature.SCOPED), only_name=True), True),
        (tried("low vision", hit("Low Vision"), is_weak=True), True),
    ],
)
def test_a_correction_is_offered_if_it_finds_what_may_be_meant(
    pair: tuple[Correction, SearchResults], *, expected: bool
) -> None:
    assert credible_corrections(result("telewrok"), [pair]) == ([pair] if expected else [])


def test_whole_names_are_offered_first_then_equal_first_letters_then_fewer_changes() -> None:
    as_phrase = tried("nouses", hit("Nouses and Mice", Feature.PHRASE))
    other_letter, far, near = tried("mouse", hit("Mouse")), tried("noises", hit("Noises")), tried("nose", hit("Nose"))
    pairs = credible_corrections(result("nouse"), [as_phrase, other_letter, far, near])
    assert texts([one for one, _ in pairs]) == ["nose", "noises", "mouse"]
    assert len(pairs) == MAX_OFFERED


def test_for_one_word_things_that_people_ask_for_come_before_names_of_products_and_jobs() -> None:
    product = tried("keyboardx", hit("KeyboardX", Feature.NAME, "product"))
    word = tried("keyboard", hit("Alternative Keyboard", Feature.ALL_WORDS, "solution"))
    assert credible_corrections(result("keybaord"), [product, word]) == [word, product]  # fewer changes
    job = tried("seamer", hit("Seamer", Feature.NAME, "occupation"))
    need = tried("stammer", hit("Stammer"))
    assert credible_corrections(result("stamer"), [job, need]) == [need, job]
    alike = tried("seamer", hit("Seamer", Feature.ALL_WORDS)), tried("stammer", hit("Stammer", Feature.ALL_WORDS))
    assert credible_corrections(result("stamer"), alike) == [alike[1], alike[0]]  # it sounds as it was typed


def test_a_correction_that_is_a_part_of_another_one_is_not_offered() -> None:
    whole = tried("speech recognition software", hit("Speech Recognition Software"))
    partial = tried("speech recognition sofware", hit("Speech Recognition", Feature.MENTION))
    assert credible_corrections(result("speech recogntion sofware"), [partial, whole]) == [whole]


def test_a_whole_name_is_no_part_of_another_correction() -> None:
    """One typo in it is nearer than two in a name that changes more words."""
    whole = correction("masa syndrome"), result("masa syndrome", hit("MASA syndrome"))
    other = correction("mast syndrome"), result("mast syndrome", hit("Mast Syndrome"))
    assert credible_corrections(result("masa synhrome"), [other, whole]) == [whole, other]


# What replaces the query


def replaced(query: SearchResults, pair: tuple[Correction, SearchResults]) -> bool:
    return choose_results(query, [pair], []) is pair[1]


@pytest.mark.parametrize(
    ("text", "fix", "found_hit", "expected"),
    [
        ("telewrok", "telework", hit("Telework"), True),
        ("telewrok", "telework", hit("Working", Feature.NAME, LIMITATION, "Telework"), True),
        ("telewrok", "telework", hit("Telework Policy", Feature.PHRASE), True),
        ("telewrok", "telework", hit("Teleworkers", Feature.RELATED), False),
        # a short word only into a whole name
        ("shrek", "sharp", hit("Sharp"), True),
        ("shrek", "sharp", hit("Sharp Pain", Feature.PHRASE), False),
        # another first letter only into a displayed name
        ("relework", "telework", hit("Telework"), True),
        ("horoscope", "boroscope", hit("Endoscopes", Feature.NAME, LIMITATION, "Boroscope"), False),
        # an abbreviation does not replace a longer word
        ("asdf", "ASD", hit("Autism Spectrum", Feature.NAME, LIMITATION, "ASD"), False),
        ("asb", "ASD", hit("Autism Spectrum", Feature.NAME, LIMITATION, "ASD"), True),
        # several words: any match but a loose one
        ("telewrok policy", "telework policy", hit("Telework", Feature.MENTION), True),
        ("telewrok policy", "telework policy", hit("Policy of Telework", Feature.RELATED), True),
        ("telewrok policy", "telework policy", hit("Telework", Feature.MOST_WORDS), False),
        ("telewrok policy", "telework policy", hit("Telework", Feature.DESCRIPTION), False),
    ],
)
def test_a_correction_replaces_a_query_without_hits_if_it_is_certain(
    text: str, fix: str, found_hit: Hit, *, expected: bool
) -> None:
    assert replaced(result(text), tried(fix, found_hit)) is expected


@pytest.mark.parametrize(
    ("original", "corrected", "expected"),
    [
        (Feature.MOST_WORDS, Feature.NAME, True),
        (Feature.MOST_WORDS, Feature.PHRASE, True),
        (Feature.DESCRIPTION, Feature.MOST_WORDS, False),
        (Feature.PHRASE, Feature.NEED, False),
        (Feature.PHRASE, Feature.PHRASE, False),  # no better
    ],
)
def test_a_correction_replaces_a_query_with_hits_if_its_best_hit_has_a_higher_score(
    original: Feature, corrected: Feature, *, expected: bool
) -> None:
    query = result("telewrok policy", hit("Telewrok Policy Forms", original))
    assert replaced(query, tried("telework policy", hit("Telework Policy Forms", corrected))) is expected


def test_a_correction_with_the_same_best_hit_replaces_a_query_if_it_names_more() -> None:
    driving = hit("Driving", Feature.MENTION)
    query = result("tinitis driving me mad", driving)
    assert replaced(query, tried("tinnitus driving me mad", driving, hit("Tinnitus", Feature.MENTION)))
    assert not replaced(query, tried("tinnitus driving me mad", driving))


def test_a_weak_suggestion_replaces_nothing_and_only_the_first_correction_counts() -> None:
    query = result("lpw vision")
    assert choose_results(query, [tried("low vision", hit("Low Vision"), is_weak=True)], []) is None
    shaky = tried("law vision", hit("Law", Feature.DESCRIPTION))
    assert choose_results(query, [shaky, tried("low vision", hit("Low Vision"))], []) is None
    assert choose_results(query, [], []) is None


NAME_OF_NEED = result("memory loss", hit("Memory Loss"))
MENTION_OF_NEED = result("memory loss lamp", hit("Memory Loss", Feature.MENTION))
WORDS_OF_NEED = result("loss memory", hit("Memory Loss Aids", Feature.ALL_WORDS))
PRODUCT = result("things", hit("Things", Feature.NAME, "product"))
LOOSE = result("memory loss table lamp", hit("Memory", Feature.MOST_WORDS))


@pytest.mark.parametrize(
    ("hits", "reduced", "chosen"),
    [
        ([], [NAME_OF_NEED], NAME_OF_NEED),
        ([], [LOOSE, MENTION_OF_NEED, NAME_OF_NEED], MENTION_OF_NEED),  # the fullest that names something
        ([], [WORDS_OF_NEED, NAME_OF_NEED], NAME_OF_NEED),  # names before words in names
        ([], [LOOSE, WORDS_OF_NEED], WORDS_OF_NEED),
        ([], [PRODUCT, LOOSE], None),  # products are called "Things"
        ([], [result("nothing")], None),
        (some(1), [NAME_OF_NEED], None),  # not more than before
        (some(1), [result("memory loss", hit("Memory Loss"), hit("Memory", Feature.RELATED))], 0),
        (some(1), [result("loss", *some(2, "Loss"))], None),  # with hits, only names
    ],
)
def test_fewer_words_replace_a_query_if_they_name_a_need_or_solution(
    hits: Sequence[Hit], reduced: Sequence[SearchResults], chosen: SearchResults | int | None
) -> None:
    expected = reduced[chosen] if isinstance(chosen, int) else chosen
    assert choose_results(result("memory loss zebra lamp", *hits), [], reduced) is expected


def test_where_a_correction_is_offered_no_words_are_left_out() -> None:
    pair = tried("telework policy", hit("Telework Policy"))
    assert choose_results(result("telewrok policy"), [pair], [NAME_OF_NEED]) is pair[1]
    weak = tried("brain injury", hit("Brain Injury"), is_weak=True)
    assert choose_results(result("brian injury"), [weak], [NAME_OF_NEED]) is None  # "injury" is not what is meant


def test_an_abbreviation_has_three_letters() -> None:
    assert len("ASD") == MAX_ABBREVIATION


# Beginnings of words


def completed(few: SearchResults, *names: str) -> SearchResults:
    return with_beginnings(few, found(*begun(*names)))


def test_names_that_begin_with_the_query_follow_few_hits() -> None:
    few = result("wheelc", hit("Wheelc Lamp", Feature.ALL_WORDS))
    full = completed(few, "Wheelchairs", "Wheelchair Ramps", "Wheelchair Trays")
    names = ["Wheelc Lamp", "Wheelchairs", "Wheelchair Ramps", "Wheelchair Trays"]
    assert [one.card["name"] for one in full.page] == names
    assert [one.match.kind for one in full.head] == ["all_words", "prefix", "prefix", "prefix"]
    assert (full.total, full.by_type) == (4, {"limitation": 1, "product": 3})
    assert few.by_type == {"limitation": 1}  # unchanged


def test_a_hit_is_shown_once() -> None:
    few = result("wheelc", search_hit(card("product", "Wheelchairs"), Feature.DESCRIPTION))
    full = completed(few, "Wheelchairs", "Wheelchair Ramps")
    assert [one.match.kind for one in full.page] == ["description", "prefix"]
    assert (full.total, full.by_type) == (2, {"product": 2})


def test_beginnings_are_paged_too() -> None:
    few = result("wheelc", limit=2, offset=1)
    full = completed(few, "Wheelchairs", "Wheelchair Ramps", "Wheelchair Trays", "Wheelchair Bags")
    assert [one.card["name"] for one in full.page] == ["Wheelchair Ramps", "Wheelchair Trays"]
    assert (full.total, len(full.head)) == (4, 4)


def test_enough_hits_and_no_beginnings_change_nothing() -> None:
    enough = result("screen reader", *some(ENOUGH_GOOD))
    assert completed(enough, "Screen Reader Apps") is enough
    few = result("screen reader", *some(1))
    assert completed(few) is few
    assert with_beginnings(few, None) is few
