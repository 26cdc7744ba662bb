"""What the editors say beyond the sources: what matters most, what is tried first, what is for few. Pure.

Sources list solutions without an order of their own, alphabetically or by kind. These judgements give them one; they
add no solution, and each is marked `editorial` where answers show it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.rows import Content


@dataclass(frozen=True, slots=True)
class Guidance:
    """`main[condition]` are its main needs, `first[need, solution]` is 1 or 0.5, `made_for[solution]` says for whom.

    `whole[seed][solution]` is what is tried first for a condition, whichever of its needs is meant, or for a limitation
    under which no source lists anything.
    """

    main: Mapping[str, frozenset[str]] = field(default_factory=dict)
    first: Mapping[tuple[str, str], float] = field(default_factory=dict)
    made_for: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    whole: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @staticmethod
    def of(content: Content) -> Guidance:
        """Gather the rows."""
        main: defaultdict[str, set[str]] = defaultdict(set)
        made_for: defaultdict[str, list[str]] = defaultdict(list)
        for one in content.main_needs:
            main[one.disability].add(one.need)
        for row in content.made_for:
            made_for[row.solution].append(row.whom)
        headings = {row.via for row in content.recommendations}
        choices: dict[tuple[str, str], float] = {}
        whole: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for choice in content.first_choices:
            if choice.need in headings:
                choices[choice.need, choice.solution] = choice.strength
            else:
                whole[choice.need][choice.solution] = choice.strength
        return Guidance(
            main={disability: frozenset(needs) for disability, needs in main.items()},
            first=choices,
            made_for={solution: tuple(sorted(whom)) for solution, whom in made_for.items()},
            whole=dict(whole),
        )
