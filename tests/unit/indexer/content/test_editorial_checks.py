"""Words for body parts and pairs of conditions: their rows, and every error that editors can make in them."""

import pytest

from indexer.content.rows import BodyPart, Content, CoOccurrence, parse_content
from indexer.content.table_checks import check_files
from tests.support.world_files import VOCABULARY, Errors, problems, world_with

WORDS, PAIRS = "body_parts.csv", "co_occurring_conditions.csv"
PAGE = "https://pages.example.org/pairs"
TABLES = {
    WORDS: "words,kind,entities,basis,sources\n"
    "knee|kneecap,part,limitation:decreased-stamina-fatigue|disability:multiple-sclerosis,editorial,editors\n"
    "knee surgery,event,workrelatedfunction:commute,editorial,editors\n",
    PAIRS: "condition,other,source_title,source_url,as_of,read\n"
    f"crohns-disease,multiple-sclerosis,Pairs,{PAGE},2018-07,2026-11-25\n"
    f"low-vision,multiple-sclerosis,Pairs,{PAGE},unknown,unknown\n",
}


def world() -> dict[str, bytes]:
    return world_with(TABLES)


def parsed() -> Content:
    return parse_content(check_files("world", world(), VOCABULARY).tables, "1.0.0+0")


ERRORS: Errors = {
    "unknown entity in a list": (WORDS, "disability:multiple-sclerosis", "disability:multiple-sclerosi",
        "body_parts.csv:2: unknown disability 'multiple-sclerosi'; nearest: 'multiple-sclerosis'"),
    "bare key in a list": (WORDS, "workrelatedfunction:commute", "commute",
        "body_parts.csv:3: 'entities' is 'commute', not of the form type:key; nearest: 'workrelatedfunction:commute'"),
    "type that no body part can have": (WORDS, "workrelatedfunction:commute", "product:telework",
        ("body_parts.csv:3: 'product:telework' is a product; 'entities' accepts disability or limitation or "
         "workrelatedfunction or solution")),
    "no entity": (WORDS, "workrelatedfunction:commute", "", "body_parts.csv:3: 'entities' is empty"),
    "entity twice": (WORDS, "workrelatedfunction:commute", "workrelatedfunction:commute|workrelatedfunction:commute",
        "body_parts.csv:3: 'entities' lists 'workrelatedfunction:commute' twice"),
    "no word": (WORDS, "knee surgery", "", "body_parts.csv:3: 'words' is empty"),
    "empty word": (WORDS, "knee|kneecap", "knee||kneecap", "body_parts.csv:2: 'words' has an empty value next to '|'"),
    "word twice in a row": (WORDS, "knee|kneecap", "knee|Knee",
        "body_parts.csv:2: duplicate word 'Knee'; first on line 2"),
    "word in two rows": (WORDS, "knee surgery", "Kneecap",
        "body_parts.csv:3: duplicate word 'Kneecap'; first on line 2"),
    "same words in two rows": (WORDS, "knee surgery", "knee|kneecap",
        "body_parts.csv:3: duplicate word 'knee'; first on line 2",
        "body_parts.csv:3: duplicate word 'kneecap'; first on line 2"),
    "word that is the name": (WORDS, "knee|kneecap", "knee|multiple sclerosis",
        "body_parts.csv:2: word 'multiple sclerosis' is the name of 'disability:multiple-sclerosis'; delete the word"),
    "word that is an alias": (WORDS, "knee|kneecap", "knee|ms",
        "body_parts.csv:2: word 'ms' is an alias of 'disability:multiple-sclerosis'; delete the word"),
    "unknown kind": (WORDS, "event", "events", "body_parts.csv:3: 'kind' is 'events'; nearest: 'event'"),
    "unknown source of words": (WORDS, "commute,editorial,editors", "commute,editorial,editor",
        "body_parts.csv:3: unknown source 'editor'; nearest: 'editors'"),
    "unknown condition": (PAIRS, "crohns-disease,", "crohn-disease,",
        "co_occurring_conditions.csv:2: unknown disability 'crohn-disease'; nearest: 'crohns-disease'"),
    "unknown other condition": (PAIRS, "crohns-disease,multiple", "crohns-disease,multiples",
        "co_occurring_conditions.csv:2: unknown disability 'multiples-sclerosis'; nearest: 'multiple-sclerosis'"),
    "pair of itself": (PAIRS, "crohns-disease,multiple-sclerosis", "crohns-disease,crohns-disease",
        "co_occurring_conditions.csv:2: 'crohns-disease' refers to itself"),
    "pair twice": (PAIRS, "low-vision,multiple", "crohns-disease,multiple",
        ("co_occurring_conditions.csv:3: duplicate condition, other: 'crohns-disease', 'multiple-sclerosis'; "
         "first on line 2")),
    "pair in reverse": (PAIRS, "low-vision,multiple-sclerosis", "multiple-sclerosis,crohns-disease",
        ("co_occurring_conditions.csv:3: 'multiple-sclerosis', 'crohns-disease' is the pair of line 2 in reverse; "
         "keep one of the two rows")),
    "broader condition": (PAIRS, "crohns-disease,multiple", "chronic-optic-neuritis,multiple",
        ("co_occurring_conditions.csv:2: 'multiple-sclerosis' is broader than 'chronic-optic-neuritis', so the two "
         "cannot be a pair")),
    "narrower condition": (PAIRS, "low-vision,multiple-sclerosis", "low-vision,optic-neuritis",
        "co_occurring_conditions.csv:3: 'low-vision' is broader than 'optic-neuritis', so the two cannot be a pair"),
    "no https": (PAIRS, f"Pairs,{PAGE},2018", "Pairs,http://pages.example.org/pairs,2018",
        "co_occurring_conditions.csv:2: 'source_url' is 'http://pages.example.org/pairs', which does not match https://.+"),
    "no address": (PAIRS, f"Pairs,{PAGE},2018", "Pairs,https://pages,2018",
        ("co_occurring_conditions.csv:2: 'source_url' is 'https://pages', not an address such as "
         "https://example.org/")),
    "no title": (PAIRS, f"Pairs,{PAGE},2018", f",{PAGE},2018",
        "co_occurring_conditions.csv:2: 'source_title' is empty"),
    "no such month": (PAIRS, "2018-07", "2018-17",
        ("co_occurring_conditions.csv:2: 'as_of' is '2018-17', not a date such as 2026-01-31, a year such as 2026, or "
         "'unknown'")),
    "no such day": (PAIRS, "2026-11-25", "2026-11-31",
        ("co_occurring_conditions.csv:2: 'read' is '2026-11-31', not a date such as 2026-01-31, a year such as 2026, "
         "or 'unknown'")),
}  # fmt: skip


def test_valid_tables_have_no_problems() -> None:
    assert problems({}, world()) == []


@pytest.mark.parametrize("name", ERRORS)
def test_reports_an_error_with_its_line_and_the_nearest_value(name: str) -> None:
    file, old, new, *expected = ERRORS[name]
    assert TABLES[file].count(old) == 1
    assert problems({file: TABLES[file].replace(old, str(new)).encode()}, world()) == expected


@pytest.mark.parametrize("value", ["2018-3", "20180701", "July 2018", "2018-07-01T10:00"])
def test_only_iso_dates_months_and_years_are_dates(value: str) -> None:
    (problem,) = (
        message
        for message in problems({PAIRS: TABLES[PAIRS].replace("2018-07", value).encode()}, world())
        if "not a date" in message
    )
    assert problem.startswith(f"{PAIRS}:2: 'as_of' is '{value}', not a date such as 2026-01-31")


def test_words_may_be_names_of_other_entities() -> None:
    named = TABLES[WORDS].replace("knee|kneecap", "knee|memory loss|ADHD")
    assert problems({WORDS: named.encode()}, world()) == []


def test_rows_have_full_ids_in_their_order() -> None:
    assert parsed().body_parts == (
        BodyPart(
            ("knee", "kneecap"),
            "part",
            ("limitation:decreased-stamina-fatigue", "disability:multiple-sclerosis"),
            "editorial",
            ("editors",),
        ),
        BodyPart(("knee surgery",), "event", ("workrelatedfunction:commute",), "editorial", ("editors",)),
    )
    assert parsed().co_occurrences[0] == CoOccurrence(
        "disability:crohns-disease", "disability:multiple-sclerosis", "Pairs", PAGE, "2018-07", "2026-11-25"
    )


def test_both_tables_are_optional(content: Content) -> None:
    assert (content.body_parts, content.co_occurrences) == ((), ())
