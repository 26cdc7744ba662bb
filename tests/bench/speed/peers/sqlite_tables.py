"""Entities as SQLite tables with an FTS5 index, for datasette: `python sqlite_tables.py DOCUMENTS DATABASE`.

Stems and accents are treated as alike as FTS5 can (`porter unicode61`). The card and the record are JSON text.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

TABLES = """
create table entities (id text primary key, type text, name text, text text, card text);
create table records (id text primary key, record text);
create virtual table entities_fts using fts5(
    name, text, content='entities', content_rowid='rowid', tokenize='porter unicode61 remove_diacritics 2'
);
"""


def main() -> None:
    """Write the database."""
    lines = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    with sqlite3.connect(sys.argv[2]) as database:
        database.executescript(TABLES)
        rows = [(one["id"], one["type"], one["name"], one["text"], json.dumps(one["card"])) for one in lines]
        database.executemany("insert into entities values (?, ?, ?, ?, ?)", rows)
        database.executemany("insert into records values (?, ?)", [(x["id"], json.dumps(x["record"])) for x in lines])
        database.execute("insert into entities_fts(entities_fts) values ('rebuild')")
        database.execute("insert into entities_fts(entities_fts) values ('optimize')")
    database.close()


if __name__ == "__main__":
    main()
