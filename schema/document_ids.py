"""Kinds of documents in an index, their `_id`s, and names of index fields.

Several kinds share one index, distinguished by the field `doc` (docs/decisions/0002 says why edges are on pages).
"""

ENTITY = "entity"  # what search matches, with the facts of an entity; `_id` is its id
EDGES = "edges"  # a page of edges of one name: `schema.edge_documents`
MOVED = "moved"  # where a retired id went; `_id` is the retired id
GUIDE = "guide"  # a guide to process words; `_id` is `guide/` and its id
CRISIS_GUIDE = "crisis"  # the kind of a guide that says whom to call
EXPORT = "export"  # the list of downloadable files, or a chunk of one
# What a release stores about itself.
FINGERPRINTS = "ledger"  # what a later release is compared by
CHANGES = "changes"  # the differences from the release before
DIGESTS = "digests"  # the digest of each document, by which an incremental build knows it
METADATA_PREFIXES = (CHANGES, f"{FINGERPRINTS}/", f"{DIGESTS}/")


def chunk_id(file: str, number: int) -> str:
    """Return the `_id` of a chunk of a downloadable file."""
    return f"{EXPORT}/{file}/{number}"


def metadata_id(kind: str, number: int) -> str:
    """Return the `_id` of one of the documents that hold the fingerprints or digests of a release."""
    return f"{kind}/{number}"


MAX_PREFIX_LENGTH = 20  # letters and digits of a name
WITH_RULES = "_with_rules"  # ends the names of analyzers that apply synonym rules

# The prior of an entity is added to the score of any match. The score of a good phrase is 10–20.
ASSISTIVE_BOOST = 128.0  # "air purifier": the solution, then assistive products, then the 93 on sale
# What a person lives with comes before what helps, and that before what can be bought.
TYPE_BOOSTS = {"disability": 96.0, "limitation": 96.0, "workrelatedfunction": 96.0, "solution": 64.0}
POPULARITY_BOOST = 8.0  # at most
POPULARITY_PIVOT = 40  # edges with which it is half: between a usual product (2) and a usual solution (60)
