"""The page on index fields names every field of the mapping, and no other."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.project import DOCS, MAPPINGS

PAGE = (DOCS / "reference/index-fields.md").read_text("utf-8")
PROPERTIES = json.loads((MAPPINGS / "entities.json").read_text("utf-8"))["mappings"]["properties"]


def fields(properties: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields of the mapping, their subfields, and the members of nested ones."""
    for name, field in properties.items():
        yield name
        yield from (f"{name}.{subfield}" for subfield in field.get("fields", ()))
        if field.get("type") == "nested":
            yield from (f"{name}.{member}" for member in field["properties"])


def test_the_page_lists_every_field() -> None:
    rows = [line.partition(" | ")[0] for line in PAGE.partition("## Documents of entities")[2].splitlines()]
    listed = {name for row in rows if row.startswith("| `") for name in re.findall(r"`([\w.]+)`", row)}
    assert listed == set(fields(PROPERTIES))
