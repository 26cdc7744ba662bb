"""Spelling: the queries for corrections, which words are correct, and which proposed corrections are accepted."""

import pytest

from api.search.fallback.spelling import (
    Correction,
    edits,
    far_names_body,
    has_hidden_name,
    hidden_name_corrections,
    is_correctable,
    is_partial_correction,
    max_edits,
    merged,
    name_corrections,
    near_names_body,
    same_beginnings,
    spelling_body,
    weak_suggestions,
    word_corrections,
    word_count_body,
)
from api.search.query import ParsedQuery
from schema.english_words import Dictionary
from tests.support.query_clauses import HIT

parse = ParsedQuery.parse

COMMON = frozenset(
    ("falls", "calls", "heating", "baths", "tubs", "wheel", "chair", "hand", "strain", "brian", "injury")
)
DICTIONARY = Dictionary(COMMON, rare=frozenset(("carpel", "mouser", "crones")))


@pytest.mark.parametrize(("length", "edits"), [(0, 1), (7, 1), (8, 2), (30, 2)])
def test_long_words_may_have_two_typos(length: int, edits: int) -> None:
    assert max_edits(length) == edits


@pytest.mark.parametrize(
    ("query", "option", "highlighted"),
    [
        ("mose", "mouse", "<em>mouse</em>"),  # four letters, one typo
        ("mosue", "mouse", "<em>mouse</em>"),  # a transposition is one typo
        ("Fibromialgya", "fibromyalgia", "<em>fibromyalgia</em>"),  # two typos in a long word
        ("vision impairmet", "vision impairment", "vision <em>impairment</em>"),
        ("visoin impairmet", "vision impairment", "<em>vision</em> <em>impairment</em>"),
        ("hereing", "hearing", "<em>hearing</em>"),  # two typos in seven letters, and the same sound
        ("speach", "speech", "<em>speech</em>"),
        ("ms fatige", "ms fatigue", "ms <em>fatigue</em>"),  # next to a short word
        ("mouse", "mouse", None),  # nothing changed
        ("Mouse!", "mouse", None),  # only case and punctuation changed
        ("als", "all", None),  # three letters
        ("lasagna", "asana", None),  # two typos in seven letters
        ("hereing", "hanging", None),
        ("mouser", "mouse", None),  # a rare word alone is correct
        ("fibromialgya", "fibromyalgic", None),  # three typos
        ("1252", "1253", None),
        ("kn95", "kn9", None),
        ("wheel chair", "wheelchair", None),  # joining words is left to whole-name corrections
        ("wheelchair", "wheel chair", None),
        ("visoin mose", "vision moose lamp", None),
        ("falls", "calls", None),  # a correct word
        ("lamp noet", "lamp not", None),  # a stop word
        ("heating aids", "hearing aids", None),
    ],
)
def test_only_a_typo_in_each_changed_word_is_accepted(query: str, option: str, highlighted: str | None) -> None:
    expected = [Correction(parse(option), highlighted)] if highlighted else []
    assert word_corrections(parse(query), [option], DICTIONARY) == expected


@pytest.mark.parametrize(
    ("query", "option", "text", "highlighted"),
    [
        ("als fatige", "all fatigue", "als fatigue", "als <em>fatigue</em>"),
        ("mose lamp", "mouse limbs", "mouse lamp", "<em>mouse</em> lamp"),
        ("tinitis drivin me", "tinnitus drive me", "tinnitus drivin me", "<em>tinnitus</em> drivin me"),
    ],
)
def test_words_that_are_no_typo_of_the_proposed_ones_stay(query: str, option: str, text: str, highlighted: str) -> None:
    assert word_corrections(parse(query), [option], DICTIONARY) == [Correction(parse(text), highlighted)]


def test_correct_words_are_unchanged_in_a_correction() -> None:
    correction = Correction(parse("falls asleep"), "falls <em>asleep</em>")
    assert word_corrections(parse("falls aslep"), ["calls asleep"], DICTIONARY) == [correction]


def test_a_rare_word_next_to_other_words_may_be_a_typo_in_a_name() -> None:
    carpal = Correction(parse("carpal tunnel"), "<em>carpal</em> <em>tunnel</em>", only_name=True)
    carpel = Correction(parse("carpel tunnel"), "carpel <em>tunnel</em>")
    assert word_corrections(parse("carpel tunel"), ["carpal tunnel"], DICTIONARY) == [carpel, carpal]
    name = Correction(parse("Carpal Tunnel"), "<em>Carpal</em> Tunnel", is_name=True)
    assert name_corrections(parse("carpel tunnel"), [["Carpal Tunnel"]], DICTIONARY) == [name]


@pytest.mark.parametrize(
    ("query", "name", "highlighted"),
    [
        ("asma", "asthma", "<em>asthma</em>"),  # sounds like the name
        ("crones disease", "Crohn's disease", "<em>Crohn's</em> disease"),
        ("lpw vision", "Low Vision", "<em>Low</em> Vision"),  # three letters that occur in no name
        ("brian injury", "Brain Injury", "<em>Brain</em> Injury"),  # a correct word, one typo from a name
        ("crones", "Crohn's", None),  # a correct word alone
        ("asma", "ASD", None),  # a short form
        ("ftps", "Fits", None),  # unpronounceable
        ("asma", "Asana", None),
        ("tts software", "TTY Software", None),  # it occurs in another name
        ("shrek", "Sharp", None),  # another sound
        ("lpw vision", "Law Visions", None),  # two words changed
        ("kn95 mask", "KN96 mask", None),
        ("zow vision", "Low Vision", None),  # another first letter
        ("brainz injury", "Brain Injury Center", None),
        ("strains", "Strain", None),  # only an ending
        ("poiu", "Pain", None),  # random letters sound like nothing
        ("poiu", "Polio", None),
    ],
)
def test_without_hits_a_name_that_differs_more_in_one_word_is_a_weak_suggestion(
    query: str, name: str, highlighted: str | None
) -> None:
    expected = [Correction(parse(name), highlighted, is_weak=True)] if highlighted else []
    assert weak_suggestions(parse(query), [[name]], DICTIONARY, known=frozenset(("tts",))) == expected


def test_corrections_have_the_order_of_the_suggester() -> None:
    options = ["house", "horses", "mouse"]
    assert [fix.query.text for fix in word_corrections(parse("nouse"), options, DICTIONARY)] == ["house", "mouse"]


@pytest.mark.parametrize(
    ("query", "name", "highlighted"),
    [
        ("fibro mialgia", "Fibromyalgia", "<em>Fibromyalgia</em>"),  # split
        ("screnreader", "Screen Reader", "<em>Screen</em> <em>Reader</em>"),  # joined
        ("multipel sclerosis", "Multiple Sclerosis", "<em>Multiple</em> Sclerosis"),
        ("gillain barre", "Guillain-Barré", "<em>Guillain</em>-Barré"),
        ("DYSLEXA", "Dyslexia", "<em>Dyslexia</em>"),
        ("astma", "Asthma", "<em>Asthma</em>"),
        ("daef", "Deaf", "<em>Deaf</em>"),  # four letters alone must sound like the name
        ("bakc pain", "Back Pain", "<em>Back</em> Pain"),  # but not next to another word
        ("crohns diseese", "Crohn's Disease", "Crohn's <em>Disease</em>"),  # an apostrophe is not a change
        ("parkinson\u2019s diseese", "Parkinson's Disease", "Parkinson's <em>Disease</em>"),
        ("fibro myalgia", "Fibromyalgia", None),  # differs only by a space: found without a correction
        ("crohns", "Crohn's", None),
        ("astma", "Aphasia", None),
        ("heating aids", "Hearing Aids", None),  # a correct word
        ("baths tubs", "Bathtub", None),  # two of them
        ("lasagna", "Asana", None),
        ("als", "All", None),
        ("a-l-s.", "ALLS", None),  # only letters count
        ("kn95 masks", "KN96 Masks", None),
        ("15-1252.00", "15-1253.00", None),
        ("mouser", "Mouse", None),  # a rare word alone
        ("eye strain", "Ear Strain", None),  # a word of three letters never changes
        ("bak pain", "Back Pain", None),
        ("hand tremors", "Head Tremors", None),  # two typos in a word of four letters
        ("yolo", "Solo", None),  # four letters alone that do not sound like the name
        ("yolo", "Yale", None),
        ("keyb", "Keys", None),
        ("paim", "Palm", None),
        ("", "A", None),
    ],
)
def test_offers_only_another_name_that_is_one_or_two_typos_away(query: str, name: str, highlighted: str | None) -> None:
    expected = [Correction(parse(name), highlighted, is_name=True)] if highlighted else []
    assert name_corrections(parse(query), [[name]], DICTIONARY) == expected


HIDDEN_NAMES = {"epileptic": "Epilepsy", "recoveringalcoholic": "Alcohol Use", "zy": "Z", "nurses": "Nursing"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("epilptic", ["Epilepsy"]),
        ("epilpetics", ["Epilepsy"]),
        ("my epilptic nurse", ["my Epilepsy nurse"]),
        ("recovring alcoholc", ["Alcohol Use"]),
        ("pileptic", []),  # another first letter
        ("eptic", []),  # too far
        ("nurse", []),  # a correct word
        ("zz zy", []),  # too short
        ("kn95 epilptic", []),  # only letters may be a typo
    ],
)
def test_a_hidden_name_with_typos_is_replaced_by_what_is_shown(text: str, expected: list[str]) -> None:
    dictionary = Dictionary(frozenset(("nurse", "screen", "reader")))
    corrections = hidden_name_corrections(parse(text), dictionary, HIDDEN_NAMES)
    assert [one.query.text for one in corrections] == expected
    assert all(one.is_name for one in corrections)


@pytest.mark.parametrize(
    ("corrected", "is_name", "expected"),
    [
        ("epileptic nurse", False, True),
        ("epileptic", False, True),
        ("nurses", False, False),  # it does not change this word
        ("epileptic nurse", True, False),  # a shown name may contain one that is not
        ("epileptic", True, True),
    ],
)
def test_a_correction_may_have_a_hidden_name(corrected: str, *, is_name: bool, expected: bool) -> None:
    query, correction = parse("epilptic nurses"), Correction(parse(corrected), "", is_name=is_name)
    assert has_hidden_name(query, correction, HIDDEN_NAMES) is expected


def test_names_are_offered_by_number_and_kind_of_edits() -> None:
    names = [["Tremolos", "Tremors!"], ["Tremorss", "Essential Tremor"], ["Tremor"]]
    offered = [fix.query.text for fix in name_corrections(parse("tremorsy"), names, DICTIONARY)]
    # one letter removed or changed, two removed; "Tremolos" has two changed
    assert offered == ["Tremors!", "Tremorss", "Tremor"]


@pytest.mark.parametrize(
    ("query", "fix", "same"),
    [
        ("fatige", "Fatigue", True),
        ("nouse", "mouse", False),
        ("multipel sclerosis", "Multiple Sclerosis", True),
        ("multipel clerosis", "Multiple Sclerosis", False),
        ("carple tunel both rists", "carpal tunnel both wrists", True),  # one of three changed words
        ("élan", "Elan", True),
        ("fibro mialgia", "Fibromyalgia", True),  # different number of words: only the first letter of the text
        ("pibro mialgia", "Fibromyalgia", False),
        ("", "", True),
    ],
)
def test_first_letters_are_compared_word_by_word(query: str, fix: str, *, same: bool) -> None:
    assert same_beginnings(parse(query), parse(fix)) is same


def test_at_most_five_corrections_are_tried_and_punctuation_makes_no_difference() -> None:
    texts = ["Sit-Stand Desk", "sit/stand desk", "sitstand desk", "Sit Stand Desks", "Standing Desk", "Desk", "De", "D"]
    tried = [fix.query.text for fix in merged(Correction(parse(text), text) for text in texts)]
    assert tried == ["Sit-Stand Desk", "Sit Stand Desks", "Standing Desk", "Desk", "De"]
    assert merged([]) == []


@pytest.mark.parametrize(
    ("query", "expected"),
    [("multpile sclerosis", True), ("a " * 12, True), ("a " * 13, False), ("x" * 110, True), ("x" * 111, False)],
)
def test_long_texts_are_not_corrected(query: str, *, expected: bool) -> None:
    assert is_correctable(parse(query)) is expected


@pytest.mark.parametrize(
    ("query", "fix", "count"),
    [("fatige", "Fatigue", 1), ("fibro mialgia", "Fibromyalgia", 1), ("Wheel Chair", "wheelchair", 0)],
)
def test_a_correction_changes_letters(query: str, fix: str, count: int) -> None:
    assert edits(parse(query), Correction(parse(fix), fix)) == count


@pytest.mark.parametrize(
    ("query", "texts", "expected"),
    [
        (
            "speech recogntion sofware",
            ["Speech Recognition Software", "speech recognition sofware", "speech recogntion software"],
            [False, True, True],
        ),
        ("Cockayne Syndrime A", ["Cockayne Syndrome A", "Cockayne Syndrome"], [False, False]),  # a word less
        ("astma", ["Asthma", "Asta"], [False, False]),
    ],
)
def test_a_correction_that_would_be_corrected_again_is_partial(
    query: str, texts: list[str], expected: list[bool]
) -> None:
    every = [Correction(parse(text), text) for text in texts]
    assert [is_partial_correction(parse(query), fix, every) for fix in every] == expected


def test_the_suggester_corrects_only_words_that_occur_in_no_name() -> None:
    limits = {"suggest_mode": "missing", "min_word_length": 4, "prefix_length": 0, "size": 10}
    suggester = {
        "field": "spelling.shingles",
        "size": 3,
        "gram_size": 3,
        "max_errors": 4,
        "confidence": 0.0,
        "direct_generator": [{"field": "spelling", **limits}],
        "highlight": {"pre_tag": "<em>", "post_tag": "</em>"},
    }
    assert spelling_body(parse("multpile sclerosis")) == {
        "size": 0,
        "suggest": {"text": "multpile sclerosis", "fixes": {"phrase": suggester}},
    }


def test_names_near_a_misspelled_one_are_searched_without_spaces() -> None:
    near = [
        {"value": "name:ticktyph", "fuzziness": 1, "prefix_length": 5, "max_expansions": 100},
        {"value": "letters:ticktyphs", "fuzziness": 1, "prefix_length": 8, "max_expansions": 100},
    ]
    either = [{"fuzzy": {"keys": one}} for one in near]
    assert near_names_body(parse("Tick typhs")) == {"size": 20, **HIT, "query": {"dis_max": {"queries": either}}}


@pytest.mark.parametrize("text", ["", "ms", "a.d.d", "15-1252.00", "windows11"])
def test_short_texts_and_texts_with_digits_are_not_misspelled_names(text: str) -> None:
    assert near_names_body(parse(text)) is None
    assert far_names_body(parse(text)) is None


def test_distant_names_are_searched_behind_the_first_letter() -> None:
    far = {"value": "name:badeas", "fuzziness": 2, "prefix_length": 6, "max_expansions": 100}
    assert far_names_body(parse("Bad eas")) == {
        "size": 10,
        **HIT,
        "query": {"bool": {"must": {"fuzzy": {"keys": far}}}},
    }


def test_long_names_are_searched_only_one_edit_away() -> None:
    assert far_names_body(parse("Lpw vision")) is None


def test_weak_suggestions_for_a_single_word_are_limited_to_needs_and_solutions() -> None:
    types = ["disability", "limitation", "workrelatedfunction", "solution"]
    assert (far_names_body(parse("asma")) or {})["query"]["bool"]["filter"] == {"terms": {"type": types}}


def test_the_entities_with_a_word_are_counted_up_to_a_thousand() -> None:
    assert word_count_body("lpw") == {"size": 0, "track_total_hits": 1000, "query": {"term": {"spelling": "lpw"}}}


def test_only_the_first_500_characters_of_a_query_are_corrected() -> None:
    long = "a" * 500
    assert spelling_body(parse(long + "b")) == spelling_body(parse(long))
