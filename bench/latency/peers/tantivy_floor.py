"""tantivy in one process without a server: a lower bound for the time of a search.

`python tantivy_floor.py DOCUMENTS QUERIES BYTES` reads a number of seconds per line, runs a turn of that length, and
prints its result: the sorted response times in microseconds and the bytes of all responses. Cards are padded to BYTES.
"""

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
    """Build an index in memory: names and texts are stemmed, the card is stored."""
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


def respond(index: Any, searcher: Any, query: str) -> bytes:  # noqa: ANN401 - the package has no types
    """Parse and run a query; return the first page with the total."""
    parsed = index.parse_query(" ".join(f"+{word}" for word in query.split()), ["name", "text"])
    result = searcher.search(parsed, PAGE, count=True)
    cards = ",".join(searcher.doc(place)["card"][0] for _, place in result.hits)
    return f'{{"total":{result.count},"results":[{cards}]}}'.encode()


def turn(index: Any, queries: list[str], seconds: float) -> dict[str, Any]:  # noqa: ANN401 - the package has no types
    searcher = index.searcher()
    micros, size = [], 0
    began = time.perf_counter()
    for query in itertools.cycle(queries):
        before = time.perf_counter()
        if before - began > seconds:
            break
        size += len(respond(index, searcher, query))
        micros.append(int((time.perf_counter() - before) * 1e6))
    return {"micros": sorted(micros), "seconds": seconds, "size": size, "hits": 0, "failed": 0, "cpu": 0.0}


def main() -> None:
    """Build the index, then run a turn for each line of standard input."""
    documents, queries, target = sys.argv[1:]
    index = built(Path(documents), int(target))
    texts = json.loads(Path(queries).read_text("utf-8"))
    for line in sys.stdin:
        print(json.dumps(turn(index, texts, float(line))), flush=True)


if __name__ == "__main__":
    main()
