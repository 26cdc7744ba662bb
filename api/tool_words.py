"""What the MCP door says of itself to clients that know nothing else of the service. Pure.

Each tool's description says what it does, when to use it, what comes back and what to call next, in this order.
"""

from __future__ import annotations

from dataclasses import dataclass

from api.results import NOTICE


@dataclass(frozen=True, slots=True)
class Words:
    """The title of a tool and the four parts of its description."""

    title: str
    does: str
    use: str
    back: str
    then: str

    @property
    def description(self) -> str:
        """The four parts as one text."""
        return f"{self.does} Use it {self.use} Comes back: {self.back} Next: {self.then}"


WORDS = {
    "search_accommodations": Words(
        "Search the graph",
        "Finds conditions (type disability), limitations, work-related functions, accommodations (type solution), "
        "products, vendors, occupations and abilities by name, other name or everyday words, and gives the ids that "
        "the other tools take.",
        "first, unless an id or a plain name is known. Ask one subject at a time in two or three words: 'hands shake', "
        "not the person's whole story; a second subject, such as the job, in a second call. Type words work: 'vendors "
        "of braille displays', 'software for dyslexia'.",
        "ranked hits with id, summary and the reason each matched; how the words were read; corrections of slips; "
        "hits by type.",
        "recommend_accommodations with a condition or limitation that was found; get_related to go on from anything "
        "else, such as from a product to its vendor; get_entity for details.",
    ),
    "recommend_accommodations": Words(
        "Recommend accommodations",
        "Ranks accommodations for a person by condition (disability), by what is hard to do (limitation), by part of "
        "the job (work_function), or by several of them, which narrows the answer. Each takes an id, a name or another "
        "name: 'ADHD', 'shaky hands', 'limitation:low-vision'. The limitation usually gives the most fitting answer. "
        "occupation may stand beside them, never alone. setting keeps what is used at work, at school or in tests.",
        "for 'what helps someone who …'.",
        "accommodations in order, each with its reason, the needs it answers and up to five products with their "
        "vendors. A name that is not known is an error that lists the nearest: call again with one of their ids.",
        "get_entity on a solution for details; get_related with edge=implemented_by on it for all its products.",
    ),
    "get_entity": Words(
        "Get one entity",
        "Gives the record of one entity: summary, other names, facts, how many relations it has by each edge with the "
        "strongest of them, the accommodations listed for it under each heading, its sources.",
        "when an id is known and the details matter. For a product it names the vendor.",
        "the record. Long lists are shortened, and it says how to see the rest.",
        "get_related to read one relation to its end.",
    ),
    "get_related": Words(
        "Follow one relation",
        "Follows one edge from one entity and lists what is at its other end, strongest first, complete, page by page.",
        "for 'who sells this product' (a product's sold_by), 'which products do this' (a solution's implemented_by), "
        "'what does this vendor sell' (sells), 'what can this condition bring' (a disability's has_limitation), 'who "
        "can have this limitation' (limitation_of), 'what is listed for it' (recommends), 'what does this job ask "
        "for' (an occupation's requires).",
        "entities with weight, basis and sources. A wrong edge is an error that lists the edges this entity has.",
        "get_entity on what was found, or another get_related.",
    ),
    "related_conditions": Words(
        "Compare conditions",
        "Lists the conditions most like one condition and says why: the limitations that both can bring, most telling "
        "first.",
        "for 'what is like this condition', and for 'why are these two conditions related': give the second one as "
        "other.",
        "conditions with a score (0 to 1: how much they share, rare limitations counting more) and "
        "the shared limitations, most telling first.",
        "recommend_accommodations with a shared limitation; get_related with edge=has_limitation for all that one "
        "condition can bring.",
    ),
    "connections": Words(
        "Connect two entities",
        "Explains how any two entities are connected, in chains of at most four relations, the most telling first. "
        "Each end is an id, a name or another name.",
        "for 'what has this product to do with that condition', 'why would this vendor matter for that job', or 'what "
        "do these two conditions have in common'.",
        "chains, each told in one sentence with the ids it passes, or the reason why there is none. Edge, weight and "
        "sources of every step stand in the structured half.",
        "get_entity on what stands in between; recommend_accommodations with a limitation from it.",
    ),
    "list_entities": Words(
        "List one type",
        "Lists all entities of one type by name, page by page.",
        "to see all there is of a type, such as every limitation. To find one entity, search_accommodations is "
        "quicker.",
        "id, name and summary of each, and how many there are.",
        "get_entity or get_related with an id.",
    ),
    "describe_graph": Words(
        "Describe the graph",
        "Says what the graph holds: its types and edges with their numbers and directions, and the sentences to show "
        "with facts from its sources.",
        "once, when it is unclear which type or edge to ask for.",
        "types, edges and totals.",
        "search_accommodations, or get_related with one of the edges.",
    ),
    "search": Words(
        "Search for documents",
        "Searches the graph and gives documents in the plain shape that research connectors expect.",
        "only in clients that ask for tools called search and fetch; search_accommodations tells more.",
        "up to ten results with id, title and url.",
        "fetch with an id.",
    ),
    "fetch": Words(
        "Fetch a document",
        "Gives one entity as a document in the plain shape that research connectors expect.",
        "after search, in clients that ask for tools called search and fetch; get_entity keeps the structure.",
        "id, title, text, url and metadata. The text ends with the sources and the notice.",
        "fetch with another id that stands in the text.",
    ),
}

DESCRIPTION = "What helps a person with a condition at work or at school: ranked, sourced accommodations and products."
INSTRUCTIONS = f"""\
Accommodation Knowledge Graph: what helps a person with a condition or limitation at work or at school. It joins \
conditions, limitations, accommodations (called solutions), products and vendors, and occupations with the abilities \
they ask for. Read-only, free, without an account.

Plan:
1. search_accommodations with two or three of the person's own words, one subject per call, gives ids.
2. recommend_accommodations with the limitation or condition gives ranked accommodations and products; get_related \
follows one relation, such as sold_by from a product to its vendor.

What it is not: no prices or stock; nobody has checked yet whether a product can still be bought, and a listed product \
is no recommendation to buy it. It knows nothing about one person's health, rights or employer. Its facts come from \
public sources of the United States, in English. Name the source with what you pass on; describe_graph gives the \
sentences that sources ask for.

Do not send names or other details that identify a person: no tool needs them.

{NOTICE}"""
