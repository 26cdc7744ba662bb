"""The documents and requests of each program beside the service, and what it does for one response."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import orjson
from opensearchpy.helpers import scan

from bench.latency.questions import evenly
from bench.latency.report import (
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from opensearchpy import OpenSearch

WORD = re.compile(r"[a-z]+")
PAGE = 20
SHORTEST = 4  # letters of a searched word
FIELDS = ("name", "aliases", "description", "card", "record", "type")
TcpProxy = dict[str, Any]
SQL = f"""
with hits as materialized
  (select rowid as place, rank as score from entities_fts where entities_fts match escape_fts(:q))
select e.id, e.type, e.name, e.card, hits.score, (select count(*) from hits) as total
from hits join entities e on e.rowid = hits.place order by hits.score limit {PAGE}
"""
ROWS = {"_shape": "objects"}
COLUMNS = [("_col", name) for name in ("id", "type", "name", "card")]
OWN = (UNCACHED, CACHED, PLAIN, PLAIN_CACHED)
SAYS = {
    UNCACHED: {
        PEER_SEARCH: "ranks in fifteen tiers, says of every hit why it is there, counts all hits and those of each "
        "type, names sources and release; its cache of answers is off",
        PEER_RECORD: "the record with sources and release; its cache of answers is off",
    },
    CACHED: dict.fromkeys((PEER_SEARCH, PEER_RECORD), "the same, asked before"),
    PLAIN: {
        PEER_SEARCH: "FastAPI, AsyncOpenSearch and orjson: the same request to the engine, cards and a total",
        PEER_RECORD: "FastAPI, AsyncOpenSearch and orjson: the same request to the engine, the record",
    },
    PLAIN_CACHED: dict.fromkeys((PEER_SEARCH, PEER_RECORD), "the same, asked before: bytes out of a dict"),
    STAC: {
        PEER_SEARCH: "the words side by side in any property, newest items first, a total, links of each item; as many "
        "items as make a page of the same size; the same engine",
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


def documents(client: OpenSearch, index: str) -> Iterator[TcpProxy]:
    """Every entity: id, the same as an id of an item, type, name, all other text, card and record."""
    body = {"query": {"terms": {"doc": ["entity", "record"]}}, "_source": list(FIELDS)}
    halves: dict[str, TcpProxy] = {}  # what is waited for: the search document of an entity, or its record
    for hit in scan(client, index=index, query=body, size=200, request_timeout=120):
        key = hit["_id"].removesuffix("/record")
        if key not in halves:
            halves[key] = hit["_source"]
            continue
        one = halves.pop(key) | hit["_source"]
        yield {
            "id": key,
            "item": re.sub(r"[^\w.-]", "_", key),
            "type": one["type"],
            "name": one["name"],
            "text": ". ".join(filter(None, [*one["aliases"], one["description"]])),
            "card": orjson.loads(one["card"]),
            "record": one["record"],
        }


def full_pages(texts: Sequence[str], typed: Sequence[str], most: int) -> list[str]:
    """Queries whose words stand side by side in a page's worth of texts: typed ones first, then words of the texts."""
    plain = [f" {_words(text)} " for text in texts]
    queries = map(_words, typed)
    found = [query for query in dict.fromkeys(queries) if query and _fills_a_page(query, plain)]
    counts = Counter(word for text in plain for word in set(text.split()) if len(word) >= SHORTEST)
    common = sorted(word for word, count in counts.items() if PAGE <= count <= len(texts) // PAGE)
    return list(dict.fromkeys([*evenly(found, most), *evenly(common, most)]))[:most]


def _words(text: str) -> str:
    """The letters of a text, in lower case."""
    return " ".join(WORD.findall(text.lower()))


def _fills_a_page(query: str, plain: Sequence[str]) -> bool:
    wanted = f" {query} "
    return sum(wanted in text for text in plain) >= PAGE


@dataclass(frozen=True, slots=True)
class Ask:
    """Words, and entities by their id and the id of their item; `items` make a page as long as one of the service's."""

    queries: Sequence[str]
    ids: Sequence[Mapping[str, str]]
    items: int = PAGE


def searches(ask: Ask) -> dict[str, list[str]]:
    """The paths of all searches, by program."""
    cards = [("collections", "cards"), ("limit", str(ask.items))]
    return {
        **{name: [f"/search?{urlencode({'query': text, 'limit': PAGE})}" for text in ask.queries] for name in OWN},
        STAC: [f"/search?{urlencode([('q', text), *cards])}" for text in ask.queries],
        SQL_ROUTE: [f"/entities.json?{urlencode({'sql': SQL, 'q': text, **ROWS})}" for text in ask.queries],
        TABLE_ROUTE: [
            f"/entities/entities.json?{urlencode([('_search', text), ('_size', str(PAGE)), *ROWS.items(), *COLUMNS])}"
            for text in ask.queries
        ],
    }


def records(ask: Ask) -> dict[str, list[str]]:
    """The paths of all records, by program."""
    sql = "select record from records where id = :id"
    return {
        **{name: ["/" + one["id"].replace(":", "/", 1) for one in ask.ids] for name in OWN},
        STAC: [f"/collections/records/items/{quote(one['item'])}" for one in ask.ids],
        SQL_ROUTE: [f"/entities.json?{urlencode({'sql': sql, 'id': one['id'], **ROWS})}" for one in ask.ids],
        TABLE_ROUTE: [f"/entities/records/{tilde(one['id'])}.json?{urlencode(ROWS)}" for one in ask.ids],
    }


def tilde(key: str) -> str:
    """As datasette writes keys in paths."""
    return "".join(one if one.isalnum() or one in "_-" else f"~{ord(one):02X}" for one in key)
