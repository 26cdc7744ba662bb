"""One word in a large release: the best hits are asked for apart from how many there are. Pure.

To count by type, the engine looks at every entity that has the word. To rank alone it can pass over those that cannot
be among the best any more, a hundred and more at a time, where it knows how many points there can be: from features
that say so block by block, in an index that is sorted by them, and from clauses that are `exact`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api import queries
from api.exact import exact
from api.prepared import POPULAR
from api.release import Answer
from api.rules import fired

if TYPE_CHECKING:
    from collections.abc import Mapping

    from api.release import Release

Body = dict[str, Any]

SINCE = 25  # the version of documents from which on releases are sorted, and have points in this form
LARGE = 50_000  # entities; in smaller releases a second search takes longer than it saves
POINTS: list[Body] = [POPULAR, {"rank_feature": {"field": "standing", "linear": {}}}]
APART = ("sort", "aggs")  # equals come as the index is sorted: to ask for that is to look at all of them


def fits(release: Release | None) -> bool:
    """Whether a release can be asked like this, and is large enough for it."""
    if release is None or release.documents_version < SINCE:
        return False
    return sum(release.counts["types"].values()) >= LARGE


def worth(ask: queries.Search, release: Release | None) -> bool:
    """Whether a search of this release is better asked in two parts."""
    return fits(release) and queries.one_word(queries.looked_at(ask.query))


def ruled(ask: queries.Search, release: Release | None) -> bool:
    """Whether a synonym rule of the release acts on what is asked."""
    return release is not None and queries.rules_apply(ask) and bool(fired(ask.query, release.rules))


def bodies(body: Mapping[str, Any], word: str, *, ruled: bool) -> tuple[Body, Body]:
    """The two parts of a search for a word: what ranks its hits, and what counts them. `ruled`: a rule acts on it."""
    found = body["query"]["function_score"]["query"]["bool"]
    ranked: Body = {name: part for name, part in body.items() if name not in APART}
    ranked |= {
        "track_total_hits": False,
        "query": {"bool": {**found, "must": exact(found["must"], word, ruled=ruled), "should": POINTS}},
    }
    filtered = [found["must"], *found.get("filter", ())]
    counted: Body = {name: body[name] for name in ("track_total_hits", "aggs", "post_filter") if name in body}
    return ranked, counted | {"size": 0, "query": {"bool": {"filter": filtered}}}


def joined(ranked: Answer, counted: Answer) -> Answer:
    """The answers to both as the answer to one search."""
    hits = {**ranked.body["hits"], "total": counted.body["hits"]["total"]}
    return Answer({**counted.body, **ranked.body, "hits": hits}, ranked.release)
