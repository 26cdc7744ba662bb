"""An entity's other names by how they are matched and whether they are shown. Pure.

* `shown`: what people may read, in lists and reasons
* `exact`: what search matches like a name; the short forms of narrower conditions are not among them
* `short`: up to four letters that stand for a narrower condition: ambiguous, so matched below every other name
* `hidden`: hurtful or worn-out words that people still type: matched as whole names, never shown
* `near`: what a source calls broader, narrower or related: helps where words are looked for anywhere, never shown
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.heirs import is_narrower

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.graph import Graph
    from indexer.rows import Alias

HIDDEN, NEAR = "hidden", "near"
SHORT = 4  # letters and digits; "CMT2" stands for one condition, "AS" and "PMS" for many things
NO_LETTER = re.compile(r"[\W_]")


@dataclass(frozen=True, slots=True)
class OtherNames:
    """The other names of one entity, each kind in the order of the tables."""

    shown: tuple[Alias, ...]
    exact: tuple[str, ...]
    short: tuple[str, ...]
    hidden: tuple[str, ...]
    near: tuple[str, ...]


NONE = OtherNames((), (), (), (), ())  # of nine entities in ten


def other_names(graph: Graph, node: str) -> OtherNames:
    """The other names of an entity, sorted."""
    if node not in graph.aliases:
        return NONE
    if node not in graph.names:
        graph.names[node] = _sorted(graph.aliases[node], narrower=is_narrower(graph.nodes[node]))
    return graph.names[node]


def _sorted(found: Iterable[Alias], *, narrower: bool) -> OtherNames:
    shown: list[Alias] = []
    texts: dict[str, list[str]] = {name: [] for name in ("exact", "short", HIDDEN, NEAR)}
    for alias in found:
        if alias.kind in (HIDDEN, NEAR):
            texts[alias.kind].append(alias.text)
            continue
        shown.append(alias)
        short = narrower and len(NO_LETTER.sub("", alias.text)) <= SHORT
        texts["short" if short else "exact"].append(alias.text)
    return OtherNames(tuple(shown), **{name: tuple(listed) for name, listed in texts.items()})
