"""The graph as data: its edges, what the content states about its entities, and groups of their aliases by use."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from indexer.content.datapackage_schema import SEPARATOR
from indexer.content.guides import Guides
from indexer.content.rows import (
    EDITORS,
    NO_FACTS,
    Alias,
    BodyPart,
    Content,
    CoOccurrence,
    Entity,
    Finding,
    FirstChoice,
    Grouping,
    GroupingMember,
    MainNeed,
    Source,
)
from indexer.content.wordings import Wording
from indexer.graph.guidance import GuidanceIndex
from indexer.graph.hierarchy import Hierarchy
from indexer.graph.needs import Listings, School
from schema.entity_kinds import MAIN, NARROWER

STATED = ("has_limitation", "affects")
SUMMARIES = ("short", "plain", "long")
ONET_IDS = {"occupation": "onet_soc", "ability": "onet_element"}  # types whose keys are ids of O*NET
HIDDEN, NEAR, REPORTED_TITLE = "hidden", "near", "title"  # kinds of aliases; reported by people with the job
MAX_SHORT_FORM = 4  # letters and digits; "CMT2" means one condition, "AS" and "PMS" mean many things
NOT_A_LETTER = re.compile(r"[\W_]")


class Edge(NamedTuple):
    """One directed relation. `facts` has what only its kind has (`via`, `importance`, `tier` …)."""

    name: str
    source: str
    target: str
    weight: float
    basis: str
    sources: tuple[str, ...]
    facts: Mapping[str, Any] = NO_FACTS


@dataclass(frozen=True, slots=True)
class EditorialChoices:
    """`main_needs[condition]`, `first_choices_by_need[need, solution]` (1 or 0.5) and `intended_for[solution]`.

    Sources list solutions alphabetically or by kind. The editors' choices give them an order; they add no edge, and
    results mark what they add for narrower conditions as `editorial`.

    `first_choices_by_seed[seed]` has the first choices for a condition regardless of the need, or for a limitation
    under which no source lists anything.
    """

    main_needs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    first_choices_by_need: Mapping[tuple[str, str], float] = field(default_factory=dict)
    intended_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_choices_by_seed: Mapping[str, tuple[FirstChoice, ...]] = field(default_factory=dict)

    @staticmethod
    def from_content(content: Content) -> "EditorialChoices":
        """Collect the rows."""
        main_needs: defaultdict[str, set[str]] = defaultdict(set)
        intended_for: defaultdict[str, list[str]] = defaultdict(list)
        for row in content.main_needs:
            main_needs[row.disability].add(row.need)
        for intent in content.made_for:
            intended_for[intent.solution].append(intent.audience)
        headings = {row.via for row in content.recommendations}
        by_need: dict[tuple[str, str], float] = {}
        by_seed: defaultdict[str, list[FirstChoice]] = defaultdict(list)
        for choice in content.first_choices:
            if choice.need in headings:
                by_need[choice.need, choice.solution] = choice.strength
            else:
                by_seed[choice.need].append(choice)
        return EditorialChoices(
            main_needs={disability: frozenset(needs) for disability, needs in main_needs.items()},
            first_choices_by_need=by_need,
            intended_for={solution: tuple(sorted(groups)) for solution, groups in intended_for.items()},
            first_choices_by_seed={seed: tuple(choices) for seed, choices in by_seed.items()},
        )


@dataclass(frozen=True, slots=True)
class AliasGroups:
    """The aliases of one entity by how they match and whether they are shown.

    * `shown`: what people may read, in lists and reasons
    * `exact`: what search matches like a name, without the `short` ones
    * `short`: up to four letters by which a source abbreviates a narrower condition: ambiguous, so matched below others
    * `hidden`: hurtful or outdated words that people still type: matched as whole names, never shown
    * `near`: what a source calls broader, narrower or related: matched only as words in text, never shown
    """

    shown: tuple[Alias, ...]
    exact: tuple[str, ...]
    short: tuple[str, ...]
    hidden: tuple[str, ...]
    near: tuple[str, ...]


NO_ALIASES = AliasGroups((), (), (), (), ())  # true of nine entities in ten


@dataclass(frozen=True, slots=True)
class Graph:
    """`edges[id][edge name]` is sorted best first: weight, main before narrower conditions, name of the target, id.

    `body_parts[entity][word]` is the place of the entity in the row of the word, from 0: the lower, the more fitting.
    `signs` is the same for words that a query may have in any order and form.
    `co_occurring[condition]` has the pairs of a condition with it as their `condition`, whichever way the table states
    them, by name of the other one.

    `alias_groups`, `inheritance_sources` and `well_known_conditions` cache what the functions of these names compute.
    """

    nodes: Mapping[str, Entity]
    aliases: Mapping[str, tuple[Alias, ...]]
    edges: Mapping[str, Mapping[str, tuple[Edge, ...]]]
    sources: Mapping[str, Source]
    redirects: Mapping[str, str]
    listings: Listings
    version: str
    findings: Mapping[str, Finding] = field(default_factory=dict)
    hierarchy: Hierarchy = field(default_factory=lambda: Hierarchy({}, {}, {}))
    editorial: EditorialChoices = field(default_factory=EditorialChoices)
    school: School = field(default_factory=School)
    groupings: Mapping[str, tuple[GroupingMember, ...]] = field(default_factory=dict)  # by entity
    grouping_table: tuple[Grouping, ...] = ()  # also those without members
    first_choices: tuple[FirstChoice, ...] = ()
    main_needs: tuple[MainNeed, ...] = ()
    body_parts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    signs: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    body_part_table: tuple[BodyPart, ...] = ()
    wordings: Mapping[str, tuple[Wording, ...]] = field(default_factory=dict)
    co_occurring: Mapping[str, tuple[CoOccurrence, ...]] = field(default_factory=dict)
    co_occurrence_table: tuple[CoOccurrence, ...] = ()
    guidance: GuidanceIndex = field(default_factory=GuidanceIndex)
    guides: Guides = field(default_factory=Guides)
    alias_groups: dict[str, AliasGroups] = field(init=False, repr=False, compare=False, default_factory=dict)
    inheritance_sources: dict[str, tuple[str, ...]] = field(init=False, repr=False, compare=False, default_factory=dict)
    well_known_conditions: list[frozenset[str]] = field(init=False, repr=False, compare=False, default_factory=list)

    def edges_named(self, node: str, name: str) -> tuple[Edge, ...]:
        """Return the edges called `name` that leave `node`, best first."""
        return self.edges.get(node, {}).get(name, ())

    def has_no_statements(self, condition: str) -> bool:
        """Return whether the tables state no solution, limitation or function of a condition itself."""
        stated = (edge for name in STATED for edge in self.edges_named(condition, name))
        return condition not in self.listings.by_disability and all(edge.basis == "inherited" for edge in stated)

    def degree(self, node: str) -> int:
        """Return how many edges leave `node`."""
        return sum(len(edges) for edges in self.edges.get(node, {}).values())


def kind_of(entity: Entity) -> str:
    """Return `main` or `narrower` for a condition, an empty string for any other entity."""
    return entity.facts.get("kind", MAIN) if entity.type == "disability" else ""


def is_narrower(entity: Entity) -> bool:
    """Return whether this is a narrower condition, which has no lists of its own."""
    return kind_of(entity) == NARROWER


def solution_settings(entity: Entity) -> list[str]:
    """Return where a solution is used: work, school, testing; empty for other types."""
    return entity.facts["settings"].split(SEPARATOR) if entity.facts.get("settings") else []


def onet_ids(entity: Entity) -> dict[str, str]:
    """Return the O*NET id of an occupation or ability by its name; empty for other types."""
    name = ONET_IDS.get(entity.type)
    return {name: entity.id.partition(":")[2]} if name else {}


def sorted_entities(entities: Iterable[Entity]) -> list[Entity]:
    """Sort entities as lists show them: by name, narrower conditions last."""
    return sorted(entities, key=lambda entity: (is_narrower(entity), entity.name.casefold(), entity.id))


def popularity(graph: Graph, node: str) -> int:
    """Return 1 + the number of edges of an entity, without those to and from narrower conditions."""
    if is_narrower(graph.nodes[node]):
        return 1
    narrower = sum(is_narrower(graph.nodes[edge.target]) for edge in graph.edges_named(node, "narrower"))
    return graph.degree(node) - narrower + 1


def alias_groups(graph: Graph, node: str) -> AliasGroups:
    """Return the grouped aliases of an entity."""
    if node not in graph.aliases:
        return NO_ALIASES
    if node not in graph.alias_groups:
        graph.alias_groups[node] = _grouped(graph.aliases[node], narrower=is_narrower(graph.nodes[node]))
    return graph.alias_groups[node]


def _grouped(aliases: Iterable[Alias], *, narrower: bool) -> AliasGroups:
    shown: list[Alias] = []
    texts: dict[str, list[str]] = {name: [] for name in ("exact", "short", HIDDEN, NEAR)}
    for alias in aliases:
        if alias.kind in (HIDDEN, NEAR):
            texts[alias.kind].append(alias.text)
            continue
        shown.append(alias)
        is_of_source = narrower and alias.sources != EDITORS
        short = is_of_source and len(NOT_A_LETTER.sub("", alias.text)) <= MAX_SHORT_FORM
        texts["short" if short else "exact"].append(alias.text)
    return AliasGroups(tuple(shown), **{name: tuple(group) for name, group in texts.items()})
