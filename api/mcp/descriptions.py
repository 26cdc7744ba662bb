"""Descriptions of the MCP tools, and the server instructions.

Each tool's description says what it does, when to use it, what it returns and what to call next, in this order.
"""

from __future__ import annotations

from dataclasses import dataclass

from api.about import NOTICE


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


DESCRIPTIONS = {
    "search_accommodations": ToolDescription(
        "Search the graph",
        "Finds conditions (type disability), limitations, work-related functions, accommodations (type solution), "
        "products, vendors, occupations and abilities by name, alias or everyday words, and returns the ids that "
        "the other tools need.",
        "first, unless an id or a plain name is known. Ask one subject at a time in two or three words: 'hands shake', "
        "not the person's whole story; a second subject, such as the job, in a second call. Type words work: 'vendors "
        "of braille displays', 'software for dyslexia'.",
        "ranked hits with id, summary and reason; how the words were interpreted; spelling corrections; hits by type.",
        "recommend_accommodations with a condition or limitation from the results; get_related for anything "
        "else, such as from a product to its vendor; get_entity for details.",
    ),
    "recommend_accommodations": ToolDescription(
        "Recommend accommodations",
        "Ranks accommodations for a person by condition (disability), by what is hard to do (limitation), by part of "
        "the job (work_function), or by several of them, which narrows the result. Each takes an id, a name or an "
        "alias: 'ADHD', 'shaky hands', 'limitation:low-vision'. The limitation usually gives the best results. "
        "occupation needs one of the others. setting keeps only what is used at work, at school or in tests.",
        "for 'what helps someone who …'.",
        "accommodations in order, each with its reason, the needs it answers and up to five products with their "
        "vendors. An unknown name is an error that lists the nearest: call again with one of their ids.",
        "get_entity on a solution for details; get_related with edge=implemented_by on it for all its products.",
    ),
    "get_entity": ToolDescription(
        "Get one entity",
        "Returns the record of one entity: summary, aliases, facts, the number of relations by edge with the "
        "strongest of them, the accommodations listed for it under each heading, its sources.",
        "when an id is known and the details matter. For a product it names the vendor.",
        "the record. Long lists are shortened, with a note on how to get the rest.",
        "get_related to read all of one relation.",
    ),
    "get_related": ToolDescription(
        "Follow one relation",
        "Follows one edge from one entity and lists all entities at its other end, strongest first, page by page.",
        "for 'who sells this product' (a product's sold_by), 'which products do this' (a solution's implemented_by), "
        "'what does this vendor sell' (sells), 'which limitations can this condition cause' (a disability's "
        "has_limitation), 'who "
        "can have this limitation' (limitation_of), 'what is listed for it' (recommends), 'what does this job "
        "require' (an occupation's requires).",
        "entities with weight, basis and sources. A wrong edge is an error that lists the edges this entity has.",
        "get_entity on a result, or another get_related.",
    ),
    "related_conditions": ToolDescription(
        "Compare conditions",
        "Lists the conditions most similar to one condition and says why: the limitations they share, most specific "
        "first.",
        "for 'which conditions are similar', and for 'why are these two conditions related': send the second one as "
        "other.",
        "conditions with a score (0 to 1: how much they share, rare limitations counting more) and "
        "the shared limitations, most specific first.",
        "recommend_accommodations with a shared limitation; get_related with edge=has_limitation for all limitations "
        "of one condition.",
    ),
    "connections": ToolDescription(
        "Connect two entities",
        "Explains how any two entities are connected, in paths of at most four relations, the most specific first. "
        "Each end is an id, a name or an alias.",
        "for 'how is this product related to that condition', 'why would this vendor matter for that job', or 'what "
        "do these two conditions have in common'.",
        "paths, each as one sentence with its ids, or the reason why there is none. The structured content has edge, "
        "weight and sources of every step.",
        "get_entity on an entity of the path; recommend_accommodations with a limitation from it.",
    ),
    "list_entities": ToolDescription(
        "List one type",
        "Lists all entities of one type by name, page by page.",
        "to see everything of a type, such as every limitation. To find one entity, search_accommodations is quicker.",
        "id, name and summary of each, and the total.",
        "get_entity or get_related with an id.",
    ),
    "describe_graph": ToolDescription(
        "Describe the graph",
        "Describes the graph: its types and edges with counts and directions, and the attribution sentences of its "
        "sources.",
        "once, when it is unclear which type or edge to use.",
        "types, edges and totals.",
        "search_accommodations, or get_related with one of the edges.",
    ),
    "search": ToolDescription(
        "Search for documents",
        "Searches the graph and returns documents in the plain shape that research connectors expect.",
        "only in clients that need tools called search and fetch; search_accommodations returns more.",
        "up to ten results with id, title and url.",
        "fetch with an id.",
    ),
    "fetch": ToolDescription(
        "Fetch a document",
        "Returns one entity as a document in the plain shape that research connectors expect.",
        "after search, in clients that need tools called search and fetch; get_entity keeps the structure.",
        "id, title, text, url and metadata. The text ends with the sources and the notice.",
        "fetch with another id from the text.",
    ),
}

DESCRIPTION = "What helps a person with a condition at work or at school: ranked, sourced accommodations and products."
INSTRUCTIONS = f"""\
Accommodation Knowledge Graph: what helps a person with a condition or limitation at work or at school. It joins \
conditions, limitations, accommodations (called solutions), products and vendors, and occupations with the abilities \
they require. Read-only, free, without an account.

Plan:
1. search_accommodations with two or three of the person's own words, one subject per call, returns ids.
2. recommend_accommodations with the limitation or condition returns ranked accommodations and products; get_related \
follows one relation, such as sold_by from a product to its vendor.

What it is not: no prices or stock; products have not been checked for availability, and a listed product \
is not a recommendation to buy it. It knows nothing about one person's health, rights or employer. Its facts come from \
public sources of the United States, in English. Name the source with what you pass on; describe_graph returns the \
attribution sentences.

Do not send names or other details that identify a person: no tool needs them.

{NOTICE}"""
