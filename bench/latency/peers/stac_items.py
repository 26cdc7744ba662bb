"""The unmodified stac-fastapi-opensearch on the OpenSearch node of the run: `serve PORT`, or `load PORT FILE`.

The program reads the node and the indices from the environment (`ES_HOST`, `ES_PORT`, `STAC_ITEMS_INDEX_PREFIX` and so
on). Entities are items: in the collection `cards` with names and texts, in `records` with the whole record in an asset,
which is not indexed.
"""

import json
import sys
from pathlib import Path
from typing import Any

import httpx

BATCH = 200
MOMENT = "2026-01-01T00:00:00Z"


def serve(port: int) -> None:
    """Serve the application with one worker and without a request log."""
    import uvicorn  # noqa: PLC0415 - only this side needs it

    app = "stac_fastapi.opensearch.app:create_app"
    uvicorn.run(app, factory=True, port=port, access_log=False, log_level="warning")


def load(port: int, documents: Path) -> None:
    """Create and fill both collections through its REST API."""
    lines = [json.loads(line) for line in documents.read_text("utf-8").splitlines()]
    for name, whole in (("cards", False), ("records", True)):
        _post(port, "/collections", _collection(name))
        items = [_item(name, line, whole=whole) for line in lines]
        for start in range(0, len(items), BATCH):
            body = {"items": {item["id"]: item for item in items[start : start + BATCH]}, "method": "upsert"}
            _post(port, f"/collections/{name}/bulk_items", body)


def _collection(name: str) -> dict[str, Any]:
    extent = {"spatial": {"bbox": [[-180, -90, 180, 90]]}, "temporal": {"interval": [[MOMENT, None]]}}
    collection = {"type": "Collection", "stac_version": "1.0.0", "license": "other", "links": [], "extent": extent}
    return {**collection, "id": name, "description": f"Entities as {name}."}


def _item(collection: str, line: dict[str, Any], *, whole: bool) -> dict[str, Any]:
    texts = {} if whole else {"title": line["name"], "description": line["text"]}
    return {
        "type": "Feature",
        "stac_version": "1.0.0",
        "id": line["item"],
        "collection": collection,
        "geometry": {"type": "Point", "coordinates": [0, 0]},
        "bbox": [0, 0, 0, 0],
        "properties": {"datetime": MOMENT, **texts},
        "assets": {"data": {"href": line["card"]["url"], **({"akg:record": line["record"]} if whole else {})}},
        "links": [],
    }


def _post(port: int, path: str, body: object) -> None:
    httpx.post(f"http://127.0.0.1:{port}{path}", json=body, timeout=120).raise_for_status()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    else:
        load(int(sys.argv[2]), Path(sys.argv[3]))
