"""The two prompts of the MCP door: what a person can start from a menu. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.results import NOTICE

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 500  # characters of an argument


@dataclass(frozen=True, slots=True)
class Blank:
    """An argument of a prompt, and the types whose names complete it."""

    name: str
    says: str
    types: tuple[str, ...]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: `text` has a place for each argument; `without` stands for an optional one that was not given."""

    name: str
    title: str
    says: str
    blanks: tuple[Blank, ...]
    text: str
    without: str = ""

    def missing(self, given: Mapping[str, str]) -> list[str]:
        """Required arguments that are not there or blank."""
        return [blank.name for blank in self.blanks if blank.required and not given.get(blank.name, "").strip()]

    def filled(self, given: Mapping[str, str]) -> str:
        """The text with its arguments and the notice."""
        words = {blank.name: given.get(blank.name, "").strip()[:LONGEST] or self.without for blank in self.blanks}
        return f"{self.text.format(**words)}\n\nTell the reader this, in these words: {NOTICE}"


NEEDS = ("disability", "limitation", "workrelatedfunction")
PROMPTS = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "plan_accommodations",
            "Plan accommodations",
            "Finds accommodations for one person and one job or course, with the reason for each and products to try.",
            (
                Blank("need", "What is hard, or the condition, in plain words: 'my hands shake when I type'.", NEEDS),
                Blank("job", "The job, the course or the task.", ("occupation",), required=False),
            ),
            "Help me plan accommodations with the Accommodation Knowledge Graph.\n"
            "What is hard, or the condition: {need}\n"
            "The job, course or task: {job}\n\n"
            "1. Look up what is hard with search_accommodations, two or three words at a time, and settle on the "
            "limitation or condition that fits.\n"
            "2. Call recommend_accommodations with it, and with the occupation if one was found.\n"
            "3. Choose up to six that fit this task. Say for each, in plain words, what it is, why it was listed, and "
            "a product to try with its vendor where there is one. Start with changes that cost nothing.\n"
            "4. Name the sources, and list what I should find out or ask before deciding.",
            without="not said",
        ),
        Prompt(
            "explain_connection",
            "Explain how two conditions are related",
            "Says what two conditions have in common and which accommodations serve both.",
            (
                Blank("first", "A condition.", ("disability",)),
                Blank("second", "Another condition.", ("disability",)),
            ),
            "Explain with the Accommodation Knowledge Graph how {first} and {second} are related.\n\n"
            "1. Find the id of each with search_accommodations.\n"
            "2. Call related_conditions for the first, with the second as other. If they share too little for that, "
            "compare what get_related with edge=has_limitation gives for each.\n"
            "3. Say which limitations they share, the most telling first, and how they differ.\n"
            "4. Call recommend_accommodations with a limitation they share, and name a few accommodations that can "
            "serve both. Name the sources.",
        ),
    )
}
