"""Documents and requests for each alternative program, and a description of what it does for one response."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import orjson
from opensearchpy import OpenSearch
from opensearchpy.helpers import scan

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
from bench.latency.route_requests import evenly
from schema.document_ids import ENTITY

WORD = re.compile(r"[a-z]+")
PAGE_SIZE = 20
MIN_WORD_LENGTH = 4  # letters of a query word
FIELDS = ("spelling", "description", "card", "type")
ENVELOPE = ("provenance", "notice")  # members of a response that are not part of a record
Document = dict[str, Any]
SQL = f"""
with hits as materialized
  (select rowid as place, rank as score from entities_fts where entities_fts match escape_fts(:q))
select e.id, e.type, e.name, e.card, hits.score, (select count(*) from hits) as total
from hits join entities e on e.rowid = hits.place order by hits.score limit {PAGE_SIZE}
"""
ROWS = {"_shape": "objects"}
COLUMNS = [("_col", name) for name in ("id", "type", "name", "card")]
SERVICE_CONTENDERS = (UNCACHED, CACHED, PLAIN, PLAIN_CACHED)
DESCRIPTIONS = {
    UNCACHED: {
        PEER_SEARCH: "ranks by a table of features, explains every hit, counts all hits and those of each "
        "type, names sources and release; response cache off",
        PEER_RECORD: "the record with sources and release; response cache off",
    },
    CACHED: dict.fromkeys((PEER_SEARCH, PEER_RECORD), "the same from the response cache"),
    PLAIN: {
        PEER_SEARCH: "FastAPI, AsyncOpenSearch and orjson: the same request to OpenSearch, cards and a total",
        PEER_RECORD: "FastAPI, AsyncOpenSearch and orjson: the same request to OpenSearch, the record",
    },
    PLAIN_CACHED: dict.fromkeys((PEER_SEARCH, PEER_RECORD), "the same from a dict of bytes"),
    STAC: {
        PEER_SEARCH: "a phrase query on all properties, newest items first, a total, links of each item; as many "
        "items as make a page of the same size; the same OpenSearch node",
        PEER_RECORD: "the item with the record in an asset; the same OpenSearch node",
    },
    SQL_ROUTE: {
        PEER_SEARCH: "one SQL query: FTS5 with stems, ranked by BM25, a total; SQLite in its own process",
        PEER_RECORD: "one SQL query by the primary key",
    },
    TABLE_ROUTE: {
        PEER_SEARCH: "`_search` on the table page: FTS5, in row order, a total",
        PEER_RECORD: "the row page",
    },
    FLOOR: {PEER_SEARCH: "no server and no network: parse, search and join the cards in one thread, with a total"},
}


def documents(client: OpenSearch, index: str, service: httpx.Client) -> Iterator[Document]:
    """Yield every entity: its id, its id as a STAC item, type, name, other text, card, and record from the service."""
    body = {"query": {"term": {"doc": ENTITY}}, "_source": list(FIELDS)}
    for hit in scan(client, index=index, query=body, size=200, request_timeout=120):
        key, item = hit["_id"], hit["_source"]
        card = orjson.loads(item["card"])
        record = service.get("/" + key.replace(":", "/", 1)).raise_for_status().json()
        yield {
            "id": key,
            "item": re.sub(r"[^\w.-]", "_", key),
            "type": item["type"],
            "name": card["name"],
            "text": ". ".join(filter(None, [*item["spelling"], item["description"]])),
            "card": card,
            "record": {name: value for name, value in record.items() if name not in ENVELOPE},
        }


def full_page_queries(texts: Sequence[str], judged: Sequence[str], count: int) -> list[str]:
    """Return phrases that occur in at least a page of texts: judged queries first, then words of the texts."""
    normalized = [f" {_words(text)} " for text in texts]
    queries = dict.fromkeys(query for query in map(_words, judged) if query)
    found = [query for query in queries if sum(f" {query} " in text for text in normalized) >= PAGE_SIZE]
    counts = Counter(word for text in normalized for word in set(text.split()) if len(word) >= MIN_WORD_LENGTH)
    common = sorted(word for word, count in counts.items() if PAGE_SIZE <= count <= len(texts) // PAGE_SIZE)
    return list(dict.fromkeys([*evenly(found, count), *evenly(common, count)]))[:count]


def _words(text: str) -> str:
    return " ".join(WORD.findall(text.lower()))


@dataclass(frozen=True, slots=True)
class PeerQueries:
    """Queries, and entities by id and item id; `items` is the number of STAC items in a page of the same size."""

    queries: Sequence[str]
    ids: Sequence[Mapping[str, str]]
    items: int = PAGE_SIZE


def searches(peer_queries: PeerQueries) -> dict[str, list[str]]:
    cards = [("collections", "cards"), ("limit", str(peer_queries.items))]
    return {
        **{
            name: [f"/search?{urlencode({'query': text, 'limit': PAGE_SIZE})}" for text in peer_queries.queries]
            for name in SERVICE_CONTENDERS
        },
        STAC: [f"/search?{urlencode([('q', text), *cards])}" for text in peer_queries.queries],
        SQL_ROUTE: [f"/entities.json?{urlencode({'sql': SQL, 'q': text, **ROWS})}" for text in peer_queries.queries],
        TABLE_ROUTE: [
            f"/entities/entities.json?{urlencode([('_search', text), ('_size', PAGE_SIZE), *ROWS.items(), *COLUMNS])}"
            for text in peer_queries.queries
        ],
    }


def records(peer_queries: PeerQueries) -> dict[str, list[str]]:
    sql = "select record from records where id = :id"
    return {
        **{name: ["/" + item["id"].replace(":", "/", 1) for item in peer_queries.ids] for name in SERVICE_CONTENDERS},
        STAC: [f"/collections/records/items/{quote(item['item'])}" for item in peer_queries.ids],
        SQL_ROUTE: [f"/entities.json?{urlencode({'sql': sql, 'id': item['id'], **ROWS})}" for item in peer_queries.ids],
        TABLE_ROUTE: [
            f"/entities/records/{tilde_encode(item['id'])}.json?{urlencode(ROWS)}" for item in peer_queries.ids
        ],
    }


def tilde_encode(key: str) -> str:
    """Encode a key as datasette does in paths."""
    return "".join(item if item.isalnum() or item in "_-" else f"~{ord(item):02X}" for item in key)
