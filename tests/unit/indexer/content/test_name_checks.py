"""Names and texts of conditions that people must not read."""

import pytest

from tests.support.world_files import FILES, problems

ALIASES, CONDITIONS, NARROWER = "aliases.csv", "disabilities.csv", "narrower_conditions.csv"


def with_alias(entity: str, text: str, kind: str = "lay") -> list[str]:
    lines = FILES[ALIASES].decode().rstrip("\n").split("\n")
    row = f"disability:{entity},{text},{kind},editors"
    found = problems({ALIASES: "\n".join([*lines, row, ""]).encode()})
    return [problem.partition(f":{len(lines) + 1}: ")[2] for problem in found]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("fatal blindness", "alias 'fatal blindness' shows 'fatal'; give it the kind hidden"),
        ("Lethal haze", "alias 'Lethal haze' shows 'Lethal'; give it the kind hidden"),
        ("puppetlike eyes", "alias 'puppetlike eyes' shows 'puppetlike'; give it the kind hidden"),
        (
            "haze involving glaucoma",
            "alias 'haze involving glaucoma' is a heading of a code book ('involving'); give it the kind near",
        ),
        ("Ca eye", "alias 'Ca eye' is a heading of a code book ('Ca'); give it the kind near"),
    ],
)
def test_aliases_that_frighten_or_come_from_a_code_book_are_reported(text: str, problem: str) -> None:
    assert with_alias("low-vision", text) == [problem]
    hidden = FILES["condition_names.csv"] + f"optic-neuritis,{text},hidden,editors\n".encode()
    assert problems({"condition_names.csv": hidden}) == []


def test_a_display_name_must_not_end_in_a_lone_letter_or_frighten() -> None:
    changed = FILES[CONDITIONS].replace(b"Low Vision", b"Low Vision a").replace(b"Guillain", b"Fatal Guillain")
    (fatal, letter) = (problem for problem in problems({CONDITIONS: changed}) if problem.startswith(CONDITIONS))
    assert "shows 'Fatal'; show another name, and this one with the kind hidden" in fatal
    assert "ends in a lone lower-case letter; write a capital" in letter


def test_a_text_must_not_show_a_word_of_a_hidden_name() -> None:
    text = FILES[NARROWER].replace(b"It comes in attacks.", b"It makes eyecripples.")
    aliases = FILES["condition_names.csv"] + b"optic-neuritis,eyecripples of old,hidden,editors\n"
    assert problems({NARROWER: text, "condition_names.csv": aliases}) == [
        "narrower_conditions.csv:2: the text shows 'eyecripples', a word of a hidden name"
    ]


def test_two_main_conditions_must_not_share_a_name() -> None:
    (problem,) = with_alias("crohns-disease", "low vision")
    assert problem.startswith("name 'low vision' is one of 'low-vision' too, in world/disabilities.csv:")
