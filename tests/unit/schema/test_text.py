"""Text as the index analyzers read it: tables of text → expected."""

import pytest

from schema.text import content_tokens, fold, join_names, name_key, nearest, stems, to_american, tokens, with_article


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("", ""),
        ("Crohn's", "crohns"),
        ("Crohn\u2019s", "crohns"),
        ("Crohn`s", "crohns"),
        ("crohns", "crohns"),
        ("Guillain-Barré", "guillain-barre"),
        ("Barre\u0301", "barre"),  # the accent as a combining character
        ("Sjögren Syndrome", "sjogren syndrome"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("\ufb01bre", "fibre"),  # one character for "fi"
        ("DayPlan™", "dayplantm"),  # lower case even if folding adds letters
        ("sit/stand  desk", "sit/stand  desk"),  # spaces and punctuation are unchanged
    ],
)
def test_folding_removes_case_accents_and_apostrophes(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Crohn\u2019s Disease", ("crohns", "disease")),
        ("text-to-speech", ("text", "to", "speech")),
        ("Café", ("cafe",)),
        ("C#", ("c",)),
        ("+++ \u2014 \u2026", ()),
        ("Tumours, oedema", ("tumors", "edema")),
    ],
)
def test_tokens_are_folded_words_in_american_spelling(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", ""),
        (" - / ", ""),
        ("Sit/Stand Desk", "sitstanddesk"),
        ("sit-stand desk", "sitstanddesk"),
        ("sit stand  desk", "sitstanddesk"),
        ("snake_case", "snakecase"),
        ("Crohn\u2019s Disease", "crohnsdisease"),
        ("15-1252.00", "15125200"),
        ("Guillain-Barré", "guillainbarre"),
    ],
)
def test_a_name_key_has_letters_and_digits_only(text: str, key: str) -> None:
    assert name_key(text) == key


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Memory Loss", ["memory", "loss"]),
        ("Headsets", ["headset"]),
        ("disabilities", ["disability"]),
        ("Attentiveness/Concentration", ["attentiveness", "concentration"]),
        ("MS", ["ms"]),  # short words keep their s
        ("gas als", ["gas", "als"]),
        ("glass virus paralysis", ["glass", "virus", "paralysis"]),  # not plurals
        ("keys", ["key"]),
        ("Crohn's", ["crohn"]),
        ("wheel_chair", ["wheel", "chair"]),
        ("C-5 injury", ["c", "5", "injury"]),
        ("tumours", ["tumor"]),
    ],
)
def test_stems_remove_only_plural_endings(text: str, expected: list[str]) -> None:
    assert stems(text) == tuple(expected)


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("box", "boxes"),
        ("fax", "faxes"),
        ("lunch", "lunches"),
        ("headache", "headaches"),
        ("brush", "brushes"),
        ("glass", "glasses"),
        ("shoe", "shoes"),
        ("potato", "potatoes"),
        ("movie", "movies"),
        ("disability", "disabilities"),
        ("house", "houses"),
    ],
)
def test_singular_and_plural_have_the_same_stem(singular: str, plural: str) -> None:
    assert stems(singular) == stems(plural)


def test_a_text_is_folded_to_american_spellings_and_nothing_else() -> None:
    text = "Tumours of the OESOPHAGUS (gastro-oesophageal); Crohn’s, Ménière’s & aerobic centres, 5\u00a0mg."
    expected = "tumors of the esophagus (gastro-esophageal); Crohn’s, Ménière’s & aerobic centers, 5\u00a0mg."
    assert to_american(text) == expected
    assert to_american(expected) == expected
    assert to_american("") == ""


def test_content_words_say_what_a_sentence_is_about() -> None:
    assert content_tokens(tokens("I can't use my hands well, they go numb")) == ("hands", "numb")
    assert content_tokens(()) == ()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("low-visoin", "low-vision"),
        ("LOW-VISION", "low-vision"),
        ("high-vision", "low-vision"),
        ("tinnitus", None),
        ("", None),
    ],
)
def test_returns_the_most_similar_name_or_none(text: str, name: str | None) -> None:
    assert nearest(text, ["deafness", "low-vision", "vision-loss"], 0.6) == name
    assert nearest(text, []) is None


@pytest.mark.parametrize(
    ("names", "limit", "text"),
    [
        (["a"], None, "a"),
        (["a", "b"], None, "a and b"),
        (["a", "b", "c"], None, "a, b and c"),
        (["a", "b", "c"], 3, "a, b and c"),
        (["a", "b", "c", "d", "e"], 3, "a, b, c and 2 more"),
        (["a", "b"], 1, "a and 1 more"),
    ],
)
def test_names_are_joined_as_in_a_sentence(names: list[str], limit: int | None, text: str) -> None:
    assert join_names(names, limit) == text


@pytest.mark.parametrize(("name", "expected"), [("solution", "a solution"), ("occupation", "an occupation")])
def test_a_type_has_its_article(name: str, expected: str) -> None:
    assert with_article(name) == expected
