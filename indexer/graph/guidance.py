"""What keeps answers safe, resolved for each entity: the sides that trouble people, exclusions and cautions.

A condition inherits the sides and cautions of broader ones; its own rows for the same group of opposite sides win.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from indexer.content.guidance_rows import Caution, ConditionSide, Guidance, JobRule, NeedSide
from indexer.content.rows import Entity
from indexer.graph.hierarchy import Hierarchy
from schema.entity_kinds import HARMFUL, JOBS, NEED_TYPES, ONLY
from schema.exact_keys import name_form
from schema.json_types import JsonObject
from schema.text import tokens

OCCUPATION = "occupation"
UNKNOWN = "unknown"  # a date


@dataclass(frozen=True, slots=True)
class GuidanceIndex:
    """The rows of `guidance` by the entity they are about. `sides` has the first row of each side."""

    guidance: Guidance = field(default_factory=Guidance)
    hierarchy: Hierarchy = field(default_factory=lambda: Hierarchy({}, {}, {}))
    sides: Mapping[str, NeedSide] = field(default_factory=dict)
    sides_of_need: Mapping[str, tuple[NeedSide, ...]] = field(default_factory=dict)
    sides_of_condition: Mapping[str, tuple[ConditionSide, ...]] = field(default_factory=dict)
    served: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by solution
    worsened: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @staticmethod
    def of(guidance: Guidance, hierarchy: Hierarchy) -> "GuidanceIndex":
        """Group the rows."""
        of_need: defaultdict[str, list[NeedSide]] = defaultdict(list)
        of_condition: defaultdict[str, list[ConditionSide]] = defaultdict(list)
        served: defaultdict[str, set[str]] = defaultdict(set)
        worsened: defaultdict[str, set[str]] = defaultdict(set)
        sides: dict[str, NeedSide] = {}
        for need_side in guidance.need_sides:
            of_need[need_side.need].append(need_side)
            sides.setdefault(need_side.side, need_side)
        for condition_side in guidance.condition_sides:
            of_condition[condition_side.disability].append(condition_side)
        for row in guidance.solution_sides:
            served[row.solution].update(row.serves)
            worsened[row.solution].update(row.worsens)
        return GuidanceIndex(
            guidance,
            hierarchy,
            sides,
            {need: tuple(rows) for need, rows in of_need.items()},
            {condition: tuple(rows) for condition, rows in of_condition.items()},
            {solution: frozenset(names) for solution, names in served.items()},
            {solution: frozenset(names) for solution, names in worsened.items()},
        )

    def axis(self, side: str) -> str:
        """Return the name of a side and its opposites together: the first of them."""
        return min((side, *self.sides[side].opposites))

    def opposed(self, solution: str) -> set[str]:
        """Return the sides for which a solution is wrong: what it makes worse, and the opposites of what it serves."""
        served = self.served.get(solution, frozenset())
        opposites = {opposite for side in served for opposite in self.sides[side].opposites}
        return (opposites - served) | self.worsened.get(solution, frozenset())

    def troubles(self, entity: Entity) -> list[JsonObject]:
        """Return the sides that trouble people with a condition, or the only side of a need."""
        if entity.type in NEED_TYPES:
            rows = self.sides_of_need.get(entity.id, ())
            return [{"need": entity.id, "side": row.side, "occurs": ONLY} for row in rows] if len(rows) == 1 else []
        levels = [[entity.id], *self.hierarchy.ancestors(entity.id)] if entity.type == "disability" else []
        found: dict[str, list[ConditionSide]] = {}
        for level in levels:
            at_level: defaultdict[str, list[ConditionSide]] = defaultdict(list)
            for condition in level:
                for row in self.sides_of_condition.get(condition, ()):
                    at_level[self.axis(row.side)].append(row)
            found = {**at_level, **found}
        unique = {(row.need, row.side): row for rows in found.values() for row in rows}
        return [{"need": row.need, "side": row.side, "occurs": row.occurs} for row in unique.values()]

    def facts(self, entity: Entity) -> JsonObject:
        """Return the fields of the document of an entity; most have none."""
        troubles = self.troubles(entity)
        facts: JsonObject = {
            "troubles": troubles,
            "only_sides": [row["side"] for row in troubles if row["occurs"] == ONLY],
            "cautions": list(self._cautions(entity)),
        }
        if entity.type == "solution":
            facts["sides"] = sorted(self.served.get(entity.id, ()))
            facts["worsens"] = sorted(self.worsened.get(entity.id, ()))
            facts["opposed_sides"] = sorted(self.opposed(entity.id))
            facts["not_for"] = [
                {
                    "concerns": list(row.concerns),
                    "effect": row.effect or HARMFUL,
                    "reason": row.reason,
                    "page": row.page or None,
                }
                for row in self.guidance.exclusions
                if row.solution == entity.id
            ]
        elif entity.type in NEED_TYPES:
            facts["sides"] = [row.side for row in self.sides_of_need.get(entity.id, ())]
        return {name: value for name, value in facts.items() if value}

    def words(self, entity: Entity) -> Iterator[tuple[str, str]]:
        """Yield what people type for the sides that a need has or a solution serves, each with the side."""
        own = self.sides_of_need.get(entity.id, ())
        yield from ((word, row.side) for row in own for word in row.words)
        served = self.served.get(entity.id, ())
        yield from ((word, row.side) for row in self.guidance.need_sides if row.side in served for word in row.words)

    def shown_sides(self, entity: Entity) -> dict[str, str]:
        """Return the label of each side for which people have words, of those that a need has or a solution serves."""
        return {side: self.sides[side].label for _, side in self.words(entity)}

    def opposed_words(self, solution: str) -> list[str]:
        """Return what people type for the sides for which a solution is wrong."""
        opposed = self.opposed(solution)
        return [word for row in self.guidance.need_sides if row.side in opposed for word in row.words]

    def _cautions(self, entity: Entity) -> Iterator[JsonObject]:
        """Yield the cautions of a solution; for other types those that apply whatever the solution."""
        related = {entity.id, *(node for level in self.hierarchy.ancestors(entity.id) for node in level)}
        for row in self.guidance.cautions:
            wanted = row.solution == entity.id if entity.type == "solution" else self._applies(row, entity, related)
            if wanted:
                yield _caution(row, row.severity, row.concerns)
        for rule in self.guidance.job_rules if entity.type == OCCUPATION else ():
            if any(entity.id.startswith(JOBS + code) for code in rule.occupations):
                yield _caution(rule, "must", rule.concerns)

    @staticmethod
    def _applies(row: Caution, entity: Entity, related: Iterable[str]) -> bool:
        jobs = tuple(one for one in row.concerns if one.startswith(JOBS))
        if row.solution or (jobs and entity.type != OCCUPATION):
            return False
        return entity.id.startswith(jobs) if jobs else not set(row.concerns).isdisjoint(related)

    def side_facts(self) -> dict[str, JsonObject]:
        """Return the label and the axis of each side, as a release stores them."""
        return {side: {"label": row.label, "axis": self.axis(side)} for side, row in self.sides.items()}

    def side_words(self) -> list[JsonObject]:
        """Return the forms of what people type for the sides of each need, as a release stores them."""
        return [
            {"need": row.need, "side": row.side, "forms": [name_form(tokens(word)) for word in row.words]}
            for row in self.guidance.need_sides
            if row.words
        ]


def _caution(row: Caution | JobRule, severity: str, concerns: Iterable[str]) -> JsonObject:
    dates = {name: None if value == UNKNOWN else value for name, value in (("as_of", row.as_of), ("read", row.read))}
    return {
        "text": row.text,
        "severity": severity,
        "concerns": list(concerns),
        "source": {"title": row.source_title, "url": row.source_url, **dates},
    }
