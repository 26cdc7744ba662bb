"""What keeps an answer safe: which solutions are wrong for whom, and the cautions that concern them.

A side of a need is what troubles a person: heat or cold, bright light or too little of it. Sides that exclude each
other have the same axis.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from api.engine.release import Side
from api.graph.listings import Solution
from schema.entity_kinds import ACUTE, HARMFUL, JOBS, ONLY
from schema.json_types import JsonObject

MUST, SHOULD = "must", "should"
GUIDANCE_NOTE = (
    "The editors of this service wrote the cautions and decided what is left out. "
    "No clinician or lawyer has reviewed them."
)


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom an answer is for: an entity by name, with its id and those of broader ones, and its needs.

    `only` are the sides that trouble people with it, `usual` those that do more often than their opposites. A subject
    that `is_named` by a side, such as "too hot", is about that side alone.
    """

    name: str
    ids: frozenset[str]
    needs: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    usual: frozenset[str] = frozenset()
    is_named: bool = False

    @staticmethod
    def parse(
        card: Mapping[str, Any], document: Mapping[str, Any], needs: Iterable[str] = (), named: str | None = None
    ) -> "Subject":
        """Read the document of an entity. `named` is the side by which a request names it."""
        troubles = document.get("troubles", ())
        return Subject(
            card["name"],
            frozenset((card["id"], *document.get("ancestors", ()))),
            frozenset(needs),
            frozenset([named] if named else (one["side"] for one in troubles if one["occurs"] == ONLY)),
            frozenset() if named else frozenset(one["side"] for one in troubles if one["occurs"] != ONLY),
            bool(named),
        )


@dataclass(frozen=True)
class Guidance:
    """What the subjects of one answer need to be safe."""

    subjects: Sequence[Subject]
    sides: Mapping[str, Side]

    @cached_property
    def _ids(self) -> frozenset[str]:
        """The ids of all subjects and broader ones: all solutions are compared with them."""
        return frozenset().union(*(subject.ids for subject in self.subjects))

    @cached_property
    def _jobs(self) -> frozenset[str]:
        """Those of jobs, which rows name by the beginning of their ids."""
        return frozenset(id_ for id_ in self._ids if id_.startswith(JOBS))

    @cached_property
    def _needs(self) -> frozenset[str]:
        return frozenset().union(*(subject.needs for subject in self.subjects))

    def reason_against(self, solution: Solution, listed_for: Sequence[Subject]) -> str | None:
        """Return why a solution is wrong; None if it is not.

        It is if it harms a subject, is excluded for a job, or makes a trouble worse, or if it is of no use to each
        subject in `listed_for` or serves another side than theirs.
        """
        if reason := self._exclusion(solution, listed_for):
            return reason
        if not solution.opposed_sides:
            return None
        conflicts = [(subject, self._conflict(solution, subject.only)) for subject in self.subjects]
        found = [(subject, side) for subject, side in conflicts if side]
        worse = [(subject, side) for subject, side in found if side in solution.worsens]
        if worse:
            return self._side_reason(solution, *worse[0])
        if found and {subject for subject, _ in found}.issuperset(listed_for):
            return self._side_reason(solution, *found[0])
        return None

    def _exclusion(self, solution: Solution, listed_for: Sequence[Subject]) -> str | None:
        """Return the reason of the exclusion that applies. A job lists nothing, so its exclusions always do."""
        named = [row for row in solution.not_for if self.is_named(row["concerns"])]
        if not named:
            return None
        always = [row for row in named if self._applies_to_all(row)]
        if not always and not all(
            any(_any_concerns(row["concerns"], subject.ids) for row in named) for subject in listed_for
        ):
            return None
        return next((row["reason"] for row in (*always, *named)), None)

    def _applies_to_all(self, row: Mapping[str, Any]) -> bool:
        """Return whether an exclusion is of harm or for a job. Older releases do not tell: harm."""
        jobs = [one for one in row["concerns"] if one.startswith(JOBS)]
        return row.get("effect", HARMFUL) == HARMFUL or self.is_named(jobs)

    def reasons_against(
        self, solutions: Mapping[str, Solution], listed_for: Mapping[str, Sequence[Subject]]
    ) -> dict[str, str]:
        """Return why each solution that is wrong is, by id."""
        found = ((id_, self.reason_against(one, listed_for[id_])) for id_, one in solutions.items())
        return {id_: reason for id_, reason in found if reason}

    def other_side(self, solution: Solution) -> str | None:
        """Return a caution for a solution that helps with the less usual side; None if there is none."""
        if not solution.opposed_sides:
            return None
        named = {self.sides[side].axis for subject in self.subjects if subject.is_named for side in subject.only}
        for subject in self.subjects:
            usual = {side for side in subject.usual if self.sides[side].axis not in named}
            if side := self._conflict(solution, usual):
                served = self._served(solution, side)
                purpose = (
                    f"and this is for {served}; ask which of them it is" if served else "and this can make it worse"
                )
                return f"{subject.name}: {self.sides[side].label} is the more usual trouble, {purpose}."
        return None

    def cautions_of(self, solution: Solution) -> list[JsonObject]:
        """Return the cautions of a solution that concern a subject or one of its needs."""
        return [row for row in solution.cautions if self._is_concerned(row)]

    def is_named(self, concerns: Iterable[str]) -> bool:
        """Return whether any of these is a subject, or broader than one."""
        return not self._ids.isdisjoint(concerns) or (bool(self._jobs) and _any_concerns(concerns, self._jobs))

    def _is_concerned(self, row: Mapping[str, Any]) -> bool:
        """Return whether a row concerns a subject or one of its needs."""
        return self.is_named(row["concerns"]) or _any_concerns(row["concerns"], self._needs)

    def _conflict(self, solution: Solution, troubles: Iterable[str]) -> str | None:
        """Return the side for which a solution is wrong, unless it serves another side of the same axis."""
        troubles = frozenset(troubles)
        served = {self.sides[side].axis for side in troubles.intersection(solution.sides)}
        wrong = sorted(troubles.intersection(solution.opposed_sides))
        return next((side for side in wrong if self.sides[side].axis not in served), None)

    def _side_reason(self, solution: Solution, subject: Subject, side: str) -> str:
        label = self.sides[side].label
        trouble = f"you named {label}" if subject.is_named else f"{label} is the trouble with {subject.name}"
        if side in solution.worsens:
            return f"Can make it worse: {trouble}."
        return f"It is for {self._served(solution, side)}, but {trouble}."

    def _served(self, solution: Solution, side: str) -> str:
        axis = self.sides[side].axis
        return " or ".join(self.sides[one].label for one in solution.sides if self.sides[one].axis == axis)


def reasons_for(subject: Subject, solutions: Mapping[str, Solution], sides: Mapping[str, Side]) -> dict[str, str]:
    """Return why each solution that is wrong for the only subject is, by id; all of them are listed for it."""
    return Guidance([subject], sides).reasons_against(solutions, {id_: [subject] for id_ in solutions})


def _any_concerns(concerns: Iterable[str], ids: frozenset[str]) -> bool:
    """Return whether any of these is among the ids; jobs are named by the beginning of their ids."""
    return not ids.isdisjoint(concerns) or any(
        id_.startswith(one) for one in concerns if one.startswith(JOBS) for id_ in ids
    )


def left_out(solutions: Mapping[str, Solution], reasons: Mapping[str, str]) -> list[JsonObject]:
    """Return the solutions that are wrong, each with its reason, as responses send them."""
    return [{"entity": solutions[id_].card, "reason": reason} for id_, reason in reasons.items()]


def opposite_labels(first: Iterable[str], second: Iterable[str], sides: Mapping[str, Side]) -> tuple[str, str] | None:
    """Return the labels of opposite sides, one that troubles only the first, one only the second; None without any."""
    of_first, of_second = frozenset(first), frozenset(second)
    shared = {sides[side].axis for side in of_first & of_second}
    for side in sorted(of_first - of_second):
        for other in sorted(of_second):
            if sides[side].axis == sides[other].axis and sides[side].axis not in shared:
                return sides[side].label, sides[other].label
    return None


def caution(row: Mapping[str, Any], cards: Mapping[str, JsonObject]) -> JsonObject:
    """Return a caution as responses send it. `cards` are those of what rows concern, by id or beginning of an id."""
    return {
        "text": row["text"],
        "severity": row["severity"],
        "about": [cards[one] for one in row["concerns"] if one in cards],
        "source": row.get("source"),
    }


def is_acute(document: Mapping[str, Any]) -> bool:
    """Return whether this is a condition that comes suddenly and needs medical help at once."""
    return {"name": "course", "value": ACUTE} in document.get("attributes", ())


def acute_caution(card: JsonObject) -> JsonObject:
    """Return the caution of a condition with an acute course."""
    text = f"{card['name']} comes suddenly and needs medical help at once; what is listed is for the time after."
    return {"text": text, "severity": MUST, "about": [card], "source": None}


def entity_ids(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the ids of the entities that these rows concern, without repetition."""
    return list(dict.fromkeys(one for row in rows for one in row["concerns"] if not one.startswith(JOBS)))
