"""`needs` documents with only the members that a test reads."""

from collections.abc import Mapping
from typing import cast

from schema.needs_document import NeedsDocument


def as_needs(document: Mapping[str, object]) -> NeedsDocument:
    return cast("NeedsDocument", document)
