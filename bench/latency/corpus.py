"""The documents of a release as others take them, and queries that find a full page in all of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import orjson
from opensearchpy.helpers import scan

from bench.latency.questions import evenly

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from opensearchpy import OpenSearch

WORD = re.compile(r"[a-z]+")
PAGE = 20
SHORTEST = 4  # letters of a searched word
FIELDS = ("name", "aliases", "description", "card", "record", "type")
Line = dict[str, Any]


def documents(client: OpenSearch, index: str) -> Iterator[Line]:
    """Every entity: id, the same as an id of an item, type, name, all other text, card and record."""
    body = {"query": {"terms": {"doc": ["entity", "record"]}}, "_source": list(FIELDS)}
    halves: dict[str, Line] = {}  # what is waited for: the search document of an entity, or its record
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


def dump(lines: Iterable[Line], path: Path) -> int:
    """Write them, one JSON object a line; how many there are."""
    count = 0
    with path.open("wb") as target:
        for line in lines:
            target.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            count += 1
    return count


def full_pages(texts: Sequence[str], typed: Sequence[str], most: int) -> list[str]:
    """Queries whose words stand side by side in a page's worth of texts: typed ones first, then words of the texts."""
    plain = [f" {' '.join(words(text))} " for text in texts]
    queries = [" ".join(words(query)) for query in typed]
    found = [query for query in dict.fromkeys(queries) if query and _fills_a_page(query, plain)]
    counts = Counter(word for text in plain for word in set(text.split()) if len(word) >= SHORTEST)
    common = sorted(word for word, count in counts.items() if PAGE <= count <= len(texts) // PAGE)
    return list(dict.fromkeys([*evenly(found, most), *evenly(common, most)]))[:most]


def _fills_a_page(query: str, plain: Sequence[str]) -> bool:
    wanted = f" {query} "
    return sum(wanted in text for text in plain) >= PAGE


def words(text: str) -> list[str]:
    """Letters only, in lower case."""
    return WORD.findall(text.lower())
