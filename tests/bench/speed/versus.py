"""The service beside what somebody would take instead: the same documents, the same queries, full pages everywhere."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

from api.quality import read_judgments
from api.results import VERSION
from speed import others
from speed.asking import JUDGMENTS
from speed.corpus import PAGE, documents, dump, full_pages
from speed.http1 import request
from speed.names import (
    CACHED,
    FLOOR,
    PEER_RECORD,
    PEER_SEARCH,
    PLAIN,
    PLAIN_CACHED,
    SQL_ROUTE,
    STAC,
    TABLE_ROUTE,
    UNCACHED,
)
from speed.questions import JSON, MOST, Question, evenly
from speed.racing import Contender, Race, judged, run, schedule
from speed.report import Does, Footprint, LeftOut, Peers
from speed.routes import started, taught
from speed.services import memory

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from speed.driver import Client
    from speed.engines import Engine
    from speed.racing import Pace
    from speed.services import Running

SQL = f"""
select e.id, e.type, e.name, e.card, bm25(entities_fts) as score, count(*) over () as total
from entities_fts join entities e on e.rowid = entities_fts.rowid
where entities_fts match escape_fts(:q) order by score limit {PAGE}
"""
SAYS = {
    UNCACHED: {
        PEER_SEARCH: "ranks in fifteen tiers, says of every hit why it is there, counts all hits and those of each "
        "type, names sources and release; its cache of answers is off",
        PEER_RECORD: "the record with sources and release; its cache of answers is off",
    },
    CACHED: {
        PEER_SEARCH: "the same, asked before",
        PEER_RECORD: "the same, asked before",
    },
    PLAIN: {
        PEER_SEARCH: "FastAPI, AsyncOpenSearch and orjson: the same request to the engine, cards and a total",
        PEER_RECORD: "FastAPI, AsyncOpenSearch and orjson: the same request to the engine, the record",
    },
    PLAIN_CACHED: {
        PEER_SEARCH: "the same, asked before: bytes out of a dict",
        PEER_RECORD: "the same, asked before: bytes out of a dict",
    },
    STAC: {
        PEER_SEARCH: "the words in any property, newest items first, a total, links of each item; the same engine",
        PEER_RECORD: "the item with the record in an asset; the same engine",
    },
    SQL_ROUTE: {
        PEER_SEARCH: "one SQL query: FTS5 with stems, ranked by BM25, a total; SQLite in its own process",
        PEER_RECORD: "one SQL query by the primary key",
    },
    TABLE_ROUTE: {
        PEER_SEARCH: "`_search` on the page of the table: FTS5, in the order of the rows, a total",
        PEER_RECORD: "the page of the row",
    },
    FLOOR: {PEER_SEARCH: "no server and no wire: parse, look, and join the cards in one thread, with a total"},
}


@dataclass(frozen=True, slots=True)
class Ask:
    """What all are asked: words, and entities by id, key and the id of their item."""

    queries: Sequence[str]
    ids: Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of it."""

    peers: list[Peers]
    memory: list[Footprint]
    left_out: list[LeftOut]


def measure(
    engine: Engine, client: Client, pace: Pace, progress: Callable[[str, int], Callable[..., None]]
) -> Measured:
    """Measure all that are installed."""
    found = others.versions()
    missing = [LeftOut(name, others.MISSING) for name in others.PACKAGES if name not in found]
    with tempfile.TemporaryDirectory(prefix="akg-bench-") as folder, ExitStack() as stack:
        step = progress("Peers", 2 + len(found))
        path = Path(folder) / "documents.ndjson"
        with engine.client as reading:
            dump(documents(reading, engine.alias), path)
        step()
        ask = _ask(path)
        step()
        running, contenders = _started(stack, engine, path, ask, found, step)
        paths = [*_searches(ask)[CACHED], *_records(ask)[CACHED]]
        taught(running, [Question("GET", path) for path in paths], plain_too=True)
        races = _races(client, running, contenders, ask)
        turns = run(races, pace, progress("Beside others", sum(1 for _ in schedule(races, pace))))
        held = [Footprint(name, "after all turns", *memory(one.pid).rounded) for name, one in running.items()]
    told = {**dict.fromkeys((UNCACHED, CACHED), VERSION), **found}
    peers = [
        Peers(
            len(ask.queries if race.name == PEER_SEARCH else ask.ids),
            _does(race, told),
            judged(race, turns, pace.levels),
        )
        for race in races
    ]
    return Measured(peers, held, missing)


def _ask(path: Path) -> Ask:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    typed = [one.query for one in read_judgments(JUDGMENTS) if one.kind != "typo"]
    queries = full_pages([f"{one['name']} . {one['text']}" for one in lines], typed, MOST)
    owning = [one for one in lines if not one["record"].get("inherits")]
    return Ask(queries, [{name: one[name] for name in ("id", "item")} for one in evenly(owning, MOST)])


def _started(
    stack: ExitStack,
    engine: Engine,
    path: Path,
    ask: Ask,
    found: Mapping[str, str],
    step: Callable[..., None],
) -> tuple[dict[str, Running], dict[str, Contender]]:
    """Everything that answers: what listens, and what is asked in another way."""
    running = started(stack, engine)
    direct = {}
    if STAC in found:
        step(STAC)
        running[STAC] = stack.enter_context(others.stac(engine, path))
    if SQL_ROUTE in found:
        step("datasette")
        running[SQL_ROUTE] = running[TABLE_ROUTE] = stack.enter_context(others.datasette(path))
    if FLOOR in found:
        step("tantivy")
        direct[FLOOR] = stack.enter_context(others.floor(path, list(ask.queries)))
    return running, direct


def _races(client: Client, running: Mapping[str, Running], direct: Mapping[str, Contender], ask: Ask) -> list[Race]:
    def race(name: str, paths: Mapping[str, list[str]], more: Mapping[str, Contender]) -> Race:
        listening = {
            one: client.asking(running[one].port, [[request("GET", path, headers=JSON)] for path in asked])
            for one, asked in paths.items()
            if one in running
        }
        contenders = {**listening, **more}
        pairs = [(mine, other) for other in contenders for mine in (UNCACHED, CACHED) if mine != other]
        return Race(name, contenders, pairs)

    return [race(PEER_SEARCH, _searches(ask), direct), race(PEER_RECORD, _records(ask), {})]


def _searches(ask: Ask) -> dict[str, list[str]]:
    def paths(form: Callable[[str], str]) -> list[str]:
        return [form(query) for query in ask.queries]

    ours = paths(lambda query: f"/search?{urlencode({'query': query, 'limit': PAGE})}")
    return {
        **dict.fromkeys((UNCACHED, CACHED, PLAIN, PLAIN_CACHED), ours),
        STAC: paths(lambda query: f"/search?{urlencode({'q': query, 'collections': 'cards', 'limit': PAGE})}"),
        SQL_ROUTE: paths(lambda query: f"/entities.json?{urlencode({'sql': SQL, 'q': query, '_shape': 'objects'})}"),
        TABLE_ROUTE: paths(
            lambda query: f"/entities/entities.json?{urlencode({'_search': query, '_size': PAGE, '_shape': 'objects'})}"
        ),
    }


def _records(ask: Ask) -> dict[str, list[str]]:
    def own(one: Mapping[str, str]) -> str:
        kind, _, key = one["id"].partition(":")
        return f"/{kind}/{key}"

    sql = "select record from records where id = :id"
    return {
        **{name: [own(one) for one in ask.ids] for name in (UNCACHED, CACHED, PLAIN, PLAIN_CACHED)},
        STAC: [f"/collections/records/items/{quote(one['item'])}" for one in ask.ids],
        SQL_ROUTE: [
            f"/entities.json?{urlencode({'sql': sql, 'id': one['id'], '_shape': 'objects'})}" for one in ask.ids
        ],
        TABLE_ROUTE: [f"/entities/records/{_tilde(one['id'])}.json?_shape=objects" for one in ask.ids],
    }


def _tilde(key: str) -> str:
    """As datasette writes keys in paths."""
    return "".join(one if one.isalnum() or one in "_-" else f"~{ord(one):02X}" for one in key)


def _does(race: Race, told: Mapping[str, str]) -> list[Does]:
    return [Does(name, told.get(name, ""), SAYS[name][race.name]) for name in race.contenders]
