"""MCP prompts, which a user starts from a menu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.about import NOTICE

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_ARGUMENT_LENGTH = 500


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """An argument of a prompt, and the types whose names complete it."""

    name: str
    description: str
    types: tuple[str, ...]
    required: bool = True


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: `text` has a placeholder for each argument; `default` replaces an optional one that is absent."""

    name: str
    title: str
    description: str
    arguments: tuple[PromptArgument, ...]
    text: str
    default: str = ""

    def missing(self, values: Mapping[str, str]) -> list[str]:
        """Return the required arguments that are absent or blank."""
        return [
            argument.name
            for argument in self.arguments
            if argument.required and not values.get(argument.name, "").strip()
        ]

    def filled(self, values: Mapping[str, str]) -> str:
        """Return the text with its arguments and the notice."""
        words = {
            argument.name: values.get(argument.name, "").strip()[:MAX_ARGUMENT_LENGTH] or self.default
            for argument in self.arguments
        }
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
                PromptArgument(
                    "need", "What is hard, or the condition, in plain words: 'my hands shake when I type'.", NEEDS
                ),
                PromptArgument("job", "The job, the course or the task.", ("occupation",), required=False),
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
            default="not said",
        ),
        Prompt(
            "explain_connection",
            "Explain how two conditions are related",
            "Says what two conditions have in common and which accommodations serve both.",
            (
                PromptArgument("first", "A condition.", ("disability",)),
                PromptArgument("second", "Another condition.", ("disability",)),
            ),
            "Explain with the Accommodation Knowledge Graph how {first} and {second} are related.\n\n"
            "1. Find the id of each with search_accommodations.\n"
            "2. Call related_conditions for the first, with the second as other. If they share too little for that, "
            "compare what get_related with edge=has_limitation gives for each.\n"
            "3. Say which limitations they share, the most specific first, and how they differ.\n"
            "4. Call recommend_accommodations with a limitation they share, and name a few accommodations that can "
            "serve both. Name the sources.",
        ),
    )
}
