"""tantivy inside one process, without any server: what a search costs at the least.

`python tantivy_floor.py DOCUMENTS QUERIES BYTES` reads a number of seconds a line, and prints for each line what came
of a turn of that length: the microseconds of each answer, sorted, and the bytes of all. Cards are padded to BYTES.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any

import tantivy

MEMORY = 128_000_000  # bytes while indexing
PAGE = 20


def built(documents: Path, target: int) -> Any:  # noqa: ANN401 - the package has no types
    """An index in memory: names and texts stemmed, the card stored as it is sent."""
    schema = tantivy.SchemaBuilder()
    for field in ("name", "text"):
        schema.add_text_field(field, stored=False, tokenizer_name="en_stem")
    schema.add_text_field("card", stored=True, tokenizer_name="raw", index_option="basic")
    index = tantivy.Index(schema.build())
    writer = index.writer(MEMORY, 1)
    for line in documents.read_text("utf-8").splitlines():
        one = json.loads(line)
        padding = "x" * max(0, target - len(json.dumps(one["card"])))
        card = json.dumps({**one["card"], "padding": padding})
        writer.add_document(tantivy.Document(name=one["name"], text=one["text"], card=card))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def answer(index: Any, searcher: Any, query: str) -> bytes:  # noqa: ANN401 - the package has no types
    """Read, look, and write the first page with the number of all hits."""
    wanted = index.parse_query(" ".join(f"+{word}" for word in query.split()), ["name", "text"])
    found = searcher.search(wanted, PAGE, count=True)
    cards = ",".join(searcher.doc(place)["card"][0] for _, place in found.hits)
    return f'{{"total":{found.count},"results":[{cards}]}}'.encode()


def turn(index: Any, queries: list[str], seconds: float) -> dict[str, Any]:  # noqa: ANN401 - the package has no types
    """One turn of so many seconds."""
    searcher = index.searcher()
    micros, size = [], 0
    began = time.perf_counter()
    for query in itertools.cycle(queries):
        before = time.perf_counter()
        if before - began > seconds:
            break
        size += len(answer(index, searcher, query))
        micros.append(int((time.perf_counter() - before) * 1e6))
    return {"micros": sorted(micros), "seconds": seconds, "size": size, "hits": 0, "failed": 0, "cpu": 0.0}


def main() -> None:
    """Build, then take turns until there are no more."""
    documents, queries, target = sys.argv[1:]
    index = built(Path(documents), int(target))
    texts = json.loads(Path(queries).read_text("utf-8"))
    for line in sys.stdin:
        print(json.dumps(turn(index, texts, float(line))), flush=True)


if __name__ == "__main__":
    main()
