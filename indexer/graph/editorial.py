"""Editorial choices: main needs, first choices, and for whom a solution is intended.

Sources list solutions alphabetically or by kind. The editors' choices give them an order; they add no solution, and
results mark each as `editorial`.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.content.rows import Content


@dataclass(frozen=True, slots=True)
class EditorialChoices:
    """`main_needs[condition]`, `first_choices_by_need[need, solution]` (1 or 0.5) and `intended_for[solution]`.

    `first_choices_by_seed[seed][solution]` has the first choices for a condition regardless of the need, or for a
    limitation under which no source lists anything.
    """

    main_needs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    first_choices_by_need: Mapping[tuple[str, str], float] = field(default_factory=dict)
    intended_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first_choices_by_seed: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @staticmethod
    def from_content(content: Content) -> EditorialChoices:
        """Collect the rows."""
        main_needs: defaultdict[str, set[str]] = defaultdict(set)
        intended_for: defaultdict[str, list[str]] = defaultdict(list)
        for row in content.main_needs:
            main_needs[row.disability].add(row.need)
        for intent in content.made_for:
            intended_for[intent.solution].append(intent.audience)
        headings = {row.via for row in content.recommendations}
        by_need: dict[tuple[str, str], float] = {}
        by_seed: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for choice in content.first_choices:
            if choice.need in headings:
                by_need[choice.need, choice.solution] = choice.strength
            else:
                by_seed[choice.need][choice.solution] = choice.strength
        return EditorialChoices(
            main_needs={disability: frozenset(needs) for disability, needs in main_needs.items()},
            first_choices_by_need=by_need,
            intended_for={solution: tuple(sorted(groups)) for solution, groups in intended_for.items()},
            first_choices_by_seed=dict(by_seed),
        )
