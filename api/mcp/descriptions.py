"""Descriptions of the MCP tools, the server instructions, and the prompts, which a user starts from a menu.

Each tool's description says what it does, when to use it, what it returns and what to call next, in this order.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from api.about import NOTICE
from api.parameters import MAX_QUERY_LENGTH


@dataclass(frozen=True, slots=True)
class ToolDescription:
    """The title of a tool and the four parts of its description."""

    title: str
    does: str
    use_when: str
    returns: str
    then: str

    @property
    def description(self) -> str:
        """Return the four parts as one text."""
        return f"{self.does} Use {self.use_when} Returns: {self.returns} Then: {self.then}"


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
        required = [argument.name for argument in self.arguments if argument.required]
        return [name for name in required if not values.get(name, "").strip()]

    def filled(self, values: Mapping[str, str]) -> str:
        """Return the text with its arguments and the notice."""
        words = {
            argument.name: values.get(argument.name, "").strip()[:MAX_QUERY_LENGTH] or self.default
            for argument in self.arguments
        }
        return f"{self.text.format(**words)}\n\nTell the reader this, in these words: {NOTICE}"


DESCRIPTIONS = {
    "search_accommodations": ToolDescription(
        "Search the accommodation graph",
        "Finds conditions (type disability), limitations, work-related functions, accommodations (type solution), "
        "products, vendors, occupations and abilities by name, alias or everyday words, and returns the ids that "
        "the other tools need.",
        "first, unless an id or a plain name is known. Ask one subject at a time in two or three words: 'hands shake'. "
        "Type words work: 'vendors of braille displays', 'software for dyslexia'.",
        "ranked hits with id, summary and reason; how the words were interpreted; spelling corrections; hits by type.",
        "recommend_accommodations with a condition or limitation; get_related for anything else; get_entity for facts.",
    ),
    "recommend_accommodations": ToolDescription(
        "Recommend ranked accommodations",
        "Ranks accommodations by a question in plain words ('dyslexia and can't sit long'), or by "
        "condition (disability), what is hard to do (limitation), part of the job (work_function) and job "
        "(occupation), ten in all, each by id or name: 'ADHD', 'shaky hands'.",
        "for 'what helps someone who …'.",
        "accommodations in order with reasons, cautions to pass on and products; what was understood; what is left out "
        "as wrong here. Unknown names get the nearest ids.",
        "get_entity on a solution for details; get_related with edge=implemented_by on it for all its products.",
    ),
    "get_entity": ToolDescription(
        "Get one entity",
        "Returns one entity: summary, aliases, facts, the number of relations by edge with the "
        "strongest of them, the accommodations listed for it under each heading, its sources.",
        "when an id is known and the details matter. For a product it names the vendor.",
        "the record, shortened unless detail=full.",
        "get_related to read all of one relation.",
    ),
    "get_related": ToolDescription(
        "Follow one relation",
        "Follows one edge from one entity and lists all entities at its other end.",
        "for 'who sells this product' (sold_by), 'which products do this' (implemented_by), 'what does this vendor "
        "sell' (sells), 'which limitations can this condition cause' (has_limitation), 'who can have this limitation' "
        "(limitation_of), 'what is listed for it' (recommends), 'what does this job require' (requires).",
        "entities with weight, basis and sources. A wrong edge is an error that lists the edges this entity has.",
        "get_entity on a result, or another get_related.",
    ),
    "related_conditions": ToolDescription(
        "Compare related conditions",
        "Lists the conditions related to one condition and says why: they occur together, are of one kind or "
        "share limitations.",
        "for 'which conditions are similar', or 'why are these two related': send the second as other.",
        "conditions with the reason and a score from 0 to 1, in which rare limitations count more.",
        "recommend_accommodations with a shared limitation; get_related with edge=has_limitation for all of one.",
    ),
    "connections": ToolDescription(
        "Connect two entities",
        "Explains how any two entities are connected, in paths of at most four relations, the most specific first.",
        "for 'how is this product related to that condition'. For two conditions, related_conditions names all they "
        "share.",
        "paths, each as one sentence with its ids and steps, or the reason why there is none.",
        "get_entity on an entity of the path; recommend_accommodations with a limitation from it.",
    ),
    "list_entities": ToolDescription(
        "List entities of one type",
        "Lists all entities of one type by name, or those with an edge to each of several others (linked_to).",
        "to see everything of a type, or what is listed for both fatigue and memory loss. To find one entity, "
        "search_accommodations is quicker.",
        "the total; id, name and summary of each; with linked_to also facets, and the links of each (stated or "
        "inherited).",
        "get_entity or get_related with an id.",
    ),
    "describe_graph": ToolDescription(
        "Describe the graph",
        "Lists types and edges with counts and directions, and the attribution sentences of the sources.",
        "once, when it is unclear which type or edge to use.",
        "types, edges and totals.",
        "search_accommodations, or get_related with one of the edges.",
    ),
    "search": ToolDescription(
        "Search for documents",
        "Searches the graph and returns documents for research connectors.",
        "only in clients that need tools called search and fetch; search_accommodations returns more.",
        "up to ten results and guides with id, title and url.",
        "fetch with an id.",
    ),
    "fetch": ToolDescription(
        "Fetch a document",
        "Returns an entity or guide as a document for research connectors.",
        "after search, in clients that need these two tools; get_entity keeps the structure.",
        "id, title, text, url and metadata.",
        "fetch with another id from the text.",
    ),
}

DESCRIPTION = "What helps a person with a condition at work or at school: ranked, sourced accommodations and products."
INSTRUCTIONS = f"""\
Accommodation Knowledge Graph: what helps a person with a condition or limitation at work or at school. It connects \
conditions, limitations, accommodations (called solutions), products and vendors, and occupations with the abilities \
they require. Read-only, free, without an account.

Plan:
1. search_accommodations with two or three of the person's own words, one subject per call, returns ids.
2. recommend_accommodations with the limitation or condition returns ranked accommodations and products; get_related \
follows one relation, such as sold_by from a product to its vendor.

What it is not: no prices or stock; products have not been checked for availability, and a listed product \
is not a recommendation to buy it. It contains nothing about one person's health, rights or employer. Its facts \
come from public sources of the United States, in English. Name the source with what you pass on; describe_graph \
returns the attribution sentences.

Do not send names or other details that identify a person: no tool needs them.

{NOTICE}"""


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
            default="not specified",
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
            "compare what get_related with edge=has_limitation returns for each.\n"
            "3. Say which limitations they share, the most specific first, and how they differ.\n"
            "4. Call recommend_accommodations with a limitation they share, and name a few accommodations that can "
            "serve both. Name the sources.",
        ),
    )
}
