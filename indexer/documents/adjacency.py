"""Packs an entity's strongest edges, so that path search needs few and small reads.

The value is packed JSON: `{"grounds": [[basis, sources], …], "edges": {name: [total, [[target, weight, back, ground],
…]]}, "inheritance_sources": [id, …]}`, best first, with the conditions from which the entity inherits.
`total` counts all edges of that name, `back` those that lead to the target under the inverse name,
and `ground` is an index of `grounds`.
"""

from collections.abc import Sequence

from indexer.graph.model import Graph
from schema.codec import pack
from schema.vocabulary import Vocabulary

MAX_EDGES = 200  # of each name; only abilities, which hundreds of jobs require, have more


def pack_adjacency(graph: Graph, vocabulary: Vocabulary, node: str, inheritance_sources: Sequence[str] = ()) -> str:
    """Return the strongest edges of each name that leave `node`, as base64 of deflated JSON."""
    grounds: dict[tuple[str, tuple[str, ...]], int] = {}
    packed_edges: dict[str, object] = {}
    for name, edges in graph.edges.get(node, {}).items():
        inverse = vocabulary.edges[name].inverse
        items = [
            (
                edge.target,
                edge.weight,
                len(graph.edges_named(edge.target, inverse)),
                grounds.setdefault((edge.basis, edge.sources), len(grounds)),
            )
            for edge in edges[:MAX_EDGES]
        ]
        packed_edges[name] = (len(edges), items)
    inherited = {"inheritance_sources": inheritance_sources} if inheritance_sources else {}
    return pack({"grounds": list(grounds), "edges": packed_edges, **inherited})
