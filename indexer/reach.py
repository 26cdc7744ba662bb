"""An entity's strongest edges in a form that paths through the graph are found from, in few and small reads. Pure.

The value is packed JSON: `{"grounds": [[basis, sources], …], "edges": {name: [total, [[target, weight, back, ground],
…]]}, "heir_of": [id, …]}`, best first, where `heir_of` are those from whom it inherits the rest.
`total` counts all edges of that name, `back` those that lead to the target under the inverse name,
and `ground` is a place in `grounds`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.deflated import deflated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.graph import Graph
    from indexer.vocabulary import Vocabulary

WIDEST = 200  # edges of each name; only abilities, which hundreds of jobs ask for, have more


def reach(graph: Graph, vocabulary: Vocabulary, node: str, speaking: Sequence[str] = ()) -> str:
    """The strongest edges of each name that leave `node`, as base64 of deflated JSON."""
    grounds: dict[tuple[str, tuple[str, ...]], int] = {}
    found: dict[str, Any] = {}
    for name, edges in graph.edges.get(node, {}).items():
        inverse = vocabulary.edges[name].inverse
        items = [
            (
                edge.target,
                edge.weight,
                len(graph.of(edge.target, inverse)),
                grounds.setdefault((edge.basis, edge.sources), len(grounds)),
            )
            for edge in edges[:WIDEST]
        ]
        found[name] = (len(edges), items)
    return deflated({"grounds": list(grounds), "edges": found, **({"heir_of": speaking} if speaking else {})})
