"""Words inside the name of a guide are a piece of it, unless the guide is about what they name."""

import pytest

from api.search.guides.names import GuideName
from schema.text import tokens

ABOUT = frozenset(("solution:service-animal",))


@pytest.mark.parametrize(
    ("text", "piece", "kind", "is_piece"),
    [
        ("short-term disability", "short term", "limitation", True),
        ("light duty", "light", "workrelatedfunction", True),
        ("light duty", "light duty", "solution", False),  # all of it is a name of its own
        ("OCR complaint", "ocr", "solution", True),
        ("EEOC complaint", "eeoc", "disability", True),
        ("deaf truck driver", "deaf", "disability", False),
        ("deaf truck driver", "truck driver", "occupation", False),
        ("FMLA for migraines", "fmla", "solution", True),
        ("FMLA for migraines", "migraines", "limitation", False),
        ("can't hear the fire alarm", "fire alarm", "solution", False),  # a sentence
        ("light duty", "night", "limitation", False),  # elsewhere in the query
    ],
)
def test_a_name_has_pieces_of_its_name(text: str, piece: str, kind: str, is_piece: bool) -> None:  # noqa: FBT001
    words, inside = tokens(text), tokens(piece)
    start = next((place for place in range(len(words)) if words[place : place + len(inside)] == inside), len(words))
    name = GuideName(text, 0, len(words), ABOUT)
    assert name.has_as_piece(inside, start, start + len(inside), ids=frozenset(("x",)), kind=kind) is is_piece


def test_a_guide_does_not_own_what_it_is_about() -> None:
    name = GuideName("service dog letter", 0, 3, ABOUT)
    assert not name.has_as_piece(("service", "dog"), 0, 2, ids=ABOUT, kind="solution")
    assert name.has_as_piece(("letter",), 2, 3, ids=frozenset(("solution:letter",)), kind="solution")
