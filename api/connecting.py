"""How two entities are connected: three engine requests at most, whatever the size of the graph.

The first finds both ends and reads what is around them, the second reads what lies between where few short paths are
known by then, the third reads the names of what the answer shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from api import lookups, results
from api.chains import connection, namesakes, why_none
from api.paths import Around, Ends, Path, best
from api.places import Place, find_places
from api.results import Reply

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from api.engine import Engine
    from api.release import Answer, Release
    from api.vocabulary import Vocabulary

Body = dict[str, Any]
ENOUGH = 20  # paths of up to two steps, from which on no longer ones are looked for; also the largest limit
WIDTH = 100  # entities that are read between the ends for paths of three steps, and as many for four


@dataclass(frozen=True, slots=True)
class Between:
    """What a caller asks: two entities, each by id, key, slug, name or other name."""

    start: str
    end: str
    limit: int = 5


async def connections(engine: Engine, vocabulary: Vocabulary, ask: Between) -> Reply:
    """Short chains that join two entities, the most telling first."""

    def link(given: Mapping[str, str]) -> str:
        return f"/connections?{urlencode({**given, 'limit': ask.limit})}"

    places, release = await find_places(engine, vocabulary, {"from": ask.start, "to": ask.end}, link)
    start, end = places["from"], places["to"]
    around = await _around_ends(engine, (start, end), release)
    found = await _paths(engine, vocabulary.inverses, around, release) if len(around) == len(places) else []
    chosen = [_from(start, path, vocabulary.inverses) for path in best(found, ask.limit)]
    cards, sources = await _cards(engine, chosen, release)
    cards |= {place.card["id"]: place.card for place in (start, end)}
    shown = [connection(path, cards, vocabulary) for path in chosen]
    body: Body = {
        **{name: _shown(place) for name, place in places.items()},
        "results": shown,
        "reason": None if shown else why_none(start, end, around),
        **results.unpaged(len(found), ask.limit),
    }
    if warnings := [line for name, place in places.items() for line in namesakes(name, place)]:
        body["warnings"] = warnings
    sources += [source for path in chosen for step in path.links for source in step.sources]
    return Reply(body, release, [*start.sources, *end.sources, *sources])


async def _around_ends(engine: Engine, ends: Sequence[Place], release: Release) -> dict[str, Around]:
    """What is around each end; for a narrow condition one more request tells what it inherits."""
    own = {place.card["id"]: Around.of(place.reach) for place in ends}
    speakers = dict.fromkeys(one for around in own.values() for one in around.heir_of)
    if not speakers:
        return own
    answer = await engine.search(lookups.reaches_body(*speakers), of=release)
    spoken = _around(answer)
    return {
        node: around.inheriting([spoken[one] for one in around.heir_of if one in spoken])
        for node, around in own.items()
    }


def _shown(place: Place) -> Body:
    return {"given": place.given, "entity": place.card, "matched_by": place.matched_by}


def _from(start: Place, path: Path, inverses: Mapping[str, str]) -> Path:
    return path if path.nodes[0] == start.card["id"] else path.turned(inverses)


async def _paths(
    engine: Engine, inverses: Mapping[str, str], around: Mapping[str, Around], release: Release
) -> list[Path]:
    """All paths that one request finds, or none is needed for. Both directions start where there is less around."""
    (start, near), (end, far) = sorted(around.items(), key=lambda one: (len(one[1].links), one[0]))
    ends = Ends(start, end, near.links, far.links, inverses)
    short = ends.short()
    if len(short) >= ENOUGH or not near.links or not far.links:
        return short
    bodies = [
        lookups.beside_body(list(near.links), list(far.links), (start, end), WIDTH),
        lookups.between_body(list(near.links), list(far.links), (start, end), WIDTH),
    ]
    beside, between = await engine.search_all(bodies, of=release)
    both = near.links.keys() | far.links.keys()
    return [*short, *ends.long(_around(beside, far.links), _around(between, both))]


def _around(answer: Answer, wanted: Container[str] | None = None) -> dict[str, Around]:
    hits = answer.body["hits"]["hits"]
    return {results.card(hit)["id"]: Around.of(hit["fields"]["reach"][0], wanted) for hit in hits}


async def _cards(engine: Engine, chosen: Sequence[Path], release: Release) -> tuple[dict[str, Body], list[str]]:
    """The cards of what the paths pass through, and the sources that those rest on."""
    nodes = dict.fromkeys(node for path in chosen for node in path.nodes[1:-1])
    if not nodes:
        return {}, []
    answer = await engine.search(lookups.cards_body(*nodes), of=release)
    return {card["id"]: card for card in results.cards(answer)}, results.hit_sources(answer)
