"""Groups the aliases of an entity by how they match and whether they are shown.

* `shown`: what people may read, in lists and reasons
* `exact`: what search matches like a name; short forms of narrower conditions are not among them
* `short`: up to four letters that abbreviate a narrower condition: ambiguous, so matched below every other alias
* `hidden`: hurtful or outdated words that people still type: matched as whole names, never shown
* `near`: what a source calls broader, narrower or related: matched only as words in text, never shown
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.graph.model import AliasGroups, is_narrower

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.content.rows import Alias
    from indexer.graph.model import Graph

HIDDEN, NEAR = "hidden", "near"
MAX_SHORT_FORM = 4  # letters and digits; "CMT2" means one condition, "AS" and "PMS" mean many things
NOT_A_LETTER = re.compile(r"[\W_]")
NO_ALIASES = AliasGroups((), (), (), (), ())  # true of nine entities in ten


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
        short = narrower and len(NOT_A_LETTER.sub("", alias.text)) <= MAX_SHORT_FORM
        texts["short" if short else "exact"].append(alias.text)
    return AliasGroups(tuple(shown), **{name: tuple(group) for name, group in texts.items()})
