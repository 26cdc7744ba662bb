"""What sources list, as values of one release: conditions with their edges, needs with their solutions, solutions.

A *need* is a limitation or a work-related function. Its rate for a solution is the share of the condition pages with
this need that list the solution under it, from 0 to 1. Statements about school have weights in (0, 1].
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from api.engine.release import Hit
from schema.edge_documents import NestedEdge
from schema.json_types import JsonObject

NEED_ONLY_FACTOR = 0.5  # named for a limitation of the condition, but not for the condition
STATED = ("has_limitation", "affects")
LISTED = ("source", "editorial")  # the bases of what is listed under a need
Edges = Mapping[str, Sequence[NestedEdge]]  # of one entity by name, in order


class ListOwner(NamedTuple):
    """An entity whose lists another one uses: `relation` is narrower, broader or similar, `similarity` at most 1."""

    id: str
    name: str
    relation: str
    similarity: float = 1.0

    @staticmethod
    def parse(document: Mapping[str, Any]) -> tuple["ListOwner", ...]:
        """Return the owners that the document of an entity names."""
        return tuple(ListOwner(**owner) for owner in document.get("inherits", ()))


class SchoolStatement(NamedTuple):
    """A solution is named for school or testing."""

    weight: float
    basis: str
    sources: Sequence[str]


def _school_statements(edges: Iterable[NestedEdge]) -> dict[str, SchoolStatement]:
    return {
        edge["target"]: SchoolStatement(edge["school_weight"], edge["school_basis"], edge["school_sources"])
        for edge in edges
        if "school_weight" in edge
    }


class SimilarLimitation(NamedTuple):
    """A limitation that limits much the same abilities, from 0 to 1, and the nearest common ancestor of the two."""

    id: str
    similarity: float
    common_ancestor: str


@dataclass(frozen=True, slots=True)
class Need:
    """A limitation or function. `first_choices` are those under this need, `own_choices` those of a need without lists.

    `specificity` is ln(1 + conditions ÷ conditions listed under it), `rarity` the same of the conditions that have it.
    """

    card: JsonObject
    sources: Sequence[str]
    specificity: float
    conditions: int
    rarity: float
    similar: Sequence[SimilarLimitation]
    inherits: Sequence[ListOwner]
    own_choices: Mapping[str, float]
    rates: Mapping[str, float]
    first_choices: Mapping[str, float]
    school: Mapping[str, SchoolStatement]
    limits: Mapping[str, tuple[float, str]]  # ability → strength and name
    editorial: frozenset[str] = frozenset()  # solutions that only the editors list

    @staticmethod
    def parse(hit: Hit, edges: Edges) -> "Need":
        """Read a need from its document and its edges `recommends` and `limits`."""
        document, recommended = hit.document, edges.get("recommends", ())
        listed = [edge for edge in recommended if "pages" in edge]
        conditions = document["listing_conditions"]
        return Need(
            card=hit.card,
            sources=hit.sources,
            specificity=document["specificity"],
            conditions=conditions,
            rarity=document.get("rarity", 0.0),
            similar=[SimilarLimitation(**similar) for similar in document.get("similar_limitations", ())],
            inherits=ListOwner.parse(document),
            own_choices=first_choices(document),
            rates={edge["target"]: edge["pages"] / conditions for edge in listed},
            first_choices={edge["target"]: edge["first_choice"] for edge in listed if "first_choice" in edge},
            school=_school_statements(recommended),
            limits={edge["target"]: (edge["weight"], edge["target_name"]) for edge in edges.get("limits", ())},
            editorial=_editorial(listed),
        )


def _editorial(listed: Iterable[NestedEdge]) -> frozenset[str]:
    return frozenset(edge["target"] for edge in listed if edge["basis"] == "editorial")


def first_choices(document: Mapping[str, Any], setting: str | None = None) -> dict[str, float]:
    """Return the first choices for an entity itself, whatever the need: those for one setting, or those for any."""
    return {
        choice["solution"]: choice["strength"]
        for choice in document.get("first_choices", ())
        if (setting in choice["settings"] if "settings" in choice else setting is None)
    }


def choices_by_setting(document: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the first choices for an entity itself that hold in one setting only, by setting."""
    settings = {setting for choice in document.get("first_choices", ()) for setting in choice.get("settings", ())}
    return {setting: first_choices(document, setting) for setting in settings}


@dataclass(frozen=True, slots=True)
class Solution:
    """A solution. The rarities are from 0, listed for every condition, to 1; `made_for` are those it is intended for.

    A modification changes what is taught or expected; it applies only to entities for which it is named. It serves
    `sides` of needs, `worsens` others, and is wrong for `opposed_sides`; `not_for` and `cautions` are rows of guidance.
    """

    card: JsonObject
    sources: Sequence[str]
    rarity: float
    school_rarity: float
    settings: Sequence[str]
    made_for: Sequence[str]
    is_modification: bool
    sides: Sequence[str] = ()
    worsens: Sequence[str] = ()
    opposed_sides: Sequence[str] = ()
    not_for: Sequence[JsonObject] = ()
    cautions: Sequence[JsonObject] = ()

    @staticmethod
    def parse(hit: Hit) -> "Solution":
        """Read a solution from its document."""
        document = hit.document
        return Solution(
            hit.card,
            hit.sources,
            document["rarity"],
            document["school_rarity"],
            document["settings"],
            document["made_for"],
            document["is_modification"],
            *(document.get(name, ()) for name in ("sides", "worsens", "opposed_sides", "not_for", "cautions")),
        )


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition with its edges `has_limitation`, `affects` and `recommends`.

    `inherits` names the conditions whose lists it uses because sources state nothing about it.
    """

    card: JsonObject
    sources: Sequence[str]
    inherits: Sequence[ListOwner]
    ancestors: Sequence[str]
    main_needs: frozenset[str]
    own_choices: Mapping[str, float]
    edges: Edges
    choices_by_setting: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    listed: Mapping[str, Sequence[str]] = field(default_factory=dict)  # solution → needs under which it is listed
    school: Mapping[str, SchoolStatement] = field(default_factory=dict)
    limitations: Sequence[str] = ()  # by id
    editorial: frozenset[str] = frozenset()  # solutions that only the editors list

    @staticmethod
    def parse(hit: Hit, edges: Edges) -> "Condition":
        """Read a condition from its document and its edges."""
        document, recommended = hit.document, edges.get("recommends", ())
        listed = [edge for edge in recommended if edge["basis"] in LISTED and "via" in edge]
        return Condition(
            card=hit.card,
            sources=hit.sources,
            inherits=ListOwner.parse(document),
            ancestors=document.get("ancestors", ()),
            main_needs=frozenset(document.get("main_needs", ())),
            own_choices=first_choices(document),
            edges=edges,
            choices_by_setting=choices_by_setting(document),
            listed={edge["target"]: edge["via"] for edge in listed},
            editorial=_editorial(listed),
            school=_school_statements(recommended),
            limitations=sorted(edge["target"] for edge in edges.get("has_limitation", ())),
        )

    @property
    def stated_needs(self) -> list[str]:
        """The limitations, then the functions, each in the order of its edges."""
        return [edge["target"] for name in STATED for edge in self.edges.get(name, ())]


@dataclass(frozen=True, slots=True)
class Listings:
    """The conditions, needs and solutions that one response depends on, by id."""

    conditions: Mapping[str, Condition]
    needs: Mapping[str, Need]
    solutions: Mapping[str, Solution]

    def school_solutions(self, entity: str) -> list[str]:
        """Return all solutions named at school for the entity or, if it is a condition, for one of its limitations."""
        condition = self.conditions.get(entity)
        if condition is None:
            return sorted(self.needs[entity].school)
        for_needs = {solution for need in condition.limitations for solution in self.needs[need].school}
        applicable = {solution for solution in for_needs if not self.solutions[solution].is_modification}
        return sorted(condition.school.keys() | applicable)

    def school_weights(self, entity: str, solution: str) -> dict[str, float]:
        """Return the needs of an entity that the solution answers at school, with weights.

        A condition is its own need if the solution is named for it as a whole. Its limitations count if the solution
        is named for them too, or listed for work.
        """
        condition = self.conditions.get(entity)
        if condition is None:
            statement = self.needs[entity].school.get(solution)
            return {entity: statement.weight} if statement else {}
        direct = condition.school.get(solution)
        needs = condition.limitations
        named = {need: row.weight for need in needs if (row := self.needs[need].school.get(solution))}
        if direct is None:
            return {need: weight * NEED_ONLY_FACTOR for need, weight in named.items()}
        listed = {need: direct.weight for need in needs if solution in self.needs[need].rates}
        return {entity: direct.weight} | {need: max(direct.weight, weight) for need, weight in (listed | named).items()}
