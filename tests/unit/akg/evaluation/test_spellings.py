"""British spellings of names, and when a name counts as lost in them."""

import pytest

from akg.evaluation.search_eval import EntityName
from akg.evaluation.spellings import (
    MIN_SHARE,
    SpelledName,
    SpellingScores,
    british_texts,
    score_spellings,
    spelled_names,
)


@pytest.mark.parametrize(
    ("text", "spellings"),
    [
        ("Hemophilia", ["haemophilia"]),
        ("Color Blindness / Tumor", ["colour Blindness / tumour"]),  # all words at once
        ("Czar Color", ["tsar colour", "tzar colour"]),
        ("Hyposulfatemia Color", ["hyposulfataemia colour", "hyposulphatemia colour", "hyposulphataemia colour"]),
        ("Color Color", ["colour colour"]),
        ("Guillain-Barré Syndrome", []),
        ("Telework", []),
        ("", []),
    ],
)
def test_a_text_has_each_british_spelling_of_its_words(text: str, spellings: list[str]) -> None:
    assert british_texts(text) == spellings


def test_names_and_aliases_with_a_british_spelling_are_compared_once() -> None:
    names = [
        EntityName("disability:anemia", "id", "disability:anemia"),
        EntityName("disability:anemia", "slug", "anemia"),
        EntityName("disability:anemia", "name", "Anemia"),
        EntityName("disability:anemia", "alias", "Anemia"),
        EntityName("disability:anemia", "alias", "Low Iron"),
        EntityName("disability:odor", "alias", "body odour"),  # the table itself has the British spelling
    ]
    assert spelled_names(names) == [
        SpelledName("disability:anemia", "Anemia", "anaemia"),
        SpelledName("disability:odor", "body odor", "body odour"),
    ]


ANEMIA, ODOR, TUMOR = (SpelledName(entity, entity, entity.replace("o", "ou")) for entity in ("anemia", "odor", "tumor"))


@pytest.mark.parametrize(
    ("american", "british", "scores", "share"),
    [
        ([["anemia"], ["odor"], ["x", "tumor"]], [["anemia"], ["x", "odor"], ["tumor"]], SpellingScores(3, []), 1.0),
        ([["anemia"], ["odor"], ["tumor"]], [["anemia"], ["x"], []], SpellingScores(3, [ODOR, TUMOR]), 1 / 3),
        ([["anemia"], [], ["tumor"]], [["anemia"], [], []], SpellingScores(2, [TUMOR]), 1 / 2),  # one in neither
        ([["anemia"], [], []], [["anemia"], ["odor"], []], SpellingScores(1, []), 1.0),  # better in British
        ([[], [], []], [[], [], []], SpellingScores(0, []), 1.0),
    ],
)
def test_a_name_is_lost_if_only_its_american_spelling_finds_the_entity(
    american: list[list[str]], british: list[list[str]], scores: SpellingScores, share: float
) -> None:
    found = score_spellings([ANEMIA, ODOR, TUMOR], american, british)
    assert found == scores
    assert found.share == pytest.approx(share)
    assert (found.share < MIN_SHARE) is bool(scores.lost)
