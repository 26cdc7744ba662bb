"""Entities as SQLite tables with an FTS5 index in datasette: `load DOCUMENTS DATABASE BYTES`, `serve DATABASE PORT`.

FTS5 stems words and removes diacritics (`porter unicode61`). The card and the record are JSON text; cards are padded so
that a row has BYTES bytes. Request logs are off, as for all contenders.
"""

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

TABLES = """
create table entities (id text primary key, type text, name text, text text, card text);
create table records (id text primary key, record text);
create virtual table entities_fts using fts5(
    name, text, content="entities", content_rowid='rowid', tokenize='porter unicode61 remove_diacritics 2'
);
"""


def load(documents: str, path: str, target: str) -> None:
    lines = [json.loads(line) for line in Path(documents).read_text("utf-8").splitlines()]
    database = sqlite3.connect(path)
    database.executescript(TABLES)
    rows = [(one["id"], one["type"], one["name"], one["text"], padded(one, int(target))) for one in lines]
    database.executemany("insert into entities values (?, ?, ?, ?, ?)", rows)
    database.executemany("insert into records values (?, ?)", [(x["id"], json.dumps(x["record"])) for x in lines])
    database.execute("insert into entities_fts(entities_fts) values ('rebuild')")
    database.execute("insert into entities_fts(entities_fts) values ('optimize')")
    database.commit()
    database.close()


def padded(one: dict[str, Any], target: int) -> str:
    """Return the card, padded so that the row has `target` bytes."""
    row = {"id": one["id"], "type": one["type"], "name": one["name"], "card": json.dumps(one["card"])}
    missing = max(0, target - len(json.dumps(row)))
    return json.dumps({**one["card"], "padding": "x" * missing})


def serve(path: str, port: str) -> None:
    """Serve the database as immutable, which is the fastest mode of datasette."""
    import uvicorn  # noqa: PLC0415 - only `serve` needs them
    from datasette.app import Datasette  # noqa: PLC0415

    uvicorn.run(Datasette(immutables=[path]).app(), port=int(port), access_log=False, log_level="warning")


if __name__ == "__main__":
    if sys.argv[1] == "load":
        load(*sys.argv[2:])
    else:
        serve(*sys.argv[2:])
